//! Feature toggles. Existing ones are on for the organizations that have them.

use sea_orm::entity::prelude::Uuid;
use sea_orm_migration::{prelude::*, schema::*};
use std::collections::BTreeSet;

const OF_THE_PRODUCT: [&str; 6] = [
    "OptimizedIntake",
    "IntakeCdaViewer",
    "PatientExtractionAPI",
    "AutomatedCarePlans",
    "PointClickCareIdentityProvider",
    "WestFaxInterface",
];

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0080_features"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("feature")
                .col(uuid("id").primary_key())
                .col(string("name"))
                .col(string("name_key").unique_key())
                .col(boolean("is_enabled"))
                .col(boolean("is_organization_feature"))
                .col(string("created_by"))
                .col(timestamp_with_time_zone("created_at"))
                .col(string("modified_by"))
                .col(timestamp_with_time_zone("modified_at"))
                .col(integer("version"))
                .to_owned(),
        )
        .await?;
        let used = Query::select().distinct().column("name").from("organization_feature").to_owned();
        let mut names: BTreeSet<String> = OF_THE_PRODUCT.map(str::to_owned).into();
        for row in m.get_connection().query_all(&used).await? {
            names.insert(row.try_get("", "name")?);
        }
        let now = crate::Clock::system().now();
        let mut insert = Query::insert()
            .into_table("feature")
            .columns([
                "id",
                "name",
                "name_key",
                "is_enabled",
                "is_organization_feature",
                "created_by",
                "created_at",
                "modified_by",
                "modified_at",
                "version",
            ])
            .to_owned();
        let mut keys = BTreeSet::new();
        for name in names {
            // Of names that differ only in case, the first one is kept.
            if keys.insert(name.to_lowercase()) {
                insert.values_panic([
                    Uuid::now_v7().into(),
                    name.as_str().into(),
                    name.to_lowercase().into(),
                    true.into(),
                    true.into(),
                    "System".into(),
                    now.into(),
                    "System".into(),
                    now.into(),
                    1.into(),
                ]);
            }
        }
        m.execute(insert).await
    }
}
