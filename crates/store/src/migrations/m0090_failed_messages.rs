//! Acknowledged failures of deliveries, an index of the open ones, and one of people's actions.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0090_failed_messages"
    }
}

const INDEXES: [&str; 2] = [
    // Queued, Failed and Uncertain.
    "CREATE INDEX ix_delivery_open ON delivery (organization_id, accepted_at, id) \
     WHERE state IN (0, 4, 5) AND acknowledged_at IS NULL",
    "CREATE INDEX ix_message_event_user ON message_event (organization_id, user_id, at, id) \
     WHERE user_id IS NOT NULL",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.alter_table(
            Table::alter()
                .table("delivery")
                .add_column(timestamp_with_time_zone_null("acknowledged_at"))
                .to_owned(),
        )
        .await?;
        for index in INDEXES {
            m.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}
