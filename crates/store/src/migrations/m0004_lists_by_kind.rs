//! The lists of messages, whatever is asked of them, read no more of an index than they show or count.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0004_lists_by_kind"
    }
}

/// Replaced by what follows.
const OLD: &[&str] = &[
    "ix_message_list",
    "ix_message_from",
    "ix_message_status",
    "ix_message_unread",
    "ix_message_urgent",
    "ix_message_assigned",
];

/// A list, and what tells it from others.
const LIST: &str = "organization_id, direction, is_draft";
/// The kind of a message. Together with [`LIST`] it is what the messages of a range have in common.
const KIND: &str = "status, source_type, COALESCE(processed_type, '')";
/// Newest first.
const ORDER: &str = "received_at DESC, id DESC";
/// What is asked for besides, so that nothing but the index is read. SQLite asks again for the column of the index's own
/// condition, PostgreSQL for what an expression is made of; by the sender few messages are sorted.
const REST: &str = "from_address, processed_type, deleted_at";
/// What a list may ask of a message besides.
const ASKED: &str = "status, source_type, processed_type, assigned_to, is_urgent, read_at, deleted_at";
const THERE: &str = "WHERE deleted_at IS NULL";

/// Written in the SQL that both databases share.
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
