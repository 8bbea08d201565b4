//! Workflows for operators: every attempt of every step, the channel of a workflow, and the active nodes.

use crate::dialect;
use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0070_runs"
    }
}

/// Channels of workflows enqueued before the upgrade.
const CHANNELS: &str = "UPDATE workflow SET channel = CASE \
    WHEN kind = 'MessageReceiveWorkflow' THEN CASE WHEN EXISTS (SELECT 1 FROM workflow_step AS step \
        WHERE step.workflow_id = workflow.id AND step.name = 'OpenFax') THEN 'Fax' ELSE 'Direct' END \
    WHEN NOT EXISTS (SELECT 1 FROM workflow_step AS step \
        WHERE step.workflow_id = workflow.id AND step.name IN ('RenderFax', 'SubmitFax')) THEN 'Direct' \
    WHEN EXISTS (SELECT 1 FROM workflow_step AS step \
        WHERE step.workflow_id = workflow.id AND step.name = 'Deliver') THEN 'Direct+Fax' \
    ELSE 'Fax' END \
    WHERE kind IN ('MessageSendWorkflow', 'MessageReceiveWorkflow')";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let channel = string("channel").default("").to_owned();
        m.alter_table(Table::alter().table("workflow").add_column(channel).to_owned()).await?;
        for column in [string_null("node"), timestamp_with_time_zone_null("begun_at")] {
            m.alter_table(Table::alter().table("workflow_step").add_column(column).to_owned()).await?;
        }
        let attempts = Table::create()
            .table("step_attempt")
            .col(uuid("workflow_id"))
            .col(uuid("id"))
            .col(uuid("step_id"))
            .col(uuid("organization_id"))
            .col(string("name"))
            .col(string("lane"))
            .col(integer("number"))
            .col(string("node"))
            .col(timestamp_with_time_zone("started_at"))
            .col(timestamp_with_time_zone("ended_at"))
            .col(string("outcome"))
            .col(text_null("cause"))
            .primary_key(Index::create().col("workflow_id").col("id"))
            .extra(dialect::without_rowid(m.get_database_backend()))
            .to_owned();
        m.create_table(attempts).await?;
        m.create_table(
            Table::create()
                .table("node")
                .col(uuid("id").primary_key())
                .col(string("name"))
                .col(json_binary("roles"))
                .col(string("version"))
                .col(timestamp_with_time_zone("started_at"))
                .col(timestamp_with_time_zone("seen_at"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("day_count")
                .col(date("day"))
                .col(string("what"))
                .col(string("channel"))
                .col(big_integer("total"))
                .primary_key(Index::create().col("day").col("what").col("channel"))
                .to_owned(),
        )
        .await?;
        for sql in [
            CHANNELS,
            "CREATE INDEX ix_message_workflow ON message (workflow_id) WHERE workflow_id IS NOT NULL",
            "CREATE INDEX ix_step_attempt_ended ON step_attempt (ended_at)",
            "CREATE INDEX ix_workflow_channel ON workflow (kind, channel, created_at, id) WHERE channel <> ''",
            "CREATE INDEX ix_workflow_open ON workflow (kind, channel, status, created_at, id) \
             WHERE status <> 'Completed' AND channel <> ''",
        ] {
            m.get_connection().execute_unprepared(sql).await?;
        }
        Ok(())
    }
}
