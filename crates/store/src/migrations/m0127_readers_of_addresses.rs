//! Readers of an address, if limited; referrals within an organization.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0127_readers_of_addresses"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = boolean("limits_readers").default(false).to_owned();
        m.alter_table(Table::alter().table("document_source").add_column(column).to_owned()).await?;
        // Read with every request of a member, and nearly always empty.
        let few = "CREATE INDEX ix_document_source_limits_readers ON document_source (organization_id) WHERE limits_readers";
        m.get_connection().execute_unprepared(few).await?;
        // An organization that refers to itself is on both sides.
        m.drop_index(Index::drop().name("ux_conversation_referral").table("conversation").to_owned()).await?;
        m.create_index(
            Index::create()
                .name("ux_conversation_referral")
                .table("conversation")
                .unique()
                .col("organization_id")
                .col("referral_id")
                .col("assigner")
                .col("role")
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("document_source_reader")
                .col(uuid("document_source_id"))
                .col(uuid("user_id"))
                .col(uuid("organization_id"))
                .primary_key(Index::create().col("document_source_id").col("user_id"))
                .foreign_key(
                    ForeignKey::create()
                        .from("document_source_reader", "document_source_id")
                        .to("document_source", "id"),
                )
                .foreign_key(
                    ForeignKey::create().from("document_source_reader", "user_id").to("app_user", "id"),
                )
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create()
                .name("ix_document_source_reader_user")
                .table("document_source_reader")
                .col("user_id")
                .to_owned(),
        )
        .await
    }
}
