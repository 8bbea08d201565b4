//! Patients, visits and orders that an EHR reports by HL7 v2.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0196_feeds"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for table in [patients(), visits(), orders()] {
            m.create_table(table).await?;
        }
        for (name, table, columns, is_unique) in [
            ("ux_feed_patient_key", "feed_patient", ["organization_id", "key"].as_slice(), true),
            ("ix_feed_patient_number", "feed_patient", &["organization_id", "number_token"], false),
            ("ix_feed_patient_heard_at", "feed_patient", &["organization_id", "heard_at"], false),
            ("ix_feed_patient_source", "feed_patient", &["source_id"], false),
            ("ix_feed_patient_merged_into", "feed_patient", &["merged_into"], false),
            ("ux_feed_visit_key", "feed_visit", &["feed_patient_id", "key"], true),
            ("ux_feed_visit_appointment", "feed_visit", &["feed_patient_id", "appointment_key"], true),
            ("ix_feed_visit_listed_at", "feed_visit", &["feed_patient_id", "listed_at"], false),
            ("ux_feed_order_key", "feed_order", &["feed_patient_id", "key"], true),
            ("ix_feed_order_listed_at", "feed_order", &["feed_patient_id", "listed_at"], false),
        ] {
            let mut index = Index::create().name(name).table(table).to_owned();
            columns.iter().for_each(|column| {
                index.col(*column);
            });
            if is_unique {
                index.unique();
            }
            m.create_index(index).await?;
        }
        Ok(())
    }
}

fn of_organization(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, "organization_id")
        .to("organization", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}

fn of_patient(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, "feed_patient_id")
        .to("feed_patient", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}

fn patients() -> TableCreateStatement {
    Table::create()
        .table("feed_patient")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(binary("key"))
        .col(binary("number_token"))
        .col(uuid_null("source_id"))
        .col(timestamp_with_time_zone_null("told_at"))
        .col(uuid("told_in"))
        .col(timestamp_with_time_zone_null("person_since"))
        .col(boolean("is_deceased"))
        .col(uuid_null("merged_into"))
        .col(timestamp_with_time_zone_null("merged_at"))
        .col(boolean("is_settled"))
        .col(binary("sealed_details"))
        .col(timestamp_with_time_zone("heard_at"))
        .foreign_key(&mut of_organization("feed_patient"))
        .to_owned()
}

fn visits() -> TableCreateStatement {
    Table::create()
        .table("feed_visit")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("feed_patient_id"))
        .col(binary_null("key"))
        .col(binary_null("appointment_key"))
        .col(timestamp_with_time_zone("listed_at"))
        .col(text("state"))
        .col(timestamp_with_time_zone_null("state_at"))
        .col(uuid("state_in"))
        .col(timestamp_with_time_zone("told_at"))
        .col(uuid("told_in"))
        .col(binary("sealed_details"))
        .foreign_key(&mut of_organization("feed_visit"))
        .foreign_key(&mut of_patient("feed_visit"))
        .to_owned()
}

fn orders() -> TableCreateStatement {
    Table::create()
        .table("feed_order")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("feed_patient_id"))
        .col(binary("key"))
        .col(binary_null("visit_key"))
        .col(timestamp_with_time_zone("listed_at"))
        .col(text("state"))
        .col(timestamp_with_time_zone_null("state_at"))
        .col(uuid("state_in"))
        .col(timestamp_with_time_zone("told_at"))
        .col(uuid("told_in"))
        .col(binary("sealed_details"))
        .foreign_key(&mut of_organization("feed_order"))
        .foreign_key(&mut of_patient("feed_order"))
        .to_owned()
}
