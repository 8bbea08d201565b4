//! Messages and files get integers, for tools without support for other ids. The database assigns them in the
//! statement that adds the row.

use crate::dialect;
use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0071_message_numbers"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let backend = m.get_database_backend();
        for table in ["message", "attachment"] {
            for sql in dialect::numbering(backend, table) {
                m.get_connection().execute_unprepared(&sql).await?;
            }
        }
        Ok(())
    }
}
