//! Additional object identifiers of organizations for queries in the Carequality network, public health emergencies,
//! and an index for counting the acceptances of a version of the terms.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0034_console"
    }
}

const INDEXES: [&str; 3] = [
    "CREATE UNIQUE INDEX ux_alternate_oid_value ON alternate_oid (organization_id, value)",
    "CREATE UNIQUE INDEX ux_alternate_oid_default ON alternate_oid (organization_id) WHERE is_default",
    "CREATE INDEX ix_terms_acceptance_terms ON terms_acceptance (terms_id, user_id)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("alternate_oid")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(string("value"))
                .col(boolean("is_default"))
                .col(integer("version"))
                .foreign_key(
                    ForeignKey::create().from("alternate_oid", "organization_id").to("organization", "id"),
                )
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("emergency")
                .col(uuid("id").primary_key())
                .col(text("name"))
                .col(date_null("disabled_on"))
                .col(json_binary("organizations"))
                .col(integer("version"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("emergency_organization")
                .col(uuid("id").primary_key())
                .col(string("oid").unique_key())
                .col(string("name"))
                .col(integer("version"))
                .to_owned(),
        )
        .await?;
        for statement in INDEXES {
            m.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
