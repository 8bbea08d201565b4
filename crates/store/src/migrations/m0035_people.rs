//! Accounts managed by operators; descriptions of identities for the review of photo IDs; requests for a larger plan.

use crate::dialect::prefix_operators;
use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0035_people"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for (table, column) in [
            ("app_user", timestamp_with_time_zone_null("disabled_at")),
            ("app_user", timestamp_with_time_zone_null("deleted_at")),
            ("proofing_document", binary_null("sealed_reason")),
        ] {
            m.alter_table(Table::alter().table(table).add_column(column).to_owned()).await?;
        }
        m.create_table(
            Table::create()
                .table("proofing_identity")
                .col(uuid("organization_id").primary_key())
                .col(uuid("user_id"))
                .col(binary("sealed"))
                .col(timestamp_with_time_zone("created_at"))
                .foreign_key(
                    ForeignKey::create()
                        .from("proofing_identity", "organization_id")
                        .to("organization", "id"),
                )
                .foreign_key(ForeignKey::create().from("proofing_identity", "user_id").to("app_user", "id"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("upgrade_request")
                .col(uuid("organization_id").primary_key())
                .col(uuid("user_id"))
                .col(timestamp_with_time_zone("requested_at"))
                .foreign_key(
                    ForeignKey::create().from("upgrade_request", "organization_id").to("organization", "id"),
                )
                .foreign_key(ForeignKey::create().from("upgrade_request", "user_id").to("app_user", "id"))
                .to_owned(),
        )
        .await?;
        let operators = prefix_operators(m.get_database_backend());
        for index in [
            format!("CREATE INDEX ix_app_user_user_name_prefix ON app_user (user_name_key{operators})"),
            format!("CREATE INDEX ix_app_user_last_name_prefix ON app_user ((lower(last_name)){operators})"),
            format!("CREATE INDEX ix_app_user_first_name_prefix ON app_user ((lower(first_name)){operators})"),
            "CREATE INDEX ix_app_user_system ON app_user (user_name_key) WHERE system_role IS NOT NULL".into(),
            "CREATE INDEX ix_proofing_document_waiting ON proofing_document (uploaded_at) WHERE decision IS NULL"
                .into(),
            "CREATE INDEX ix_upgrade_request_requested_at ON upgrade_request (requested_at)".into(),
        ] {
            m.get_connection().execute_unprepared(&index).await?;
        }
        Ok(())
    }
}
