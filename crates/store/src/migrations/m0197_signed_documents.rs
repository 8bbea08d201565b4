//! Signed PDF files, what signers drew or typed, and the signing certificates of organizations.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0197_signed_documents"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let mark = Table::alter().table("signature").add_column(binary_null("sealed_mark")).to_owned();
        m.alter_table(mark).await?;
        m.create_table(documents()).await?;
        m.create_table(certificates()).await?;
        for (name, table, columns, is_unique) in [
            ("ux_signed_document_source", "signed_document", ["attachment_id", "source_blob_id"], true),
            ("ix_signed_document_message", "signed_document", ["message_id", "id"], false),
            ("ix_signing_certificate", "signing_certificate", ["organization_id", "not_after"], false),
        ] {
            let mut index = Index::create().name(name).table(table).to_owned();
            columns.iter().for_each(|column| {
                index.col(*column);
            });
            if is_unique {
                index.unique();
            }
            m.create_index(index).await?;
        }
        // Looked up when stored bytes are swept.
        let blob = Index::create()
            .name("ix_signed_document_blob")
            .table("signed_document")
            .col("blob_id")
            .to_owned();
        m.create_index(blob).await
    }
}

fn of_organization(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, "organization_id")
        .to("organization", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}

fn documents() -> TableCreateStatement {
    Table::create()
        .table("signed_document")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("message_id"))
        .col(uuid("attachment_id"))
        .col(uuid("source_blob_id"))
        .col(string("state"))
        .col(json_binary("signatures"))
        .col(integer("signed_count"))
        .col(uuid_null("blob_id"))
        .col(big_integer("size_bytes"))
        .col(boolean("lacks_timestamp"))
        .col(text("problem"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("ready_at"))
        .foreign_key(
            ForeignKey::create()
                .from("signed_document", "message_id")
                .to("message", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .foreign_key(&mut of_organization("signed_document"))
        .to_owned()
}

fn certificates() -> TableCreateStatement {
    Table::create()
        .table("signing_certificate")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("authority_id"))
        .col(string("organization_name"))
        .col(string("serial"))
        .col(text("certificate_pem"))
        .col(binary("sealed_key"))
        .col(timestamp_with_time_zone("not_before"))
        .col(timestamp_with_time_zone("not_after"))
        .col(timestamp_with_time_zone("created_at"))
        .foreign_key(&mut of_organization("signing_certificate"))
        .to_owned()
}
