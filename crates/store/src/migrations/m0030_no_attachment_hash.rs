//! The hash of a file's content is removed: it was unused, and the seal of the blob detects changes.

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
