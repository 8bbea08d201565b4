//! The indexes of the lists by address no longer contain the direction, which is in their condition. PostgreSQL drops
//! search conditions implied by an index's condition, and a dropped column ends the searched part of the index: it
//! read the messages to all addresses.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0017_address_indexes"
    }
}

/// Columns that identify a list.
const LIST: &str = "organization_id, is_draft";
/// Columns common to the messages of a range, apart from the recipients.
const KIND: &str = "status, source_type, COALESCE(processed_type, '')";
/// The order of the list, and further columns, so that only the index is read.
const REST: &str = "received_at DESC, id DESC, from_address, direction, processed_type, deleted_at";
/// Only the Intake is filtered by address. PostgreSQL refuses an index row longer than 2,704 bytes.
const TO_FEW: &str = "WHERE deleted_at IS NULL AND direction = 0 AND LENGTH(to_address) <= 250";

/// In SQL common to both databases.
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
