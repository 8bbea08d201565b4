//! Fax: accounts at providers and their numbers, limits, calls with their outcomes, and received faxes.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0020_fax"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        account(m).await?;
        number(m).await?;
        setting(m).await?;
        job(m).await?;
        attempt(m).await?;
        reception(m).await?;
        call(m).await?;
        indexes(m).await
    }
}

/// In SQL common to both databases, because the builder does not support `WHERE` on an index.
const INDEXES: &[&str] = &[
    "CREATE UNIQUE INDEX ix_fax_account_kind ON fax_account (organization_id, provider)",
    "CREATE UNIQUE INDEX ix_fax_account_callback ON fax_account (callback_hash)",
    "CREATE INDEX ix_fax_account_due ON fax_account (poll_at)",
    "CREATE INDEX ix_fax_number_account ON fax_number (account_id)",
    "CREATE INDEX ix_fax_job_message ON fax_job (message_id)",
    "CREATE INDEX ix_fax_job_blob ON fax_job (blob_id) WHERE blob_id IS NOT NULL",
    // The next fax on a line that becomes free.
    "CREATE INDEX ix_fax_job_waiting ON fax_job (document_source_id, waiting_since) WHERE waiting_since IS NOT NULL",
    // Numbers that were faxed before.
    "CREATE INDEX ix_delivery_fax ON delivery (organization_id, address_key) WHERE kind = 1",
    // The fax that is answered.
    "CREATE INDEX ix_fax_attempt_number ON fax_attempt (organization_id, to_number, started_at DESC)",
    "CREATE INDEX ix_fax_attempt_delivery ON fax_attempt (delivery_id, number)",
    "CREATE INDEX ix_fax_attempt_log ON fax_attempt (organization_id, started_at DESC, id DESC)",
    // Current calls of a line.
    "CREATE INDEX ix_fax_attempt_open ON fax_attempt (document_source_id) WHERE ended_at IS NULL",
    "CREATE UNIQUE INDEX ix_fax_reception_remote ON fax_reception (account_id, remote_id)",
    "CREATE INDEX ix_fax_reception_log ON fax_reception (organization_id, received_at DESC, id DESC)",
    "CREATE INDEX ix_fax_reception_message ON fax_reception (message_id) WHERE message_id IS NOT NULL",
    "CREATE INDEX ix_fax_reception_answers ON fax_reception (answers) WHERE answers IS NOT NULL",
    "CREATE INDEX ix_fax_reception_queue ON fax_reception (received_at) WHERE state = 'Unknown'",
    "CREATE INDEX ix_fax_reception_blob ON fax_reception (blob_id) WHERE blob_id IS NOT NULL",
    "CREATE INDEX ix_fax_call_open ON fax_call (organization_id, ends_at) WHERE taken_at IS NULL",
    "CREATE INDEX ix_fax_call_blob ON fax_call (blob_id) WHERE blob_id IS NOT NULL",
];

async fn indexes(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    for statement in INDEXES {
        m.get_connection().execute_unprepared(statement).await?;
    }
    Ok(())
}

fn of_organization(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create().from(table, "organization_id").to("organization", "id").to_owned()
}

async fn account(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("fax_account")
            .col(uuid("id").primary_key())
            .col(uuid("organization_id"))
            .col(string("provider"))
            .col(json_binary("settings"))
            .col(binary_null("sealed_secrets"))
            .col(binary("callback_hash"))
            .col(timestamp_with_time_zone("poll_at"))
            .col(timestamp_with_time_zone_null("polled_at"))
            .col(text_null("problem"))
            .col(timestamp_with_time_zone("created_at"))
            .col(timestamp_with_time_zone("modified_at"))
            .foreign_key(&mut of_organization("fax_account"))
            .to_owned(),
    )
    .await
}

async fn number(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("fax_number")
            .col(uuid("document_source_id").primary_key())
            .col(uuid("organization_id"))
            .col(uuid("account_id"))
            .col(json_binary("callers"))
            .col(json_binary("sender_ids"))
            .col(text_null("problem"))
            .foreign_key(
                ForeignKey::create().from("fax_number", "document_source_id").to("document_source", "id"),
            )
            .foreign_key(&mut of_organization("fax_number"))
            .foreign_key(ForeignKey::create().from("fax_number", "account_id").to("fax_account", "id"))
            .to_owned(),
    )
    .await
}

async fn setting(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("fax_setting")
            .col(uuid("organization_id").primary_key())
            .col(json_binary("value"))
            .col(timestamp_with_time_zone("modified_at"))
            .foreign_key(&mut of_organization("fax_setting"))
            .to_owned(),
    )
    .await
}

async fn job(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("fax_job")
            .col(uuid("delivery_id").primary_key())
            .col(uuid("organization_id"))
            .col(uuid("message_id"))
            .col(uuid("document_source_id"))
            .col(uuid("workflow_id"))
            .col(uuid_null("blob_id"))
            .col(integer("pages"))
            .col(integer("confirmed_pages"))
            .col(integer("dials"))
            .col(timestamp_with_time_zone_null("waiting_since"))
            .col(timestamp_with_time_zone_null("next_at"))
            .col(text_null("waits_for"))
            .foreign_key(ForeignKey::create().from("fax_job", "delivery_id").to("delivery", "id"))
            .foreign_key(&mut of_organization("fax_job"))
            .to_owned(),
    )
    .await
}

async fn attempt(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("fax_attempt")
            .col(uuid("id").primary_key())
            .col(uuid("organization_id"))
            .col(uuid("message_id"))
            .col(uuid("delivery_id"))
            .col(uuid("document_source_id"))
            .col(integer("number"))
            .col(string("provider"))
            .col(string("from_number"))
            .col(string("to_number"))
            .col(string_null("job"))
            .col(string("state"))
            .col(integer("first_page"))
            .col(integer("pages"))
            .col(integer_null("page"))
            .col(integer("confirmed_pages"))
            .col(string_null("outcome"))
            .col(text("words"))
            .col(string_null("line"))
            .col(integer_null("rate"))
            .col(integer_null("seconds"))
            .col(string_null("remote_id"))
            .col(text_null("log"))
            .col(timestamp_with_time_zone("started_at"))
            .col(timestamp_with_time_zone_null("submitted_at"))
            .col(timestamp_with_time_zone_null("ended_at"))
            .foreign_key(ForeignKey::create().from("fax_attempt", "delivery_id").to("delivery", "id"))
            .foreign_key(&mut of_organization("fax_attempt"))
            .to_owned(),
    )
    .await
}

async fn reception(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("fax_reception")
            .col(uuid("id").primary_key())
            .col(uuid("account_id"))
            .col(uuid("organization_id"))
            .col(string("remote_id"))
            .col(string("state"))
            .col(string_null("called"))
            .col(string_null("caller"))
            .col(string_null("caller_name"))
            .col(string_null("sender_id"))
            .col(integer_null("pages"))
            .col(string_null("resolution"))
            .col(integer_null("rate"))
            .col(integer_null("seconds"))
            .col(string_null("line"))
            .col(text_null("partial"))
            .col(uuid_null("blob_id"))
            .col(string_null("format"))
            .col(uuid_null("document_source_id"))
            .col(uuid_null("message_id"))
            .col(uuid_null("answers"))
            .col(uuid_null("decided_by"))
            .col(timestamp_with_time_zone_null("decided_at"))
            .col(timestamp_with_time_zone("received_at"))
            .foreign_key(&mut of_organization("fax_reception"))
            .to_owned(),
    )
    .await
}

/// Calls between numbers of this installation.
async fn call(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("fax_call")
            .col(uuid("key").primary_key())
            .col(uuid("organization_id"))
            .col(string("called"))
            .col(json_binary("value"))
            .col(boolean("is_withdrawn"))
            .col(uuid_null("blob_id"))
            .col(timestamp_with_time_zone("ends_at"))
            .col(timestamp_with_time_zone_null("taken_at"))
            .foreign_key(&mut of_organization("fax_call"))
            .to_owned(),
    )
    .await
}
