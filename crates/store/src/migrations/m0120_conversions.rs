//! Files converted in place and their originals, and patients read from files.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0120_conversions"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for column in [json_binary_null("transform"), boolean("is_converted").default(false).to_owned()] {
            m.alter_table(Table::alter().table("attachment").add_column(column).to_owned()).await?;
        }
        m.create_table(
            Table::create()
                .table("attachment_original")
                .col(uuid("attachment_id").primary_key())
                .col(binary("sealed_name"))
                .col(string("kind"))
                .col(string("mime_type"))
                .col(big_integer("size_bytes"))
                .col(uuid("blob_id"))
                .col(uuid_null("pdf_blob_id"))
                .col(small_integer("preview_state"))
                .col(string_null("preview_error"))
                .col(integer_null("page_count"))
                .foreign_key(
                    ForeignKey::create().from("attachment_original", "attachment_id").to("attachment", "id"),
                )
                .to_owned(),
        )
        .await?;
        // The sweep of stored bytes looks up which of them are referenced.
        for (name, column) in
            [("ix_attachment_original_blob", "blob_id"), ("ix_attachment_original_pdf", "pdf_blob_id")]
        {
            let index = Index::create().name(name).table("attachment_original").col(column).to_owned();
            m.create_index(index).await?;
        }
        m.create_table(
            Table::create()
                .table("patient_extraction")
                .col(uuid("attachment_id").primary_key())
                .col(uuid("blob_id"))
                .col(string("state"))
                .col(binary_null("sealed_patient"))
                .foreign_key(
                    ForeignKey::create().from("patient_extraction", "attachment_id").to("attachment", "id"),
                )
                .to_owned(),
        )
        .await
    }
}
