//! Support tickets.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0064_support_tickets"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("support_ticket")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(uuid("user_id"))
                .col(string("area"))
                .col(integer("severity"))
                .col(string("subject"))
                .col(binary("sealed_details"))
                .col(string("user_name"))
                .col(string("full_name"))
                .col(string("host"))
                .col(string("state"))
                .col(boolean("is_mailed"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone("modified_at"))
                .col(integer("version"))
                .to_owned(),
        )
        .await?;
        for (name, columns) in [
            ("ix_support_ticket_user", ["user_id", "created_at", "id"].as_slice()),
            ("ix_support_ticket_state", &["state", "created_at", "id"]),
        ] {
            let mut index = Index::create().name(name).table("support_ticket").to_owned();
            for column in columns {
                index.col(*column);
            }
            m.create_index(index).await?;
        }
        Ok(())
    }
}
