//! Requests to a sign-in provider, and the second step after single sign-on.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0191_strong_single_sign_on"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let asked = ColumnDef::new("acr_values").text().not_null().default("").to_owned();
        add(m, "sso_connection", asked).await?;
        add(m, "sso_connection", ColumnDef::new("max_age_minutes").integer().to_owned()).await?;
        add(m, "sign_in_challenge", ColumnDef::new("connection_id").uuid().to_owned()).await
    }
}

async fn add(m: &SchemaManager<'_>, table: &'static str, column: ColumnDef) -> Result<(), DbErr> {
    m.alter_table(Table::alter().table(table).add_column(column).to_owned()).await
}
