//! E-mail notifications of people, and when each is checked next.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0015_notifications"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("notification")
                .col(uuid("user_id"))
                .col(string("kind"))
                .col(timestamp_with_time_zone("told_until"))
                .col(timestamp_with_time_zone("due_at"))
                .primary_key(Index::create().col("user_id").col("kind"))
                .foreign_key(ForeignKey::create().from("notification", "user_id").to("app_user", "id"))
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create().name("ix_notification_due").table("notification").col("due_at").to_owned(),
        )
        .await
    }
}
