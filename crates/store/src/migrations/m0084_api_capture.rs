//! Captured calls of the API.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0084_api_capture"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("api_capture")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(uuid_null("network_id"))
                .col(uuid("user_id"))
                .col(string("user_name"))
                .col(boolean("is_service"))
                .col(string("token_hash"))
                .col(timestamp_with_time_zone("at"))
                .col(string("method"))
                .col(string("path"))
                .col(integer("status"))
                .col(integer("milliseconds"))
                .col(binary("sealed_exchange"))
                .to_owned(),
        )
        .await?;
        for (name, columns) in [
            ("ix_api_capture_at", ["at", "id"].as_slice()),
            ("ix_api_capture_organization", &["organization_id", "at", "id"]),
            ("ix_api_capture_user", &["user_id", "at", "id"]),
        ] {
            let mut index = Index::create().name(name).table("api_capture").to_owned();
            for column in columns {
                index.col(*column);
            }
            m.create_index(index).await?;
        }
        Ok(())
    }
}
