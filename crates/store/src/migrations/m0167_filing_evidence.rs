//! Past choices of staff for documents, counted by common features.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0167_filing_evidence"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("filing_evidence")
                .col(uuid("organization_id"))
                .col(binary("feature"))
                .col(small_integer("aspect"))
                .col(binary("choice"))
                .col(binary("sealed_choice"))
                .col(integer("times"))
                .primary_key(
                    Index::create().col("organization_id").col("feature").col("aspect").col("choice"),
                )
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("filed_message")
                .col(uuid("message_id").primary_key())
                .col(uuid("organization_id"))
                .col(binary("sealed_lesson"))
                .to_owned(),
        )
        .await
    }
}
