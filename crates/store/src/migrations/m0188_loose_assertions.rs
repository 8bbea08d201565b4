//! Strict checks of assertions for new connections; existing ones are unchanged.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0188_loose_assertions"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = ColumnDef::new("loose_assertions").boolean().not_null().default(false).to_owned();
        m.alter_table(Table::alter().table("inbound_connection").add_column(column).to_owned()).await?;
        let known = "UPDATE inbound_connection SET loose_assertions = TRUE WHERE assertion_certificate <> ''";
        m.get_connection().execute_unprepared(known).await.map(|_| ())
    }
}
