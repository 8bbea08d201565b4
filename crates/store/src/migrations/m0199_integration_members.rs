//! EHRs with HL7 v2 and web services beside those with FHIR; people and groups of EHRs.

use sea_orm::entity::prelude::Uuid;
use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0199_integration_members"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let secret = Table::alter().table("integration").add_column(binary_null("sealed_secret")).to_owned();
        m.alter_table(secret).await?;
        // All earlier ones were filed over FHIR.
        let kind = Table::alter()
            .table("chart_filing")
            .add_column(string("integration_kind").default("Fhir"))
            .to_owned();
        m.alter_table(kind).await?;
        m.create_table(mappings()).await?;
        let of_connection = Index::create()
            .name("ux_integration_mapping")
            .table("integration_mapping")
            .col("integration_id")
            .col("kind")
            .col("external_id")
            .col("user_id")
            .unique()
            .to_owned();
        m.create_index(of_connection).await?;
        let of_user = Index::create()
            .name("ix_integration_mapping_user")
            .table("integration_mapping")
            .col("user_id")
            .col("organization_id")
            .to_owned();
        m.create_index(of_user).await?;
        let failing = Index::create()
            .name("ix_integration_failing")
            .table("integration")
            .col("failing_since")
            .col("id")
            .to_owned();
        m.create_index(failing).await?;
        for integration in ["Hl7", "WebService"] {
            m.execute(grant_to_all(integration)).await?;
        }
        Ok(())
    }
}

fn mappings() -> TableCreateStatement {
    let of = |column: &'static str, table: &'static str| {
        ForeignKey::create()
            .from("integration_mapping", column)
            .to(table, "id")
            .on_delete(ForeignKeyAction::Cascade)
            .to_owned()
    };
    Table::create()
        .table("integration_mapping")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("integration_id"))
        .col(string("kind"))
        .col(string("external_id"))
        .col(string("external_name"))
        .col(uuid("user_id"))
        .foreign_key(&mut of("organization_id", "organization"))
        .foreign_key(&mut of("integration_id", "integration"))
        .foreign_key(&mut of("user_id", "app_user"))
        .to_owned()
}

/// Every organization may connect such systems, until operators decide otherwise.
fn grant_to_all(integration: &str) -> InsertStatement {
    let columns = ["id", "integration", "scope", "name", "name_key", "created_by", "created_at", "version"];
    Query::insert()
        .into_table("integration_grant")
        .columns(columns)
        .values_panic([
            Uuid::now_v7().into(),
            integration.into(),
            Uuid::nil().into(),
            "All organizations".into(),
            "all organizations".into(),
            "System".into(),
            crate::Clock::system().now().into(),
            1.into(),
        ])
        .to_owned()
}
