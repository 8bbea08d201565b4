//! An entry of the integrations whitelist: an organization that may connect outside systems in one way.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An entry of the integrations whitelist: an organization that may connect outside systems in one way.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "integration_grant")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub integration: Integration,
    /// The organization; the nil id for all of them.
    pub scope: Uuid,
    pub name: String,
    pub name_key: String,
    pub created_by: String,
    pub created_at: DateTimeUtc,
    pub version: i32,
}

/// Kind of connection of outside systems.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
#[schema(as = IntegrationId)]
pub enum Integration {
    /// Systems that call the API.
    ServiceAccounts,
    /// Systems called for events.
    Webhooks,
    /// Sign-in providers.
    SingleSignOn,
    /// Fax services.
    FaxAccounts,
    /// EHRs with FHIR R4.
    Fhir,
    /// EHRs with HL7 v2.
    Hl7,
    /// Systems that get documents over https.
    WebService,
}

impl Integration {
    pub const ALL: [Self; 7] = [
        Self::ServiceAccounts,
        Self::Webhooks,
        Self::SingleSignOn,
        Self::FaxAccounts,
        Self::Fhir,
        Self::Hl7,
        Self::WebService,
    ];
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
