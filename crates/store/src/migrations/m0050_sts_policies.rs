//! MTA-STS policies outlive a restart.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0050_sts_policies"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("sts_policy")
                .col(string("domain").primary_key())
                .col(string("policy_id"))
                .col(boolean("enforce"))
                .col(json_binary("servers"))
                .col(big_integer("max_age"))
                .col(timestamp_with_time_zone("valid_until"))
                .to_owned(),
        )
        .await
    }
}
