//! Used SAML assertions, so that none is accepted twice.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0175_used_assertions"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("used_assertion")
                .col(string("assertion_key").primary_key())
                .col(timestamp_with_time_zone("ends_at"))
                .to_owned(),
        )
        .await?;
        let over = Index::create()
            .name("ix_used_assertion_ends_at")
            .table("used_assertion")
            .col("ends_at")
            .to_owned();
        m.create_index(over).await
    }
}
