//! Indexes for finding the rows of a blob, so that unreferenced blobs can be removed.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0003_names_of_blobs"
    }
}

/// In SQL common to both databases.
const INDEXES: &[&str] = &[
    "CREATE INDEX ix_attachment_blob ON attachment (blob_id)",
    "CREATE INDEX ix_attachment_pdf ON attachment (pdf_blob_id) WHERE pdf_blob_id IS NOT NULL",
    "CREATE INDEX ix_inbound_blob ON inbound_mail (blob_id)",
    "CREATE INDEX ix_inbound_finished ON inbound_mail (finished_at) WHERE finished_at IS NOT NULL",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for statement in INDEXES {
            m.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
