//! Searches for words in a place use the index of the place, which now has the words too.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0024_directory_places"
    }
}

const INDEXES: [(&str, &str); 3] = [
    ("ix_directory_state", "kind, state, last_key, first_key, id, zip, city_key, words"),
    ("ix_directory_zip", "kind, zip, last_key, first_key, id, state, city_key, words"),
    ("ix_directory_city", "kind, city_key, last_key, first_key, id, state, zip, words"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for (name, columns) in INDEXES {
            m.get_connection().execute_unprepared(&format!("DROP INDEX {name}")).await?;
            let create = format!("CREATE INDEX {name} ON directory_entry ({columns})");
            m.get_connection().execute_unprepared(&create).await?;
        }
        Ok(())
    }
}
