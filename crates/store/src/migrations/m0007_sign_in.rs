//! Second factors, links by e-mail, registrations, and e-mails to people who belong to no organization.

use crate::dialect;
use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0007_sign_in"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for statement in dialect::email_without_organization(m.get_database_backend()) {
            m.get_connection().execute_unprepared(statement).await?;
        }
        second_factors(m).await?;
        challenges(m).await?;
        links(m).await
    }
}

async fn second_factors(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("second_factor")
            .col(uuid("user_id").primary_key())
            .col(binary_null("sealed_secret"))
            .col(timestamp_with_time_zone_null("confirmed_at"))
            .col(big_integer("last_step"))
            .col(boolean("email_codes"))
            .foreign_key(ForeignKey::create().from("second_factor", "user_id").to("app_user", "id"))
            .to_owned(),
    )
    .await?;
    m.create_table(
        Table::create()
            .table("passkey")
            .col(uuid("id").primary_key())
            .col(uuid("user_id"))
            .col(string("name"))
            .col(binary("credential_id").unique_key())
            .col(text("credential"))
            .col(timestamp_with_time_zone("created_at"))
            .col(timestamp_with_time_zone_null("last_used_at"))
            .foreign_key(ForeignKey::create().from("passkey", "user_id").to("app_user", "id"))
            .to_owned(),
    )
    .await?;
    index(m, "passkey", "user_id").await?;
    m.create_table(
        Table::create()
            .table("recovery_code")
            .col(uuid("id").primary_key())
            .col(uuid("user_id"))
            .col(binary("hash"))
            .col(timestamp_with_time_zone_null("used_at"))
            .foreign_key(ForeignKey::create().from("recovery_code", "user_id").to("app_user", "id"))
            .to_owned(),
    )
    .await?;
    index(m, "recovery_code", "user_id").await
}

async fn challenges(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("sign_in_challenge")
            .col(uuid("id").primary_key())
            .col(binary("token_hash").unique_key())
            .col(uuid_null("user_id"))
            .col(string("purpose"))
            .col(text_null("state"))
            .col(integer("wrong_answers"))
            .col(binary_null("sealed_code"))
            .col(timestamp_with_time_zone_null("code_sent_at"))
            .col(timestamp_with_time_zone("created_at"))
            .col(timestamp_with_time_zone("expires_at"))
            .foreign_key(ForeignKey::create().from("sign_in_challenge", "user_id").to("app_user", "id"))
            .to_owned(),
    )
    .await?;
    index(m, "sign_in_challenge", "user_id").await?;
    index(m, "sign_in_challenge", "expires_at").await
}

async fn links(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("account_link")
            .col(uuid("id").primary_key())
            .col(binary("token_hash").unique_key())
            .col(uuid("user_id"))
            .col(string("purpose"))
            .col(timestamp_with_time_zone("created_at"))
            .col(timestamp_with_time_zone("expires_at"))
            .col(timestamp_with_time_zone_null("ended_at"))
            .foreign_key(ForeignKey::create().from("account_link", "user_id").to("app_user", "id"))
            .to_owned(),
    )
    .await?;
    index(m, "account_link", "user_id").await?;
    m.create_table(
        Table::create()
            .table("registration")
            .col(uuid("id").primary_key())
            .col(binary("token_hash").unique_key())
            .col(string("user_name_key"))
            .col(string("sub_domain"))
            .col(binary_null("sealed_form"))
            .col(timestamp_with_time_zone("created_at"))
            .col(timestamp_with_time_zone("expires_at"))
            .col(timestamp_with_time_zone_null("ended_at"))
            .to_owned(),
    )
    .await?;
    index(m, "registration", "user_name_key").await?;
    index(m, "registration", "sub_domain").await
}

async fn index(m: &SchemaManager<'_>, table: &str, column: &str) -> Result<(), DbErr> {
    let name = format!("ix_{table}_{column}");
    m.create_index(Index::create().name(name).table(table.to_owned()).col(column.to_owned()).to_owned()).await
}
