//! Onboarding and end of an organization: terms, identity proofing, subscription.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0008_onboarding"
    }
}

/// In SQL common to both databases, because the builder does not support `WHERE` on an index.
const INDEXES: &[&str] = &[
    "CREATE UNIQUE INDEX ix_terms_version ON terms (scope, version)",
    // One version at a time has to be accepted.
    "CREATE UNIQUE INDEX ix_terms_active ON terms (scope) WHERE is_active",
    "CREATE UNIQUE INDEX ix_terms_acceptance ON terms_acceptance (organization_id, terms_id, user_id)",
    "CREATE INDEX ix_proofing_quiz ON proofing_quiz (organization_id, issued_at)",
    "CREATE INDEX ix_proofing_quiz_kept ON proofing_quiz (issued_at) WHERE sealed IS NOT NULL",
    "CREATE INDEX ix_proofing_document ON proofing_document (organization_id, uploaded_at)",
    "CREATE INDEX ix_proofing_document_user ON proofing_document (user_id, uploaded_at)",
    "CREATE INDEX ix_proofing_document_blob ON proofing_document (blob_id)",
    // Two people of an organization may upload simultaneously; only one document waits for review.
    "CREATE UNIQUE INDEX ix_proofing_document_pending ON proofing_document (organization_id) WHERE decision IS NULL",
    "CREATE INDEX ix_organization_grace ON organization (grace_until) WHERE is_pending_cancellation",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        terms(m).await?;
        proofing(m).await?;
        subscription(m).await?;
        for statement in INDEXES {
            m.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}

async fn terms(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("terms")
            .col(uuid("id").primary_key())
            .col(string("scope"))
            .col(string("version"))
            .col(text("html"))
            .col(boolean("is_active"))
            .col(timestamp_with_time_zone("created_at"))
            .to_owned(),
    )
    .await?;
    m.create_table(
        Table::create()
            .table("terms_acceptance")
            .col(uuid("id").primary_key())
            .col(uuid("terms_id"))
            .col(uuid("organization_id"))
            .col(uuid("user_id"))
            .col(timestamp_with_time_zone("accepted_at"))
            .col(string("source_ip"))
            .foreign_key(ForeignKey::create().from("terms_acceptance", "terms_id").to("terms", "id"))
            .foreign_key(
                ForeignKey::create().from("terms_acceptance", "organization_id").to("organization", "id"),
            )
            .foreign_key(ForeignKey::create().from("terms_acceptance", "user_id").to("app_user", "id"))
            .to_owned(),
    )
    .await?;
    m.create_table(
        Table::create()
            .table("dismissed_notice")
            .col(uuid("user_id"))
            .col(string("notice"))
            .primary_key(Index::create().col("user_id").col("notice"))
            .foreign_key(ForeignKey::create().from("dismissed_notice", "user_id").to("app_user", "id"))
            .to_owned(),
    )
    .await
}

async fn proofing(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("proofing_quiz")
            .col(uuid("id").primary_key())
            .col(uuid("organization_id"))
            .col(uuid("user_id"))
            .col(timestamp_with_time_zone("issued_at"))
            .col(timestamp_with_time_zone("expires_at"))
            .col(timestamp_with_time_zone_null("answered_at"))
            .col(string_null("outcome"))
            .col(boolean("counts"))
            .col(binary_null("sealed"))
            .foreign_key(
                ForeignKey::create().from("proofing_quiz", "organization_id").to("organization", "id"),
            )
            .foreign_key(ForeignKey::create().from("proofing_quiz", "user_id").to("app_user", "id"))
            .to_owned(),
    )
    .await?;
    m.create_table(
        Table::create()
            .table("proofing_document")
            .col(uuid("id").primary_key())
            .col(uuid("organization_id"))
            .col(uuid("user_id"))
            .col(uuid_null("blob_id"))
            .col(binary("sealed_name"))
            .col(string("mime_type"))
            .col(big_integer("size_bytes"))
            .col(timestamp_with_time_zone("uploaded_at"))
            .col(string_null("decision"))
            .col(timestamp_with_time_zone_null("decided_at"))
            .col(uuid_null("decided_by"))
            .foreign_key(
                ForeignKey::create().from("proofing_document", "organization_id").to("organization", "id"),
            )
            .foreign_key(ForeignKey::create().from("proofing_document", "user_id").to("app_user", "id"))
            .to_owned(),
    )
    .await
}

async fn subscription(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    m.create_table(
        Table::create()
            .table("subscription")
            .col(uuid("id").primary_key())
            .col(uuid("organization_id").unique_key())
            .col(uuid_null("plan_id"))
            .col(string("status"))
            .col(binary_null("sealed_cancel_reason"))
            .col(timestamp_with_time_zone("started_at"))
            .col(timestamp_with_time_zone_null("cancelled_at"))
            .col(timestamp_with_time_zone_null("ends_at"))
            .foreign_key(
                ForeignKey::create().from("subscription", "organization_id").to("organization", "id"),
            )
            .foreign_key(ForeignKey::create().from("subscription", "plan_id").to("plan", "id"))
            .to_owned(),
    )
    .await
}
