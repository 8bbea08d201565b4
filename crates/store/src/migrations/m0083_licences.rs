//! Licences for connectors, their signing key, and the applications and types to license.

use sea_orm::entity::prelude::Uuid;
use sea_orm_migration::{prelude::*, schema::*};

const CHOICES: [(&str, &str); 4] = [
    ("application", "Carepost Connector"),
    ("application", "Carepost Print Driver"),
    ("licence_type", "Standard"),
    ("licence_type", "Trial"),
];

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0083_licences"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("licence_key")
                .col(integer("number").primary_key())
                .col(binary("public_key"))
                .col(binary("sealed_key"))
                .col(timestamp_with_time_zone("created_at"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("licence")
                .col(uuid("id").primary_key())
                .col(text("licence_key"))
                .col(string("licence_type"))
                .col(string("product"))
                .col(string("application_name"))
                .col(boolean("is_licensed_plan"))
                .col(uuid("organization_id"))
                .col(string("organization_name"))
                .col(string("contact_name"))
                .col(string("contact_email"))
                .col(string("reference"))
                .col(integer("number"))
                .col(string("connector_id"))
                .col(string("connector_name"))
                .col(string("issued_by"))
                .col(timestamp_with_time_zone("issued_at"))
                .col(timestamp_with_time_zone("expires_at"))
                .to_owned(),
        )
        .await?;
        for (name, columns, is_unique) in [
            ("ux_licence_reference", ["reference", "number"], true),
            ("ix_licence_issued_at", ["issued_at", "id"], false),
            ("ix_licence_expires_at", ["expires_at", "id"], false),
        ] {
            let mut index = Index::create().name(name).table("licence").to_owned();
            for column in columns {
                index.col(column);
            }
            if is_unique {
                index.unique();
            }
            m.create_index(index).await?;
        }
        let mut insert = Query::insert()
            .into_table("reference_item")
            .columns(["id", "kind", "code", "name", "name_key", "position"])
            .to_owned();
        for (position, (kind, name)) in (1_i32..).zip(CHOICES) {
            insert.values_panic([
                Uuid::now_v7().into(),
                kind.into(),
                "".into(),
                name.into(),
                name.to_lowercase().into(),
                position.into(),
            ]);
        }
        m.execute(insert).await
    }
}
