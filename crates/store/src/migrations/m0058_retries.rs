//! Manual retries: time of a step's retry, failures by step, bulk retries, and messages by partners' ids.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0058_retries"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let retried_at = timestamp_with_time_zone_null("retried_at").to_owned();
        m.alter_table(Table::alter().table("workflow_step").add_column(retried_at).to_owned()).await?;
        m.create_table(
            Table::create()
                .table("workflow_retry")
                .col(uuid("id").primary_key())
                .col(string("kind"))
                .col(string("step"))
                .col(text_null("cause"))
                .col(json_binary("steps"))
                .col(integer("total"))
                .col(integer("done"))
                .col(integer("retried"))
                .col(string("status"))
                .col(string("created_by"))
                .col(uuid_null("actor_id"))
                .col(string("actor_name"))
                .col(string("source_ip"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone_null("ended_at"))
                .to_owned(),
        )
        .await?;
        for index in [
            "CREATE INDEX ix_workflow_step_failed ON workflow_step (name, ended_at) WHERE status = 'Failed'",
            "CREATE INDEX ix_message_rfc_id ON message (rfc_message_id) WHERE rfc_message_id IS NOT NULL",
            "CREATE INDEX ix_fax_attempt_remote ON fax_attempt (remote_id) WHERE remote_id IS NOT NULL",
        ] {
            m.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}
