//! Bulk jobs: one action on all matching messages, in the background.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0161_bulk_jobs"
    }
}

const INDEXES: [&str; 2] = [
    "CREATE INDEX ix_bulk_job_user ON bulk_job (organization_id, user_id, created_at DESC)",
    "CREATE INDEX ix_bulk_item_state ON bulk_item (job_id, state, position)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("bulk_job")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(uuid("user_id"))
                .col(text("state"))
                .col(json_binary("act"))
                .col(binary("sealed_query"))
                .col(text("source_ip"))
                .col(integer("total"))
                .col(boolean("is_counted"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone_null("ended_at"))
                .foreign_key(&mut cascade("bulk_job", "organization_id", "organization"))
                .foreign_key(&mut cascade("bulk_job", "user_id", "app_user"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("bulk_item")
                .col(uuid("job_id"))
                .col(uuid("message_id"))
                .col(integer("position"))
                .col(small_integer("state"))
                .col(binary_null("sealed_reasons"))
                .col(boolean("can_be_confirmed"))
                .primary_key(Index::create().col("job_id").col("message_id"))
                .foreign_key(&mut cascade("bulk_item", "job_id", "bulk_job"))
                .to_owned(),
        )
        .await?;
        for index in INDEXES {
            m.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}

fn cascade(table: &'static str, column: &'static str, to: &'static str) -> ForeignKeyCreateStatement {
    let mut key = ForeignKey::create();
    key.from(table, column).to(to, "id").on_delete(ForeignKeyAction::Cascade);
    key
}
