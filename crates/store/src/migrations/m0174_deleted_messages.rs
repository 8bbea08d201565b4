//! An index of sent and deleted messages, for the account of disclosures.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0174_deleted_messages"
    }
}

const DELETED: &str = "CREATE INDEX ix_message_deleted ON message \
    (organization_id, direction, is_draft, received_at DESC, id DESC) WHERE deleted_at IS NOT NULL";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.get_connection().execute_unprepared(DELETED).await?;
        Ok(())
    }
}
