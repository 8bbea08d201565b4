//! The integrations whitelist. Every organization keeps its existing permissions.

use sea_orm::entity::prelude::Uuid;
use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0082_integrations"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("integration_grant")
                .col(uuid("id").primary_key())
                .col(string("integration"))
                .col(uuid("scope"))
                .col(string("name"))
                .col(string("name_key"))
                .col(string("created_by"))
                .col(timestamp_with_time_zone("created_at"))
                .col(integer("version"))
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create()
                .name("ux_integration_grant_scope")
                .table("integration_grant")
                .col("integration")
                .col("scope")
                .unique()
                .to_owned(),
        )
        .await?;
        let now = crate::Clock::system().now();
        let mut insert = Query::insert()
            .into_table("integration_grant")
            .columns([
                "id",
                "integration",
                "scope",
                "name",
                "name_key",
                "created_by",
                "created_at",
                "version",
            ])
            .to_owned();
        for integration in ["ServiceAccounts", "Webhooks", "SingleSignOn", "FaxAccounts"] {
            insert.values_panic([
                Uuid::now_v7().into(),
                integration.into(),
                Uuid::nil().into(),
                "All organizations".into(),
                "all organizations".into(),
                "System".into(),
                now.into(),
                1.into(),
            ]);
        }
        m.execute(insert).await
    }
}
