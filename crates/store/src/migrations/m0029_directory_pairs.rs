//! Pairs of frequent words that rarely occur together are found by the pair.

use crate::dialect::byte_order;
use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0029_directory_pairs"
    }
}

const FILL: &str = "INSERT INTO directory_pair (kind, pair, entry_id) \
     SELECT one.kind, one.word || ' ' || other.word, one.entry_id \
     FROM directory_word one JOIN directory_word other ON other.entry_id = one.entry_id AND other.word > one.word";

const INDEXES: [&str; 2] = [
    "CREATE INDEX ix_directory_pair ON directory_pair (kind, pair)",
    "CREATE INDEX ix_directory_pair_entry ON directory_pair (entry_id)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let pair = string("pair").extra(byte_order(m.get_database_backend())).to_owned();
        let table = Table::create()
            .table("directory_pair")
            .col(small_integer("kind"))
            .col(pair)
            .col(uuid("entry_id"))
            .foreign_key(
                ForeignKey::create()
                    .from("directory_pair", "entry_id")
                    .to("directory_entry", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        m.create_table(table).await?;
        for statement in [FILL].into_iter().chain(INDEXES) {
            m.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
