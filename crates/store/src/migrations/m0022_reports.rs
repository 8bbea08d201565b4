//! Indexes for reports of message events, newest first: by kind within an organization, and over all organizations.
//! And for addresses without senders.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0022_reports"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        // Queries by time also filter by kind, so the longer index serves them.
        let former =
            Index::drop().name("ix_message_event_organization_id_at").table("message_event").to_owned();
        m.drop_index(former).await?;
        m.create_index(
            Index::create()
                .name("ix_message_event_organization_id_event_type_at_id")
                .table("message_event")
                .col("organization_id")
                .col("event_type")
                .col("at")
                .col("id")
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create()
                .name("ix_message_event_at_id_event_type")
                .table("message_event")
                .col("at")
                .col("id")
                .col("event_type")
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create()
                .name("ix_user_document_source_document_source_id")
                .table("user_document_source")
                .col("document_source_id")
                .to_owned(),
        )
        .await
    }
}
