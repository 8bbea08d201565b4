//! Versions of trust anchors, against lost updates.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0145_trust_versions"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let version = integer("version").default(1).to_owned();
        m.alter_table(Table::alter().table("trust_anchor").add_column(version).to_owned()).await?;
        let of_bundle = Index::create()
            .name("ix_trust_anchor_bundle_id")
            .table("trust_anchor")
            .col("bundle_id")
            .to_owned();
        m.create_index(of_bundle).await
    }
}
