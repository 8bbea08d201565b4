//! Searches for words in a state or a city use an index of the words there, which also has all words of the name. The
//! table is recreated: updating every row would leave it and its indexes twice as large.

use crate::dialect::byte_order;
use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0027_directory_words_in_places"
    }
}

const FILL: [&str; 2] = [
    "INSERT INTO directory_word (kind, word, last_key, first_key, entry_id, state, word_before, city_key, words) \
     SELECT w.kind, w.word, w.last_key, w.first_key, w.entry_id, w.state, w.word_before, e.city_key, e.words \
     FROM directory_word_before w JOIN directory_entry e ON e.id = w.entry_id",
    "DROP TABLE directory_word_before",
];

const INDEXES: [&str; 4] = [
    "CREATE UNIQUE INDEX ux_directory_word ON directory_word \
     (kind, word, last_key, first_key, entry_id, state, word_before)",
    "CREATE INDEX ix_directory_word_entry ON directory_word (entry_id)",
    "CREATE INDEX ix_directory_word_state ON directory_word \
     (kind, state, word, last_key, first_key, entry_id, word_before, city_key, words)",
    "CREATE INDEX ix_directory_word_city ON directory_word \
     (kind, city_key, word, last_key, first_key, entry_id, word_before, state, words)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let db = m.get_connection();
        db.execute_unprepared("ALTER TABLE directory_word RENAME TO directory_word_before").await?;
        m.create_table(table(m.get_database_backend())).await?;
        for statement in FILL.into_iter().chain(INDEXES) {
            db.execute_unprepared(statement).await?;
        }
        Ok(())
    }
}

fn table(backend: DbBackend) -> TableCreateStatement {
    let key = |name: &'static str| string(name).extra(byte_order(backend)).to_owned();
    Table::create()
        .table("directory_word")
        .col(small_integer("kind"))
        .col(key("word"))
        .col(key("last_key"))
        .col(key("first_key"))
        .col(uuid("entry_id"))
        .col(key("state"))
        .col(key("word_before"))
        .col(key("city_key"))
        .col(key("words"))
        .foreign_key(
            ForeignKey::create()
                .from("directory_word", "entry_id")
                .to("directory_entry", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}
