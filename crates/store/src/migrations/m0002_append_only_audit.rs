//! Audit entries can be added, but not changed or removed: the database refuses.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0002_append_only_audit"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for statement in crate::dialect::append_only_triggers(m.get_database_backend(), "audit_entry") {
            m.get_connection().execute_unprepared(&statement).await?;
        }
        Ok(())
    }
}
