//! Indexes of page thumbnails by batch, and of files by content.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0126_triage_and_contents"
    }
}

const INDEXES: [&str; 2] = [
    "CREATE INDEX ix_triage_sheet_batch ON triage_sheet (batch_id, number)",
    "CREATE INDEX ix_attachment_content ON attachment (organization_id, content_hash, created_at) \
     WHERE deleted_at IS NULL AND content_hash IS NOT NULL",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = binary_null("content_hash");
        m.alter_table(Table::alter().table("attachment").add_column(column).to_owned()).await?;
        for index in INDEXES {
            m.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}
