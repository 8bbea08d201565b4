//! An index for the trail of one type of object, for counting and paging without reading others.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0192_trail_by_type"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let index = Index::create()
            .name("ix_audit_entry_type")
            .table("audit_entry")
            .col("organization_id")
            .col("object_type")
            .col("at")
            .col("id")
            .to_owned();
        m.create_index(index).await
    }
}
