//! E-mails to people.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0005_email"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("email")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(string("template"))
                .col(binary_null("sealed_letter"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone_null("sent_at"))
                .foreign_key(ForeignKey::create().from("email", "organization_id").to("organization", "id"))
                .to_owned(),
        )
        .await
    }
}
