//! Indexes for searching the audit trail: by time over all organizations, by person over all organizations, and by an
//! object of unknown type.

use sea_orm_migration::prelude::*;

const STATEMENTS: [&str; 5] = [
    "CREATE INDEX ix_audit_entry_at ON audit_entry (at, id)",
    "DROP INDEX ix_audit_entry_actor",
    "CREATE INDEX ix_audit_entry_actor ON audit_entry (actor_id, at DESC, id DESC, organization_id) \
     WHERE actor_id IS NOT NULL",
    "DROP INDEX ix_audit_entry_organization_id_object_type_object_id_at",
    "CREATE INDEX ix_audit_entry_object ON audit_entry (organization_id, object_id, object_type, at)",
];

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0081_audit_search"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for statement in STATEMENTS {
            m.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
