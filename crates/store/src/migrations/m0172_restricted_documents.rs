//! Permission to open restricted documents of an organization: granted until an administrator removes it.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0172_restricted_documents"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = boolean("may_open_restricted").default(true).to_owned();
        m.alter_table(Table::alter().table("membership").add_column(column).to_owned()).await
    }
}
