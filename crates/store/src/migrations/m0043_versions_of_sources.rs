//! Versions of document sources, fax accounts and sign-in providers, against lost updates.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0043_versions_of_sources"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for table in ["document_source", "fax_account", "sso_connection"] {
            let version = integer("version").default(1).to_owned();
            m.alter_table(Table::alter().table(table).add_column(version).to_owned()).await?;
        }
        Ok(())
    }
}
