//! The patient index: patients, sources, tokens, and decisions. It is filled gradually from the existing messages.
//! It is filled from the messages that exist, piece by piece.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0180_patients"
    }
}

/// Starts with the newest message, not claimed by a node yet.
const BACKFILL: &str =
    r#"INSERT INTO installation (name, value) VALUES ('patient_backfill', '{"behind":null,"until":null}')"#;
/// Undecided pairs are listed by likelihood.
const OPEN_PAIRS: &str =
    "CREATE INDEX ix_patient_pair_open ON patient_pair (organization_id, percent, one) WHERE state = 'Open'";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for old in ["patient_mention", "patient_token"] {
            m.drop_table(Table::drop().table(old).to_owned()).await?;
        }
        patients(m).await?;
        decisions(m).await?;
        for statement in [OPEN_PAIRS, BACKFILL] {
            m.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}

async fn patients(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    let patient = Table::create()
        .table("patient")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid_null("merged_into"))
        .col(binary_null("sealed_face"))
        .col(timestamp_with_time_zone("seen_at"))
        .col(integer("version"))
        .to_owned();
    let source = Table::create()
        .table("patient_source")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("patient_id"))
        .col(text("kind"))
        .col(text("link"))
        .col(uuid_null("message_id"))
        .col(uuid_null("user_id"))
        .col(timestamp_with_time_zone("said_at"))
        .col(small_integer_null("percent"))
        .col(binary("sealed_said"))
        .to_owned();
    let token = Table::create()
        .table("patient_token")
        .col(uuid("organization_id"))
        .col(binary("token"))
        .col(uuid("patient_id"))
        .primary_key(Index::create().col("organization_id").col("token").col("patient_id"))
        .to_owned();
    for table in [patient, source, token] {
        m.create_table(table).await?;
    }
    let of_organization = index("ix_patient_organization_id", "patient", &["organization_id", "id"]);
    let of_survivor = index("ix_patient_merged_into", "patient", &["merged_into"]);
    let of_patient = index("ix_patient_source_patient_id", "patient_source", &["patient_id", "said_at"]);
    let of_message =
        index("ix_patient_source_message_id", "patient_source", &["message_id"]).unique().to_owned();
    let tokens = index("ix_patient_token_patient_id", "patient_token", &["patient_id"]);
    for index in [of_organization, of_survivor, of_patient, of_message, tokens] {
        m.create_index(index).await?;
    }
    Ok(())
}

async fn decisions(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    let pair = Table::create()
        .table("patient_pair")
        .col(uuid("organization_id"))
        .col(uuid("one"))
        .col(uuid("other"))
        .col(text("state"))
        .col(small_integer("percent"))
        .col(timestamp_with_time_zone("found_at"))
        .primary_key(Index::create().col("organization_id").col("one").col("other"))
        .to_owned();
    let event = Table::create()
        .table("patient_event")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("patient_id"))
        .col(uuid_null("other_id"))
        .col(text("kind"))
        .col(json_binary("sources"))
        .col(uuid("user_id"))
        .col(timestamp_with_time_zone("at"))
        .col(timestamp_with_time_zone_null("undone_at"))
        .col(uuid_null("undone_by"))
        .to_owned();
    m.create_table(pair).await?;
    m.create_table(event).await?;
    for index in [
        index("ix_patient_pair_other", "patient_pair", &["organization_id", "other"]),
        index("ix_patient_event_patient_id", "patient_event", &["patient_id", "at"]),
        index("ix_patient_event_other_id", "patient_event", &["other_id", "at"]),
    ] {
        m.create_index(index).await?;
    }
    Ok(())
}

fn index(name: &'static str, table: &'static str, columns: &[&'static str]) -> IndexCreateStatement {
    let mut index = Index::create().name(name).table(table).to_owned();
    for column in columns {
        index.col(*column);
    }
    index
}
