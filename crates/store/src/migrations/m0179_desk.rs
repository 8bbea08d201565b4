//! The message that corrected a failed delivery, the number of unfiled messages of an export, and unseen mentions in
//! notes.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0179_desk"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = uuid_null("corrected_by");
        m.alter_table(Table::alter().table("delivery").add_column(column).to_owned()).await?;
        let column = integer("unfiled_count").default(0).to_owned();
        m.alter_table(Table::alter().table("export_task").add_column(column).to_owned()).await?;
        m.create_table(
            Table::create()
                .table("note_mention")
                .col(uuid("note_id"))
                .col(uuid("user_id"))
                .col(uuid("organization_id"))
                .col(uuid("message_id"))
                .primary_key(Index::create().col("note_id").col("user_id"))
                .to_owned(),
        )
        .await?;
        let of_person = Index::create()
            .name("ix_note_mention_user_id_organization_id")
            .table("note_mention")
            .col("user_id")
            .col("organization_id")
            .to_owned();
        m.create_index(of_person).await
    }
}
