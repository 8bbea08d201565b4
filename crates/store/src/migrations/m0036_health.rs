//! Indexes for the operators' dashboard. They contain only failures and waiting organizations, so they cost nothing
//! else.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0036_health"
    }
}

const INDEXES: [&str; 3] = [
    "CREATE INDEX ix_delivery_failed ON delivery (failed_at) WHERE failed_at IS NOT NULL",
    "CREATE INDEX ix_workflow_failed ON workflow (ended_at) WHERE status = 'Failed'",
    "CREATE INDEX ix_organization_to_activate ON organization (id_proofed_at) WHERE NOT is_activated",
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
