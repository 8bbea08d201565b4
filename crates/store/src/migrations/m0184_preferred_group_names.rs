//! Preferred group names of organizations; empty for existing ones.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0184_preferred_group_names"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = string("preferred_group_name").default("").to_owned();
        m.alter_table(Table::alter().table("organization").add_column(column).to_owned()).await
    }
}
