//! Lists of messages with any filter read no more of an index than they show or count.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0004_lists_by_kind"
    }
}

/// Indexes replaced by the new ones.
const OLD: &[&str] = &[
    "ix_message_list",
    "ix_message_from",
    "ix_message_status",
    "ix_message_unread",
    "ix_message_urgent",
    "ix_message_assigned",
];

/// Columns that identify a list.
const LIST: &str = "organization_id, direction, is_draft";
/// The kind of a message. Together with [`LIST`] it identifies the messages of a range.
const KIND: &str = "status, source_type, COALESCE(processed_type, '')";
/// Newest first.
const ORDER: &str = "received_at DESC, id DESC";
/// Further columns, so that only the index is read. SQLite checks the column of the index's condition again,
/// PostgreSQL the columns of an expression; few messages are sorted by sender.
const REST: &str = "from_address, processed_type, deleted_at";
/// Further filters of a list.
const ASKED: &str = "status, source_type, processed_type, assigned_to, is_urgent, read_at, deleted_at";
const THERE: &str = "WHERE deleted_at IS NULL";

/// In SQL common to both databases.
fn indexes() -> Vec<String> {
    vec![
        format!("CREATE INDEX ix_message_list ON message ({LIST}, {ORDER}, {REST}) {THERE}"),
        format!("CREATE INDEX ix_message_kind ON message ({LIST}, {KIND}, {ORDER}, {REST}) {THERE}"),
        // The quick views of the Intake.
        format!(
            "CREATE INDEX ix_message_unassigned ON message ({LIST}, {KIND}, {ORDER}, {REST}, assigned_to) {THERE} AND assigned_to IS NULL"
        ),
        format!(
            "CREATE INDEX ix_message_assigned ON message ({LIST}, assigned_to, {KIND}, {ORDER}, {REST}) {THERE} AND assigned_to IS NOT NULL"
        ),
        format!(
            "CREATE INDEX ix_message_urgent ON message ({LIST}, {KIND}, {ORDER}, {REST}, is_urgent) {THERE} AND is_urgent"
        ),
        format!(
            "CREATE INDEX ix_message_unread ON message ({LIST}, {KIND}, {ORDER}, {REST}, read_at) {THERE} AND read_at IS NULL"
        ),
        format!(
            "CREATE INDEX ix_message_from ON message ({LIST}, from_address, id, received_at, {ASKED}) {THERE}"
        ),
        // PostgreSQL refuses a row of an index that is longer than 2,704 bytes.
        format!(
            "CREATE INDEX ix_message_to ON message ({LIST}, to_address, {ORDER}, from_address, {ASKED}) {THERE} AND LENGTH(to_address) <= 250"
        ),
        format!(
            "CREATE INDEX ix_message_to_many ON message ({LIST}, {ORDER}, deleted_at) {THERE} AND LENGTH(to_address) > 250"
        ),
    ]
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for name in OLD {
            m.get_connection().execute_unprepared(&format!("DROP INDEX {name}")).await?;
        }
        for statement in indexes() {
            m.get_connection().execute_unprepared(&statement).await?;
        }
        Ok(())
    }
}
