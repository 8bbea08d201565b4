//! Requests and answers of [`super::http`].

use chrono::{DateTime, Utc};
use platform::{
    Result,
    http::{DayOrMoment, Page},
    text::SearchWords,
};
use serde::{Deserialize, Serialize};
use store::entities::{
    membership, organization,
    signature::{Confirmation, SignatureState},
};
use store::permissions::{PermissionChanges, Permissions};
use utoipa::ToSchema;
use uuid::Uuid;

/// A member's role and permissions in an organization. Absent values stay the same.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UserOrganizationForm {
    pub role: Option<RoleName>,
    pub job_function_id: Option<Uuid>,
    pub permissions: PermissionChanges,
}

/// A member's role in the organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum RoleName {
    User,
    Administrator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum UserStatus {
    Active,
    /// Has neither chosen a password nor signed in by the organization's provider.
    Invited,
    Disabled,
}

/// Unsupported filters, such as removed users or those of a network, are refused.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UserQuery {
    /// Words, each of which is contained in the user name or a name.
    pub search: Option<SearchWords>,
    #[param(inline)]
    pub role_name: Option<RoleName>,
    #[param(inline)]
    pub status: Option<UserStatus>,
    pub page: Option<u64>,
    /// At most 100
    #[serde(alias = "size")]
    pub page_size: Option<u64>,
    /// JSON: `{"by":"name","dir":"asc"}`; `by` is name, userName or roleName.
    pub sort: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserRow {
    pub id: Uuid,
    pub user_name: String,
    pub first_name: String,
    pub last_name: String,
    pub role_name: RoleName,
    pub primary_job_function: String,
    pub status: UserStatus,
    pub is_disabled: bool,
    pub is_org_admin: bool,
    /// Whether a second step is set up.
    pub two_factor_enabled: bool,
    /// Time of the user's last sign-in to this organization.
    pub last_sign_in_date: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserPage {
    pub items: Vec<UserRow>,
    /// Exact up to 10,000.
    pub total_count: u64,
    /// There are more than `total_count`.
    pub total_is_capped: bool,
    /// Number of users allowed by the present plan; -1 for no limit.
    pub allowed_users: i32,
    /// Number of users who take a place of the plan: all who are not disabled.
    pub number_of_users: u64,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserOrganization {
    pub id: Uuid,
    pub name: String,
    pub role: RoleName,
    pub primary_job_function: String,
    pub permissions: Permissions,
}

impl UserOrganization {
    pub fn of(organization: organization::Model, place: membership::Model) -> Self {
        Self {
            id: organization.id,
            name: organization.name,
            role: RoleName::of(&place.role),
            primary_job_function: place.job_function,
            permissions: place.permissions,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    #[serde(flatten)]
    pub row: UserRow,
    pub email: String,
    pub phone_number: String,
    /// Id of the job, if it is in the list.
    pub job_function_id: Option<Uuid>,
    pub disabled_date_time: Option<DateTime<Utc>>,
    pub create_date: DateTime<Utc>,
    /// The account is temporarily locked after wrong passwords.
    pub is_locked: bool,
    /// Whether names and number can be changed here, not only by the user.
    pub can_change_person: bool,
    /// Whether the user name can be changed.
    pub can_change_user_name: bool,
    pub permissions: Permissions,
    /// The organization of these details.
    pub organizations: Vec<UserOrganization>,
    /// Send it back when saving.
    pub version: i32,
}

/// Changes of a member. Missing fields are empty, a missing job or permission stays the same.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UserForm {
    /// An e-mail address, to which the invitation is sent.
    pub user_name: String,
    pub first_name: String,
    pub last_name: String,
    /// Ten digits, or empty.
    pub phone_number: String,
    pub role_name: Option<RoleName>,
    pub job_function_id: Option<Uuid>,
    /// A new member has the defaults of those that are absent.
    pub permissions: PermissionChanges,
    /// The version that was read; not needed when creating.
    pub version: Option<i32>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FindUserQuery {
    #[serde(default)]
    pub username: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundUserName {
    /// Whether it looks like an e-mail address.
    pub is_valid: bool,
    /// Whether an account has it.
    pub exists: bool,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EnableQuery {
    pub enable: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserRule {
    pub organization_id: Uuid,
    pub intake_rule_id: Uuid,
    pub name: String,
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeRuleLink {
    pub organization_id: Uuid,
    pub intake_rule_id: Uuid,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ActivityQuery {
    /// 30 by default, at most 100
    pub page_size: Option<u64>,
    pub page_start: Option<u64>,
}

impl ActivityQuery {
    pub fn page(&self) -> Result<Page> {
        Page::new(self.page_start, self.page_size, 30, 100)
    }
}

/// An act of a user.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserEvent {
    pub id: Uuid,
    pub event_type: String,
    /// The change, if the type does not state it.
    pub what: String,
    pub created_on: DateTime<Utc>,
    /// Kind of the object: message, attachment, user …
    pub object_type: String,
    pub object_id: String,
    pub succeeded: bool,
    pub source_ip: String,
}

/// A signature that the user requested from a colleague.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserRequest {
    pub id: Uuid,
    pub message_id: Uuid,
    /// The colleague's name.
    pub signer: String,
    pub state: SignatureState,
    pub created_on: DateTime<Utc>,
    pub settled_on: Option<DateTime<Utc>>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct ActivityByTypeQuery {
    /// Names of audited acts as in `/api/audit/types`, separated by commas; all by default.
    pub event_types: Option<String>,
    pub start: Option<DayOrMoment>,
    /// The whole day is included; without it, there is no end.
    pub end: Option<DayOrMoment>,
    /// 30 by default, at most 100
    pub page_size: Option<u64>,
    pub page_start: Option<u64>,
}

/// A file at the time of signing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UserSignedDocument)]
pub struct SignedDocument {
    pub attachment_id: Uuid,
    /// Hash of its bytes, in hexadecimal digits.
    pub sha256: String,
}

/// The signed documents of a message.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserSignature {
    pub id: Uuid,
    pub message_id: Uuid,
    /// The requester's name.
    pub requested_by: String,
    pub requested_on: DateTime<Utc>,
    /// Time of the signature.
    pub created_on: DateTime<Utc>,
    pub confirmed_by: Option<Confirmation>,
    pub files: Vec<SignedDocument>,
}

/// An address or number of the organization, and whether a user may send from it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserDocumentSource {
    pub organization_id: Uuid,
    pub document_source_id: Uuid,
    pub full_address: String,
    pub display_name: String,
    /// direct or fax
    #[serde(rename = "type")]
    pub kind: String,
    /// 0 Provisioning, 1 Activated, 2 Pending Update, 3 Pending Deletion, 5 Failed.
    pub status: i16,
    pub is_assigned: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSourceLink {
    pub organization_id: Uuid,
    pub document_source_id: Uuid,
}

/// A user's membership in an organization.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserOrganizationAssignment {
    pub user_id: Uuid,
    pub organization_id: Uuid,
    pub role: RoleName,
    pub job_function_id: Uuid,
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserOrganizationRemoval {
    pub user_id: Uuid,
    pub organization_id: Uuid,
}
