//! Acknowledgements of alerts, and connection data of nodes.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0140_alerts"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for column in [integer("database_ms").default(0), big_integer("clock_ahead_ms").default(0)] {
            m.alter_table(Table::alter().table("node").add_column(column.to_owned()).to_owned()).await?;
        }
        m.create_table(
            Table::create()
                .table("alert_acknowledgement")
                .col(string("alert").primary_key())
                .col(string("status"))
                .col(string("user_name"))
                .col(timestamp_with_time_zone("at"))
                .col(string("note"))
                .to_owned(),
        )
        .await
    }
}
