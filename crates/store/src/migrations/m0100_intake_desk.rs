//! Snoozing and notes for messages of the Intake, assignments that end by themselves, saved filters, and the person
//! working on an open message until a colleague takes over.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0100_intake_desk"
    }
}

const INDEXES: [&str; 5] = [
    "CREATE INDEX ix_message_assignment_end ON message (assignment_ends_at) \
     WHERE deleted_at IS NULL AND assignment_ends_at IS NOT NULL",
    // Few messages are snoozed at any time, so other filters are read from the index.
    "CREATE INDEX ix_message_snoozed ON message (organization_id, direction, is_draft, snoozed_until, received_at DESC, \
     id DESC, from_address, status, source_type, processed_type, deleted_at) \
     WHERE deleted_at IS NULL AND snoozed_until IS NOT NULL",
    // Equal files are searched among files of equal size.
    "CREATE INDEX ix_attachment_size ON attachment (organization_id, size_bytes, created_at) WHERE deleted_at IS NULL",
    "CREATE INDEX ix_message_note ON message_note (message_id, created_at)",
    "CREATE UNIQUE INDEX ux_saved_filter_name ON saved_filter (organization_id, user_id, name)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for (table, column) in
            [("message", "snoozed_until"), ("message", "assignment_ends_at"), ("presence", "held_since")]
        {
            let column = timestamp_with_time_zone_null(column);
            m.alter_table(Table::alter().table(table).add_column(column).to_owned()).await?;
        }
        m.create_table(
            Table::create()
                .table("message_note")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(uuid("message_id"))
                .col(uuid("author_id"))
                .col(binary("sealed_text"))
                .col(json_binary("mentioned"))
                .col(timestamp_with_time_zone("created_at"))
                .foreign_key(&mut cascade("message_note", "message_id", "message"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("saved_filter")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(uuid("user_id"))
                .col(string("name"))
                .col(boolean("is_shared"))
                .col(json_binary("filter"))
                .col(integer("version"))
                .foreign_key(&mut cascade("saved_filter", "organization_id", "organization"))
                .foreign_key(&mut cascade("saved_filter", "user_id", "app_user"))
                .to_owned(),
        )
        .await?;
        for index in INDEXES {
            m.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}

fn cascade(table: &'static str, column: &'static str, to: &'static str) -> ForeignKeyCreateStatement {
    let mut key = ForeignKey::create();
    key.from(table, column).to(to, "id").on_delete(ForeignKeyAction::Cascade);
    key
}
