//! An index of the directory by Direct address.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0021_directory_address"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let create = "CREATE INDEX ix_directory_address ON directory_entry (LOWER(direct_address), id) \
            WHERE direct_address <> ''";
        m.get_connection().execute_unprepared(create).await.map(|_| ())
    }
}
