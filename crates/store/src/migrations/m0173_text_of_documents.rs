//! Search in the text of documents. Older messages are indexed again gradually.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0173_text_of_documents"
    }
}

/// Starts with the newest message, not claimed by a node yet.
const REINDEX: &str =
    r#"INSERT INTO installation (name, value) VALUES ('search_reindex', '{"behind":null,"until":null}')"#;
/// Due texts are found newest first, however many were read before.
const DUE: &str =
    "CREATE INDEX ix_attachment_text_due ON attachment_text (attachment_id) WHERE due_at IS NOT NULL";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("attachment_text")
                .col(uuid("attachment_id").primary_key())
                .col(uuid("message_id"))
                .col(timestamp_with_time_zone_null("due_at"))
                .col(small_integer("tries"))
                .col(binary_null("words"))
                .to_owned(),
        )
        .await?;
        let of_message = Index::create()
            .name("ix_attachment_text_message_id")
            .table("attachment_text")
            .col("message_id")
            .to_owned();
        m.create_index(of_message).await?;
        for statement in [DUE, REINDEX] {
            m.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
