//! Connections to EHRs, people's sign-ins there, and documents filed into charts.

use sea_orm::entity::prelude::Uuid;
use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0195_integrations"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(connections()).await?;
        m.create_table(logins()).await?;
        m.create_table(filings()).await?;
        for (name, table, columns, is_unique) in [
            ("ux_integration_name", "integration", ["organization_id", "name"].as_slice(), true),
            ("ux_integration_login_state", "integration_login", &["state_hash"], true),
            ("ix_integration_login_user", "integration_login", &["integration_id", "user_id"], false),
            ("ix_integration_login_end", "integration_login", &["ends_at"], false),
            ("ix_chart_filing_message", "chart_filing", &["message_id", "id"], false),
            ("ix_chart_filing_state", "chart_filing", &["integration_id", "state", "filed_at"], false),
            ("ix_chart_filing_attachment", "chart_filing", &["attachment_id"], false),
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
        m.execute(grant_to_all()).await
    }
}

fn of_organization(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, "organization_id")
        .to("organization", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}

fn of_connection(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, "integration_id")
        .to("integration", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}

fn connections() -> TableCreateStatement {
    Table::create()
        .table("integration")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(string("kind"))
        .col(string("name"))
        .col(boolean("is_enabled"))
        .col(json_binary("settings"))
        .col(binary("sealed_key"))
        .col(string("key_id"))
        .col(timestamp_with_time_zone("key_made_at"))
        .col(binary_null("sealed_former_key"))
        .col(json_binary_null("offers"))
        .col(timestamp_with_time_zone_null("answered_at"))
        .col(integer_null("answer_milliseconds"))
        .col(timestamp_with_time_zone_null("failing_since"))
        .col(integer("failures"))
        .col(text("problem"))
        .col(text("remedy"))
        .col(timestamp_with_time_zone_null("retry_at"))
        .col(integer("cache_epoch"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("modified_at"))
        .col(integer("version"))
        .foreign_key(&mut of_organization("integration"))
        .to_owned()
}

fn logins() -> TableCreateStatement {
    Table::create()
        .table("integration_login")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("integration_id"))
        .col(uuid("user_id"))
        .col(binary_null("state_hash"))
        .col(binary_null("sealed_verifier"))
        .col(binary_null("sealed_tokens"))
        .col(string("state"))
        .col(timestamp_with_time_zone("ends_at"))
        .col(timestamp_with_time_zone("created_at"))
        .foreign_key(&mut of_organization("integration_login"))
        .foreign_key(&mut of_connection("integration_login"))
        .to_owned()
}

fn filings() -> TableCreateStatement {
    Table::create()
        .table("chart_filing")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("message_id"))
        .col(uuid("attachment_id"))
        .col(uuid("integration_id"))
        .col(string("state"))
        .col(binary("sealed_chosen"))
        .col(string_null("chart_document_id"))
        .col(timestamp_with_time_zone_null("filed_at"))
        .col(uuid("user_id"))
        .col(text("problem"))
        .col(uuid_null("withdrawn_by"))
        .col(timestamp_with_time_zone_null("withdrawn_at"))
        .col(timestamp_with_time_zone("created_at"))
        .foreign_key(
            ForeignKey::create()
                .from("chart_filing", "message_id")
                .to("message", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .foreign_key(&mut of_organization("chart_filing"))
        .to_owned()
}

/// Every organization may connect its EHR, until operators decide otherwise.
fn grant_to_all() -> InsertStatement {
    let columns = ["id", "integration", "scope", "name", "name_key", "created_by", "created_at", "version"];
    Query::insert()
        .into_table("integration_grant")
        .columns(columns)
        .values_panic([
            Uuid::now_v7().into(),
            "Fhir".into(),
            Uuid::nil().into(),
            "All organizations".into(),
            "all organizations".into(),
            "System".into(),
            crate::Clock::system().now().into(),
            1.into(),
        ])
        .to_owned()
}
