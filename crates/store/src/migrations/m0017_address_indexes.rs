//! The indexes of the lists by address do without the direction, which their condition names. PostgreSQL leaves out of
//! a search what the condition of an index says already, and a column left out ends the part of the index that is
//! searched: it read the messages to all addresses.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0017_address_indexes"
    }
}

/// A list, and what tells it from others.
const LIST: &str = "organization_id, is_draft";
/// What the messages of a range have in common, apart from whom they came to.
const KIND: &str = "status, source_type, COALESCE(processed_type, '')";
/// The order of the list, and what is asked for besides, so that nothing but the index is read.
const REST: &str = "received_at DESC, id DESC, from_address, direction, processed_type, deleted_at";
/// Only the Intake is asked for by address. PostgreSQL refuses a row of an index that is longer than 2,704 bytes.
const TO_FEW: &str = "WHERE deleted_at IS NULL AND direction = 0 AND LENGTH(to_address) <= 250";

/// Written in the SQL that both databases share.
fn statements() -> Vec<String> {
    let index = |name: &str, of: &str, besides: &str, condition: &str| {
        [
            format!("DROP INDEX ix_message_to{name}"),
            format!(
                "CREATE INDEX ix_message_to{name} ON message ({LIST}, to_address, {of}{KIND}, {REST}{besides}) {TO_FEW}{condition}"
            ),
        ]
    };
    [
        index("", "", "", ""),
        index("_unassigned", "", ", assigned_to", " AND assigned_to IS NULL"),
        index("_assigned", "assigned_to, ", "", " AND assigned_to IS NOT NULL"),
        index("_urgent", "", ", is_urgent", " AND is_urgent"),
        index("_unread", "", ", read_at", " AND read_at IS NULL"),
    ]
    .concat()
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for statement in statements() {
            m.get_connection().execute_unprepared(&statement).await?;
        }
        Ok(())
    }
}
