//! What the operators' dashboard counts: failures alone, so that nothing that goes well pays for it.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0036_health"
    }
}

const INDEXES: [&str; 2] = [
    "CREATE INDEX ix_delivery_failed ON delivery (failed_at) WHERE failed_at IS NOT NULL",
    "CREATE INDEX ix_workflow_failed ON workflow (ended_at) WHERE status = 'Failed'",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for index in INDEXES {
            m.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}
