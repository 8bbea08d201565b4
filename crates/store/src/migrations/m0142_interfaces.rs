//! Documents received by HL7 v2 and XDR: connections, receptions, and refusals.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0142_interfaces"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("inbound_connection")
                .col(uuid("id").primary_key())
                .col(string("name"))
                .col(string("name_key").unique_key())
                .col(small_integer("kind"))
                .col(uuid_null("organization_id"))
                .col(boolean("is_enabled"))
                .col(string("sending_application"))
                .col(string("sending_facility"))
                .col(string("sending_facility_key"))
                .col(string("receiving_facility"))
                .col(string("certificate"))
                .col(json_binary("networks"))
                .col(uuid_null("assigned_to"))
                .col(string("document_type"))
                .col(big_integer("received_count"))
                .col(timestamp_with_time_zone_null("last_received_at"))
                .col(big_integer("refused_count"))
                .col(timestamp_with_time_zone("created_at"))
                .col(integer("version"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("interface_reception")
                .col(uuid("id").primary_key())
                .col(uuid("connection_id"))
                .col(uuid("organization_id"))
                .col(small_integer("kind"))
                .col(string("partner_key"))
                .col(string("content_hash"))
                .col(text("partner_id"))
                .col(text("content_type"))
                .col(text("recipients"))
                .col(uuid("blob_id"))
                .col(binary_null("sealed_content"))
                .col(big_integer("size_bytes"))
                .col(string("source_ip"))
                .col(timestamp_with_time_zone("received_at"))
                .col(uuid("workflow_id"))
                .col(uuid_null("message_id"))
                .col(timestamp_with_time_zone_null("finished_at"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("interface_refusal")
                .col(uuid("id").primary_key())
                .col(string("refusal_key").unique_key())
                .col(small_integer("kind"))
                .col(uuid_null("connection_id"))
                .col(string("source_ip"))
                .col(string("certificate"))
                .col(string("sending_application"))
                .col(string("sending_facility"))
                .col(string("receiving_facility"))
                .col(string("message_type"))
                .col(string("reason"))
                .col(big_integer("times"))
                .col(timestamp_with_time_zone("first_at"))
                .col(timestamp_with_time_zone("last_at"))
                .to_owned(),
        )
        .await?;
        let index = |name: &str, table: &'static str, columns: &[&'static str]| {
            let mut index = Index::create().name(name).table(table).to_owned();
            for column in columns {
                index.col(*column);
            }
            index
        };
        m.create_index(index(
            "ix_inbound_connection_sender",
            "inbound_connection",
            &["kind", "sending_facility_key"],
        ))
        .await?;
        let same =
            index("ux_interface_reception_key", "interface_reception", &["organization_id", "partner_key"]);
        m.create_index(same.clone().unique().to_owned()).await?;
        m.create_index(index("ix_interface_reception_partner", "interface_reception", &["partner_id"]))
            .await?;
        m.create_index(index("ix_interface_reception_blob", "interface_reception", &["blob_id"])).await?;
        m.create_index(index("ix_interface_reception_finished", "interface_reception", &["finished_at"]))
            .await?;
        m.create_index(index("ix_interface_refusal_last", "interface_refusal", &["last_at", "id"])).await
    }
}
