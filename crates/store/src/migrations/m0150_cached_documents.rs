//! Documents extracted from others for viewing.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0150_cached_documents"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("cached_document")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
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
        let source = Index::create()
            .name("ux_cached_document_source")
            .table("cached_document")
            .col("organization_id")
            .col("source_blob_id")
            .col("part")
            .unique()
            .to_owned();
        m.create_index(source).await?;
        // The sweep of stored bytes looks up which of them are referenced, and removes unused documents.
        for column in ["blob_id", "pdf_blob_id", "used_at"] {
            let name = format!("ix_cached_document_{column}");
            let index = Index::create().name(name).table("cached_document").col(column).to_owned();
            m.create_index(index).await?;
        }
        Ok(())
    }
}
