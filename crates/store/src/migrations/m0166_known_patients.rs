//! Patients named in finished messages, found by tokens.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0166_known_patients"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("patient_mention")
                .col(uuid("message_id").primary_key())
                .col(uuid("organization_id"))
                .col(binary("identity"))
                .col(timestamp_with_time_zone("at"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("patient_token")
                .col(uuid("organization_id"))
                .col(binary("token"))
                .col(binary("identity"))
                .primary_key(Index::create().col("organization_id").col("token").col("identity"))
                .to_owned(),
        )
        .await?;
        let of_patient = Index::create()
            .name("ix_patient_mention_patient")
            .table("patient_mention")
            .col("organization_id")
            .col("identity")
            .col("at")
            .to_owned();
        m.create_index(of_patient).await?;
        let tokens = Index::create()
            .name("ix_patient_token_identity")
            .table("patient_token")
            .col("organization_id")
            .col("identity")
            .to_owned();
        m.create_index(tokens).await
    }
}
