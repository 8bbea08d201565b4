//! No two release types of an organization have the same name.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0091_own_release_types"
    }
}

const STATEMENTS: [&str; 2] = [
    // They could not be created manually so far; of equal ones, all but one get their id appended to the search key.
    "UPDATE release_type SET name_key = name_key || ' ' || CAST(id AS VARCHAR(64)) \
     WHERE organization_id IS NOT NULL AND EXISTS (SELECT 1 FROM release_type other \
     WHERE other.organization_id = release_type.organization_id AND other.name_key = release_type.name_key \
     AND other.id < release_type.id)",
    "CREATE UNIQUE INDEX ux_release_type_own_name ON release_type (organization_id, name_key) \
     WHERE organization_id IS NOT NULL",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for statement in STATEMENTS {
            m.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
