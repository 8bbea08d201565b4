//! The hash of a file's content goes: nobody read it, and the seal of the blob tells whether it was changed.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0030_no_attachment_hash"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.alter_table(Table::alter().table("attachment").drop_column("sha256").to_owned()).await
    }
}
