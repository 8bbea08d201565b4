//! Tracked referrals and their messages.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0111_conversations"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("conversation")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(string("referral_id"))
                .col(string("assigner"))
                .col(string("role"))
                .col(string("state"))
                .col(string("own_address"))
                .col(string("other_address"))
                .col(date_null("due_on"))
                .col(timestamp_with_time_zone_null("appointment_at"))
                .col(binary("sealed_content"))
                .col(uuid("message_id"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone("updated_at"))
                .foreign_key(
                    ForeignKey::create()
                        .from("conversation", "organization_id")
                        .to("organization", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("conversation_step")
                .col(uuid("message_id").primary_key())
                .col(uuid("conversation_id"))
                .col(uuid("organization_id"))
                .col(string("action"))
                .col(binary("sealed_note"))
                .col(boolean("is_own"))
                .col(timestamp_with_time_zone("at"))
                .foreign_key(
                    ForeignKey::create()
                        .from("conversation_step", "conversation_id")
                        .to("conversation", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        for (name, table, columns, is_unique) in [
            (
                "ux_conversation_referral",
                "conversation",
                ["organization_id", "referral_id", "assigner"].as_slice(),
                true,
            ),
            ("ix_conversation_list", "conversation", &["organization_id", "updated_at", "id"], false),
            ("ix_conversation_step", "conversation_step", &["conversation_id", "at", "message_id"], false),
        ] {
            let mut index = Index::create().name(name).table(table).to_owned();
            for column in columns {
                index.col(*column);
            }
            if is_unique {
                index.unique();
            }
            m.create_index(index).await?;
        }
        Ok(())
    }
}
