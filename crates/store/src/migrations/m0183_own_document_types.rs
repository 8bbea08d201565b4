//! Unique names of an organization's own document types.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0183_own_document_types"
    }
}

const INDEX: &str = "CREATE UNIQUE INDEX ux_document_type_own_name_key ON document_type (organization_id, name_key) \
     WHERE organization_id IS NOT NULL";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.get_connection().execute_unprepared(INDEX).await.map(|_| ())
    }
}
