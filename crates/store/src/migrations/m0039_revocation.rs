//! Anchors that require a revocation list, and the protection of the connections of deliveries.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0039_revocation"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for table in ["trust_anchor", "trust_bundle"] {
            let column = boolean("requires_revocation").default(false).to_owned();
            m.alter_table(Table::alter().table(table).add_column(column).to_owned()).await?;
        }
        let tls = small_integer_null("tls");
        m.alter_table(Table::alter().table("delivery").add_column(tls).to_owned()).await
    }
}
