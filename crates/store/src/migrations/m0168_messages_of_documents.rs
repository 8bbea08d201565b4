//! Extracted documents refer to their message, and ended jobs are found by their end.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0168_messages_of_documents"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        // Its contents can be extracted again.
        m.drop_table(Table::drop().table("cached_document").to_owned()).await?;
        m.create_table(
            Table::create()
                .table("cached_document")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(uuid("message_id"))
                .col(uuid("source_blob_id"))
                .col(integer("part"))
                .col(integer("depth"))
                .col(binary("sealed_name"))
                .col(string("kind"))
                .col(big_integer("size_bytes"))
                .col(uuid("blob_id"))
                .col(uuid_null("pdf_blob_id"))
                .col(timestamp_with_time_zone("used_at"))
                .to_owned(),
        )
        .await?;
        // Two messages may share the bytes of a file, and have different readers.
        let source = Index::create()
            .name("ux_cached_document_source")
            .table("cached_document")
            .col("message_id")
            .col("source_blob_id")
            .col("part")
            .unique()
            .to_owned();
        m.create_index(source).await?;
        for column in ["blob_id", "pdf_blob_id", "used_at"] {
            let name = format!("ix_cached_document_{column}");
            let index = Index::create().name(name).table("cached_document").col(column).to_owned();
            m.create_index(index).await?;
        }
        let ended = Index::create().name("ix_bulk_job_ended_at").table("bulk_job").col("ended_at").to_owned();
        m.create_index(ended).await
    }
}
