//! Entries of organizations in the directory of the Carequality network.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0023_carequality_entries"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("carequality_entry")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(string("responder_type"))
                .col(string("oid"))
                .col(string("home_community_id"))
                .col(string("display_name"))
                .col(string("legal_name"))
                .col(json_binary("other_names"))
                .col(string("parent_oid"))
                .col(json_binary("purpose_of_use_codes"))
                .col(string("street"))
                .col(string("city"))
                .col(string("state"))
                .col(string("zip"))
                .col(string("country"))
                .col(boolean("is_active"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone("modified_at"))
                .foreign_key(
                    ForeignKey::create()
                        .from("carequality_entry", "organization_id")
                        .to("organization", "id"),
                )
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create()
                .name("ux_carequality_entry_organization_id_oid")
                .table("carequality_entry")
                .col("organization_id")
                .col("oid")
                .unique()
                .to_owned(),
        )
        .await
    }
}
