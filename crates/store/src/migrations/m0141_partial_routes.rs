//! Accepted files of a delivery to an interface, start times of alerts, and the latest attempts of each step.

use crate::dialect;
use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0141_partial_routes"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("routed_document")
                .col(uuid("delivery_id"))
                .col(uuid("document_id"))
                .primary_key(Index::create().col("delivery_id").col("document_id"))
                .foreign_key(ForeignKey::create().from("routed_document", "delivery_id").to("delivery", "id"))
                .extra(dialect::without_rowid(m.get_database_backend()))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("alert_onset")
                .col(string("alert").primary_key())
                .col(timestamp_with_time_zone("since"))
                .col(timestamp_with_time_zone("seen_at"))
                .to_owned(),
        )
        .await?;
        let latest = "CREATE INDEX ix_step_attempt_name ON step_attempt (name, ended_at)";
        m.get_connection().execute_unprepared(latest).await?;
        Ok(())
    }
}
