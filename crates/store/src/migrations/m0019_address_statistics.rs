//! A statistic for PostgreSQL about the rarity of messages to many addresses. Without it every third message counts
//! as one, and each list by address is planned as a scan of all of them. Statistics of expressions need PostgreSQL
//! 14.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0019_address_statistics"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        if m.get_database_backend() == DbBackend::Postgres {
            let create = "CREATE STATISTICS st_message_to_length ON (LENGTH(to_address)) FROM message";
            m.get_connection().execute_unprepared(create).await?;
            m.get_connection().execute_unprepared("ANALYZE message").await?;
        }
        Ok(())
    }
}
