//! Versions for the addresses of service accounts, and a count of e-mailed codes.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0028_versions_and_codes"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let version = integer("version").default(1).to_owned();
        m.alter_table(Table::alter().table("service_account").add_column(version).to_owned()).await?;
        let codes_sent = integer("codes_sent").default(0).to_owned();
        m.alter_table(Table::alter().table("sign_in_challenge").add_column(codes_sent).to_owned()).await
    }
}
