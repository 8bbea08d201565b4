//! Requests and answers of [`super::http`].

use super::rules::{ContactName, OrganizationName, Street, SubDomain};
use chrono::{DateTime, Utc};
use platform::{
    http::Items,
    text::{EmailAddress, Line, Npi, PhoneNumber, RequiredLine, RequiredPostalCode, SearchWords},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Clone, Copy, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SortDirection {
    #[default]
    Asc,
    Desc,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OrganizationQuery {
    /// Only cancelled organizations and those with a pending cancellation.
    pub cancelling: Option<bool>,
    /// Beginning of the name.
    pub search: Option<SearchWords>,
    #[param(inline)]
    pub sort_dir: Option<SortDirection>,
    pub page_number: Option<u64>,
    /// 10, 20, 25, 50 or 100
    pub page_size: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationRow {
    pub id: Uuid,
    /// The id as text.
    pub org_id: String,
    pub name: String,
    pub network_name: Option<String>,
    pub sub_domain: String,
    pub reseller_name: Option<String>,
    pub tier_code: String,
    pub is_activated: bool,
    /// Whether its users can sign in.
    pub is_enabled: bool,
    pub login_type: String,
    pub api_capture: bool,
    pub is_pending_cancellation: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ActivationStatus {
    Activated,
    NotActivated,
}

/// Changes of an organization. Missing fields are empty; missing lists stay as they are.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationForm {
    pub name: OrganizationName,
    pub sub_domain: SubDomain,
    pub brand_id: Uuid,
    pub organization_type_id: Uuid,
    pub organization_specialty_id: Uuid,
    #[serde(default)]
    pub organization_npi: Npi,
    #[serde(default)]
    pub organization_emr: Line,
    /// Preferred name of its group; empty for none.
    #[serde(default)]
    pub preferred_group_name: Line,
    pub reseller_id: Option<Uuid>,
    /// Null for the Free plan.
    pub plan_id: Option<Uuid>,
    pub activation_status: ActivationStatus,
    pub street: Street,
    #[serde(default)]
    pub unit: Line,
    pub city: RequiredLine,
    pub state: RequiredLine,
    pub zip: RequiredPostalCode,
    #[serde(default)]
    pub primary_phone: PhoneNumber,
    #[serde(default)]
    pub primary_fax: PhoneNumber,
    pub hisp_provider_id: Uuid,
    pub primary_contact_first_name: ContactName,
    pub primary_contact_last_name: ContactName,
    pub primary_contact_email: EmailAddress,
    #[serde(default)]
    pub primary_contact_title: Line,
    #[serde(default)]
    pub primary_contact_npi: Npi,
    #[serde(default)]
    pub phone: PhoneNumber,
    pub network_db_id: Option<Uuid>,
    pub enabled_features: Option<Vec<String>>,
    pub allowed_purpose_of_use_codes: Option<Vec<String>>,
    /// The version that was read; not needed when creating.
    pub version: Option<i32>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    pub id: Uuid,
    pub name: String,
    pub sub_domain: String,
    pub brand_id: Uuid,
    pub organization_type_id: Option<Uuid>,
    pub organization_specialty_id: Option<Uuid>,
    pub organization_npi: String,
    pub organization_emr: String,
    pub preferred_group_name: String,
    pub reseller_id: Option<Uuid>,
    /// Null for the Free plan.
    pub plan_id: Option<Uuid>,
    pub number_of_users: u64,
    pub activation_status: ActivationStatus,
    pub street: String,
    pub unit: String,
    pub city: String,
    pub state: String,
    pub zip: String,
    pub primary_phone: String,
    pub primary_fax: String,
    pub hisp_provider_id: Option<Uuid>,
    pub primary_contact_first_name: String,
    pub primary_contact_last_name: String,
    pub primary_contact_email: String,
    pub primary_contact_title: String,
    pub primary_contact_npi: String,
    pub phone: String,
    pub network_db_id: Option<Uuid>,
    pub enabled_features: Vec<String>,
    pub allowed_purpose_of_use_codes: Vec<String>,
    /// Whether its users can sign in.
    pub is_enabled: bool,
    pub created_by: String,
    pub create_date: DateTime<Utc>,
    pub modified_by: String,
    pub modified_date: DateTime<Utc>,
    /// Send it back when saving.
    pub version: i32,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssignableOrganization {
    pub id: Uuid,
    pub name: String,
    pub sub_domain: String,
}

/// An organization, or one to which a user can be assigned.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum OrganizationAnswer {
    Organization(Box<Organization>),
    Assignable(Items<AssignableOrganization>),
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AssignableQuery {
    /// Beginning of the name of an assignable organization; used with a user's id.
    pub search: Option<SearchWords>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActivationRequest {
    /// If given, the same as in the path.
    pub id: Option<Uuid>,
    pub activated: bool,
    #[serde(default)]
    pub send_email: bool,
    /// Creates the default address for records.
    #[serde(default = "yes")]
    pub seed_records: bool,
}

#[derive(Deserialize, ToSchema)]
pub struct EnableRequest {
    pub enable: bool,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct SubDomainExistsQuery {
    /// The organization whose present subdomain is allowed.
    pub id: Option<Uuid>,
    #[serde(rename = "subdomain")]
    pub sub_domain: String,
}

#[derive(Serialize, ToSchema)]
pub struct SubDomainExists {
    pub exists: bool,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct SubDomainValidQuery {
    /// The organization whose present subdomain is allowed.
    pub organization_id: Option<Uuid>,
    #[serde(rename = "subdomain")]
    pub sub_domain: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubDomainValid {
    pub is_valid: bool,
    /// Error to show if it is not.
    pub message: Option<&'static str>,
}

fn yes() -> bool {
    true
}
