//! Requests and answers of the API.

use super::format;
use chrono::{DateTime, Utc};
use platform::text::{EmailAddress, Line, RequiredLine, Rule};
use serde::{Deserialize, Serialize};
use store::entities::licence;
use utoipa::ToSchema;
use uuid::Uuid;

platform::text! {
    /// Reference of a request for licences.
    pub LicenceReference = Rule::line(1, 64).says("Please enter a reference of 1 to 64 characters.");
    /// The fingerprint of a connector, or empty.
    pub ConnectorFingerprint = Rule::line(0, 95).pattern("(?:[0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}")
        .says("Please enter the fingerprint as the connector shows it: 64 hexadecimal digits.");
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LicenceIssueForm {
    /// Request for licences.
    pub name: RequiredLine,
    pub email: EmailAddress,
    #[serde(rename = "internalproductname")]
    pub product: RequiredLine,
    /// From 1 to 500.
    #[schema(minimum = 1, maximum = 500)]
    pub quantity: i64,
    /// From 1 to 3,650.
    #[serde(rename = "expiresindays")]
    #[schema(minimum = 1, maximum = 3_650)]
    pub expires_in_days: i64,
    /// The organization.
    pub company: Uuid,
    /// Whether the licences are for the organization's plan, not for an application.
    #[serde(default)]
    pub licensed_plan: bool,
    /// Required unless `licensedPlan` is set.
    #[serde(rename = "applicationname")]
    pub application_name: Option<Line>,
    /// One of the application's types; any with `licensedPlan`.
    pub license_type: Option<Line>,
    /// Licences are issued once per reference.
    pub reference: LicenceReference,
    /// The fingerprint of the only connector that may use the licence; without it, any may.
    pub connector_id: Option<ConnectorFingerprint>,
    pub connector_name: Option<Line>,
}

/// An issued licence.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct License {
    pub id: Uuid,
    pub license_key: String,
    pub license_type: String,
    pub organization: String,
    /// The fingerprint of the only connector that may use it; empty for any.
    pub connector_id: String,
    pub connector_name: String,
    pub issued_date: DateTime<Utc>,
    pub expiration_date: DateTime<Utc>,
}

impl From<licence::Model> for License {
    fn from(row: licence::Model) -> Self {
        Self {
            id: row.id,
            license_key: row.licence_key,
            license_type: row.licence_type,
            organization: row.organization_name,
            connector_id: row.connector_id,
            connector_name: row.connector_name,
            issued_date: row.issued_at,
            expiration_date: row.expires_at,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct LicenseList {
    pub items: Vec<License>,
    /// Exact up to 10,000.
    pub count: u64,
}

/// OData query options (OData 4.01 part 2, section 5.1).
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LicenseQuery {
    /// At most 100; 20 by default.
    #[serde(rename = "$top")]
    pub top: Option<u64>,
    #[serde(rename = "$skip")]
    pub skip: Option<u64>,
    /// A field, and `asc` or `desc`. Newest first by default.
    #[serde(rename = "$orderby")]
    pub orderby: Option<String>,
    /// Comparisons joined by `and`, such as `ExpirationDate ge 2026-11-25T00:00:00Z and
    /// contains(Organization,'lark')`.
    #[serde(rename = "$filter")]
    pub filter: Option<String>,
}

/// An application that can be licensed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LicensedApp {
    pub name: String,
    /// Its licence types, chosen by operators.
    pub license_types: Vec<String>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AppQuery {
    /// At most 5,000; 100 by default.
    pub size: Option<u64>,
}

impl LicenceIssueForm {
    /// The value in the licence and the database.
    pub fn fingerprint(&self) -> Option<String> {
        self.connector_id.as_deref().map(format::plain).filter(|text| !text.is_empty())
    }
}
