//! Earlier captured calls are removed: their bodies may contain secrets, and their hashes of secrets had no key.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0190_forgotten_captures"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.execute(Query::delete().from_table("api_capture").to_owned()).await
    }
}
