//! Reports made in the background, with their content in pieces.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0052_generated_reports"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("generated_report")
                .col(uuid("id").primary_key())
                .col(string("kind"))
                .col(timestamp_with_time_zone_null("since"))
                .col(timestamp_with_time_zone_null("until"))
                .col(string("state"))
                .col(string("requested_by"))
                .col(integer("pieces"))
                .col(big_integer("size_bytes"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone("expires_at"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("generated_report_piece")
                .col(uuid("report_id"))
                .col(integer("position"))
                .col(binary("content"))
                .primary_key(Index::create().col("report_id").col("position"))
                .foreign_key(
                    ForeignKey::create()
                        .from("generated_report_piece", "report_id")
                        .to("generated_report", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create()
                .name("ix_generated_report_expires_at")
                .table("generated_report")
                .col("expires_at")
                .to_owned(),
        )
        .await
    }
}
