//! Batches of uploaded files, and the documents made from their pages.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0125_triage"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("triage_batch")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(string("state"))
                .col(binary("sealed_plan"))
                .col(uuid("created_by"))
                .col(string("created_by_name"))
                .col(timestamp_with_time_zone("created_at"))
                .col(string("modified_by_name"))
                .col(timestamp_with_time_zone("modified_at"))
                .col(timestamp_with_time_zone_null("filed_at"))
                .col(integer("version"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("triage_file")
                .col(uuid("id").primary_key())
                .col(uuid("batch_id"))
                .col(uuid("organization_id"))
                .col(integer("position"))
                .col(binary("sealed_name"))
                .col(string("kind"))
                .col(string("mime_type"))
                .col(big_integer("size_bytes"))
                .col(uuid("blob_id"))
                .col(uuid_null("pdf_blob_id"))
                .col(string("state"))
                .col(string_null("problem"))
                .col(integer("page_count"))
                .col(integer("pages_read"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("triage_sheet")
                .col(uuid("blob_id").primary_key())
                .col(uuid("batch_id"))
                .col(uuid("file_id"))
                .col(integer("number"))
                .col(binary("sealed_looks"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("triage_part")
                .col(uuid("id").primary_key())
                .col(uuid("batch_id"))
                .col(uuid("organization_id"))
                .col(integer("position"))
                .col(binary("sealed_part"))
                .col(timestamp_with_time_zone_null("filed_at"))
                .col(string_null("problem"))
                .to_owned(),
        )
        .await?;
        for (name, table, columns) in [
            (
                "ix_triage_batch_state",
                "triage_batch",
                ["organization_id", "state", "created_at", "id"].as_slice(),
            ),
            ("ix_triage_file_batch", "triage_file", &["batch_id", "position"]),
            ("ix_triage_file_blob", "triage_file", &["blob_id"]),
            ("ix_triage_file_pdf", "triage_file", &["pdf_blob_id"]),
            ("ix_triage_part_batch", "triage_part", &["batch_id", "position"]),
        ] {
            let mut index = Index::create().name(name).table(table).to_owned();
            for column in columns {
                index.col(*column);
            }
            m.create_index(index).await?;
        }
        let mut index =
            Index::create().name("ix_triage_sheet_file").table("triage_sheet").unique().to_owned();
        m.create_index(index.col("file_id").col("number").to_owned()).await
    }
}
