//! Requests to colleagues to sign the documents of a message.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0160_signatures"
    }
}

const INDEXES: [&str; 4] = [
    "CREATE INDEX ix_signature_signer ON signature (organization_id, signer_id, state, created_at DESC, id DESC)",
    "CREATE INDEX ix_signature_requester ON signature (organization_id, requested_by, created_at DESC, id DESC)",
    "CREATE INDEX ix_signature_message ON signature (message_id, created_at)",
    // One open request per person at a time.
    "CREATE UNIQUE INDEX ux_signature_waiting ON signature (message_id, signer_id) WHERE state = 0",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("signature")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(uuid("message_id"))
                .col(uuid("requested_by"))
                .col(uuid("signer_id"))
                .col(small_integer("state"))
                .col(binary_null("sealed_note"))
                .col(binary_null("sealed_reason"))
                .col(json_binary("files"))
                .col(text_null("confirmed_by"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone_null("settled_at"))
                .foreign_key(
                    ForeignKey::create()
                        .from("signature", "message_id")
                        .to("message", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        for index in INDEXES {
            m.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}
