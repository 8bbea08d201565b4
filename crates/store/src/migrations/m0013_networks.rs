//! Networks in the console: names, ordered members, features and service accounts.

use crate::dialect::byte_order;
use sea_orm_migration::{
    prelude::*,
    schema::*,
    sea_orm::{ConnectionTrait, FromQueryResult, Statement},
};
use std::collections::HashSet;
use uuid::Uuid;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0013_networks"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        names(m).await?;
        members(m).await?;
        features(m).await?;
        service_accounts(m).await
    }
}

#[derive(FromQueryResult)]
struct Named {
    id: Uuid,
    name: String,
}

/// Networks are sorted and found by a unique key.
async fn names(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    let key = ColumnDef::new("name_key")
        .string()
        .not_null()
        .default("")
        .extra(byte_order(m.get_database_backend()))
        .to_owned();
    let version = ColumnDef::new("version").integer().not_null().default(1).to_owned();
    for column in [key, version, timestamp_with_time_zone_null("created_at")] {
        m.alter_table(Table::alter().table("network").add_column(column).to_owned()).await?;
    }
    let (db, backend) = (m.get_connection(), m.get_database_backend());
    let all =
        Query::select().column("id").column("name").from("network").order_by("id", Order::Asc).to_owned();
    let mut taken = HashSet::new();
    for row in Named::find_by_statement(backend.build(&all)).all(db).await? {
        let mut key = row.name.trim().to_lowercase();
        if !taken.insert(key.clone()) {
            key = format!("{key} {}", row.id.simple());
        }
        let update = Query::update()
            .table("network")
            .value("name_key", key)
            .and_where(Expr::col("id").eq(row.id))
            .to_owned();
        let statement: Statement = backend.build(&update);
        db.execute_raw(statement).await?;
    }
    m.create_index(
        Index::create().name("ux_network_name_key").table("network").col("name_key").unique().to_owned(),
    )
    .await
}

/// Organizations and administrators of one network, in the order of their lists.
async fn members(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_index(
        Index::create()
            .name("ix_organization_network_id_name_key_id")
            .table("organization")
            .col("network_id")
            .col("name_key")
            .col("id")
            .to_owned(),
    )
    .await?;
    m.create_index(
        Index::create()
            .name("ix_app_user_network_admin_of_user_name_key")
            .table("app_user")
            .col("network_admin_of")
            .col("user_name_key")
            .to_owned(),
    )
    .await?;
    // People can be added by their e-mail address.
    m.create_index(Index::create().name("ix_app_user_email").table("app_user").col("email").to_owned()).await
}

async fn features(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("network_feature")
            .col(uuid("network_id"))
            .col(string("name"))
            .col(string_null("parent"))
            .col(boolean("is_enabled"))
            .col(integer("position"))
            .primary_key(Index::create().col("network_id").col("name"))
            .foreign_key(ForeignKey::create().from("network_feature", "network_id").to("network", "id"))
            .to_owned(),
    )
    .await
}

async fn service_accounts(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("service_account")
            .col(uuid("id").primary_key())
            .col(uuid("network_id").unique_key())
            .col(string("client_id"))
            .col(binary("token_hash").unique_key())
            .col(boolean("is_enabled"))
            .col(json_binary("allowed_addresses"))
            .col(timestamp_with_time_zone("created_at"))
            .col(timestamp_with_time_zone("token_issued_at"))
            .col(timestamp_with_time_zone_null("last_used_at"))
            .col(string_null("last_used_from"))
            .col(timestamp_with_time_zone_null("last_refused_at"))
            .col(string_null("last_refused_from"))
            .foreign_key(ForeignKey::create().from("service_account", "network_id").to("network", "id"))
            .to_owned(),
    )
    .await
}
