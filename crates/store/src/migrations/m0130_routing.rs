//! Routing rules: recipients that are reached by an interface instead of Direct, and an index of the waiting messages
//! of each.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0130_routing"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("routing_rule")
                .col(uuid("id").primary_key())
                .col(string("address"))
                .col(string("address_key").unique_key())
                .col(small_integer("step_type"))
                .col(string("security_type"))
                .col(string("custom_certificate_name"))
                .col(string_null("convert_to_format"))
                .col(string_null("location_code"))
                .col(string("facility_oid"))
                .col(string("key_hie_address"))
                .col(timestamp_with_time_zone("created_at"))
                .col(integer("version"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("routing_endpoint")
                .col(uuid("id").primary_key())
                .col(uuid("routing_rule_id"))
                .col(integer("position"))
                .col(string("ip_address"))
                .col(integer_null("port"))
                .col(string("oid"))
                .col(integer("version"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("routing_sender")
                .col(uuid("id").primary_key())
                .col(uuid("routing_rule_id"))
                .col(uuid("organization_id"))
                .col(string("organization_oid"))
                .col(string("facility_type"))
                .col(string("facility_type_code_id"))
                .col(string("facility_type_code_scheme"))
                .col(integer("version"))
                .to_owned(),
        )
        .await?;
        let index = |name: &str, table: &'static str, columns: [&'static str; 2]| {
            let mut index = Index::create().name(name).table(table).to_owned();
            for column in columns {
                index.col(column);
            }
            index
        };
        m.create_index(index(
            "ix_routing_endpoint_rule",
            "routing_endpoint",
            ["routing_rule_id", "position"],
        ))
        .await?;
        m.create_index(
            index("ux_routing_sender_rule", "routing_sender", ["routing_rule_id", "organization_id"])
                .unique()
                .to_owned(),
        )
        .await?;
        // Waiting messages of an address, in the order of sending.
        let waiting = "CREATE INDEX ix_delivery_waiting ON delivery (address_key, accepted_at, id) \
             WHERE state = 0 AND kind = 0";
        m.get_connection().execute_unprepared(waiting).await?;
        Ok(())
    }
}
