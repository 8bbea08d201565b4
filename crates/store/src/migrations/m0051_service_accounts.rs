//! Service accounts of organizations in addition to those of networks. The table is recreated, since SQLite cannot
//! make a column nullable.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0051_service_accounts"
    }
}

const FILL: [&str; 4] = [
    "INSERT INTO service_account (id, network_id, name, allowed_address_count, client_id, token_hash, is_enabled, \
     allowed_addresses, version, created_at, token_issued_at, last_used_at, last_used_from, last_refused_at, \
     last_refused_from) \
     SELECT id, network_id, '', 200, client_id, token_hash, is_enabled, allowed_addresses, version, created_at, \
     token_issued_at, last_used_at, last_used_from, last_refused_at, last_refused_from FROM service_account_before",
    "DROP TABLE service_account_before",
    "CREATE UNIQUE INDEX ux_service_account_network ON service_account (network_id)",
    "CREATE UNIQUE INDEX ux_service_account_name ON service_account (organization_id, name)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let db = m.get_connection();
        db.execute_unprepared("ALTER TABLE service_account RENAME TO service_account_before").await?;
        m.create_table(
            Table::create()
                .table("service_account")
                .col(uuid("id").primary_key())
                .col(uuid_null("network_id"))
                .col(uuid_null("organization_id"))
                .col(string("name"))
                .col(integer("allowed_address_count"))
                .col(string("client_id"))
                .col(binary("token_hash").unique_key())
                .col(boolean("is_enabled"))
                .col(json_binary("allowed_addresses"))
                .col(integer("version"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone("token_issued_at"))
                .col(timestamp_with_time_zone_null("last_used_at"))
                .col(string_null("last_used_from"))
                .col(timestamp_with_time_zone_null("last_refused_at"))
                .col(string_null("last_refused_from"))
                .foreign_key(ForeignKey::create().from("service_account", "network_id").to("network", "id"))
                .foreign_key(
                    ForeignKey::create().from("service_account", "organization_id").to("organization", "id"),
                )
                .to_owned(),
        )
        .await?;
        for statement in FILL {
            db.execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
