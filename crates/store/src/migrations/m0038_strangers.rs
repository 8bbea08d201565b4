//! Distinction between unknown senders and senders whose mail was opened before.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0038_strangers"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let is_refused = boolean("is_refused").default(false).to_owned();
        m.alter_table(Table::alter().table("inbound_mail").add_column(is_refused).to_owned()).await?;
        m.get_connection()
            .execute_unprepared(
                "CREATE INDEX ix_inbound_mail_unopened ON inbound_mail (received_at) \
                 WHERE finished_at IS NULL OR is_refused",
            )
            .await?;
        m.create_table(
            Table::create()
                .table("known_sender")
                .col(string("network").primary_key())
                .col(timestamp_with_time_zone("last_opened_at"))
                .to_owned(),
        )
        .await
    }
}
