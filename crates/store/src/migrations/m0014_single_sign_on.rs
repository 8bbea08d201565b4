//! Single sign-on: providers of organizations, linked accounts, and sessions of a provider.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0014_single_sign_on"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        connections(m).await?;
        identities(m).await?;
        // Without a foreign key: a session of a removed connection stays confined to its organization.
        let column = uuid_null("connection_id");
        m.alter_table(Table::alter().table("session").add_column(column).to_owned()).await?;
        let name = "ix_session_connection_id";
        m.create_index(Index::create().name(name).table("session").col("connection_id").to_owned()).await
    }
}

async fn connections(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("sso_connection")
            .col(uuid("id").primary_key())
            .col(uuid("organization_id").unique_key())
            .col(string("name").unique_key())
            .col(string("issuer"))
            .col(string("client_id"))
            .col(binary_null("sealed_secret"))
            .col(boolean("is_enabled"))
            .col(timestamp_with_time_zone("created_at"))
            .col(timestamp_with_time_zone("modified_at"))
            .foreign_key(
                ForeignKey::create().from("sso_connection", "organization_id").to("organization", "id"),
            )
            .to_owned(),
    )
    .await
}

async fn identities(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("sso_identity")
            .col(uuid("connection_id"))
            .col(string("subject"))
            .col(uuid("user_id"))
            .col(timestamp_with_time_zone("created_at"))
            .col(timestamp_with_time_zone("last_used_at"))
            .primary_key(Index::create().col("connection_id").col("subject"))
            .foreign_key(
                ForeignKey::create().from("sso_identity", "connection_id").to("sso_connection", "id"),
            )
            .foreign_key(ForeignKey::create().from("sso_identity", "user_id").to("app_user", "id"))
            .to_owned(),
    )
    .await?;
    let name = "ix_sso_identity_user_id";
    m.create_index(Index::create().name(name).table("sso_identity").col("user_id").to_owned()).await
}
