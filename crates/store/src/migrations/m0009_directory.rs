//! The provider directory.

use crate::dialect::byte_order;
use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0009_directory"
    }
}

/// Further criteria of a search: with them in the index, non-matching entries are skipped there.
const ASKED: &str = "last_key, first_key, id, state, zip, city_key";

/// Each kind of search reads one of them in order, so that a page and its count end early.
fn indexes() -> Vec<String> {
    vec![
        format!("CREATE INDEX ix_directory_last ON directory_entry (kind, {ASKED})"),
        "CREATE INDEX ix_directory_first ON directory_entry (kind, first_key, last_key, id, state, zip, city_key)".into(),
        "CREATE INDEX ix_directory_state ON directory_entry (kind, state, last_key, first_key, id, zip, city_key)".into(),
        "CREATE INDEX ix_directory_zip ON directory_entry (kind, zip, last_key, first_key, id, state, city_key)".into(),
        "CREATE INDEX ix_directory_city ON directory_entry (kind, city_key, last_key, first_key, id, state, zip)".into(),
        "CREATE UNIQUE INDEX ux_directory_word ON directory_word (kind, word, last_key, first_key, entry_id, state, word_before)"
            .into(),
        // The entries of this installation are few among millions.
        "CREATE INDEX ix_directory_own ON directory_entry (id) WHERE source = 'installation'".into(),
    ]
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let backend = m.get_database_backend();
        let key = |name: &'static str| string(name).extra(byte_order(backend)).to_owned();
        m.create_table(
            Table::create()
                .table("directory_entry")
                .col(uuid("id").primary_key())
                .col(small_integer("kind"))
                .col(string("source"))
                .col(string("source_key"))
                .col(string("first_name"))
                .col(string("middle_name"))
                .col(string("last_name"))
                .col(string("organization_name"))
                .col(string("clinic_name"))
                .col(string("direct_address"))
                .col(string("phone"))
                .col(string("fax"))
                .col(string("address_line"))
                .col(string("city"))
                .col(key("state"))
                .col(key("zip"))
                .col(key("last_key"))
                .col(key("first_key"))
                .col(key("city_key"))
                .col(key("words"))
                .col(big_integer("digest"))
                .col(uuid_null("import_id"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("directory_word")
                .col(small_integer("kind"))
                .col(key("word"))
                .col(key("last_key"))
                .col(key("first_key"))
                .col(uuid("entry_id"))
                .col(key("state"))
                .col(key("word_before"))
                .foreign_key(
                    ForeignKey::create()
                        .from("directory_word", "entry_id")
                        .to("directory_entry", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create()
                .name("ix_directory_word_entry")
                .table("directory_word")
                .col("entry_id")
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("directory_import")
                .col(uuid("id").primary_key())
                .col(string("source"))
                .col(string("file"))
                .col(binary("fingerprint"))
                .col(big_integer("position"))
                .col(big_integer("rows"))
                .col(big_integer("written"))
                .col(big_integer("refused"))
                .col(timestamp_with_time_zone("started_at"))
                .col(timestamp_with_time_zone_null("finished_at"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("invitation")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(uuid("user_id"))
                .col(timestamp_with_time_zone("created_at"))
                .foreign_key(
                    ForeignKey::create().from("invitation", "organization_id").to("organization", "id"),
                )
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create()
                .name("ix_invitation_user")
                .table("invitation")
                .col("user_id")
                .col("created_at")
                .to_owned(),
        )
        .await?;
        let db = m.get_connection();
        for index in indexes() {
            db.execute_unprepared(&index).await?;
        }
        Ok(())
    }
}
