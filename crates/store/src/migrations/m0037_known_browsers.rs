//! Known browsers of people.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0037_known_browsers"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("known_browser")
                .col(uuid("user_id"))
                .col(binary("hash"))
                .col(uuid("session_id"))
                .col(integer("failed_logins"))
                .col(timestamp_with_time_zone_null("locked_until"))
                .col(timestamp_with_time_zone("last_used_at"))
                .primary_key(Index::create().col("user_id").col("hash"))
                .foreign_key(ForeignKey::create().from("known_browser", "user_id").to("app_user", "id"))
                .to_owned(),
        )
        .await?;
        for (name, column) in
            [("ix_known_browser_hash", "hash"), ("ix_known_browser_session_id", "session_id")]
        {
            m.create_index(Index::create().name(name).table("known_browser").col(column).to_owned()).await?;
        }
        Ok(())
    }
}
