//! Webhooks of organizations, and their deliveries.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0063_webhooks"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("webhook")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(string("name"))
                .col(string("url"))
                .col(json_binary("events"))
                .col(string("authentication_type"))
                .col(string("user_name"))
                .col(binary_null("sealed_credential"))
                .col(binary("sealed_signing_key"))
                .col(boolean("is_enabled"))
                .col(timestamp_with_time_zone_null("failing_since"))
                .col(integer("failures"))
                .col(timestamp_with_time_zone_null("paused_at"))
                .col(integer("version"))
                .col(timestamp_with_time_zone("created_at"))
                .foreign_key(
                    ForeignKey::create()
                        .from("webhook", "organization_id")
                        .to("organization", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create()
                .name("ux_webhook_name")
                .table("webhook")
                .col("organization_id")
                .col("name")
                .unique()
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("webhook_delivery")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(uuid("webhook_id"))
                .col(string("event"))
                .col(uuid_null("message_id"))
                .col(string("status"))
                .col(integer("attempts"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone_null("tried_at"))
                .col(integer_null("response_status"))
                .col(integer_null("milliseconds"))
                .col(string("reason"))
                .col(binary("sealed_body"))
                .col(binary_null("sealed_response"))
                .foreign_key(
                    ForeignKey::create()
                        .from("webhook_delivery", "webhook_id")
                        .to("webhook", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        for (name, columns) in [
            ("ix_webhook_delivery_log", ["webhook_id", "created_at", "id"].as_slice()),
            ("ix_webhook_delivery_status", &["webhook_id", "status", "created_at", "id"]),
            ("ix_webhook_delivery_age", &["created_at"]),
        ] {
            let mut index = Index::create().name(name).table("webhook_delivery").to_owned();
            for column in columns {
                index.col(*column);
            }
            m.create_index(index).await?;
        }
        Ok(())
    }
}
