//! Accounts as they go over the wire.

use super::rules::{FirstName, LastName};
use crate::{
    lookups::http::NamedItem,
    registration::rules::UserName,
    users::http::{RoleName, UserOrganization, UserStatus},
};
use accounts::profile::own::UserPreferences;
use chrono::{DateTime, Utc};
use platform::text::{EmailAddress, PhoneNumber, RequiredLine};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum SystemRole {
    SysAdmin,
    /// Reads reports, and nothing else.
    SysAdminReporting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoleType {
    /// Of organizations.
    Organization,
    /// Of the installation.
    System,
}

/// Whether somebody is who they say. Only administrators of organizations are asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ProofStatus {
    Passed,
    /// A photo ID waits for an operator.
    UnderReview,
    NotPassed,
}

#[derive(Clone, Copy, Default, Deserialize)]
enum SortBy {
    #[default]
    #[serde(rename = "userName")]
    UserName,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SortDirection {
    #[default]
    Asc,
    Desc,
}

/// The order of the list, as `sort` says it in JSON.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct AdminUserSort {
    by: SortBy,
    dir: SortDirection,
}

impl AdminUserSort {
    pub fn is_descending(self) -> bool {
        self.dir == SortDirection::Desc
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUserRow {
    pub id: Uuid,
    pub user_name: String,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub role_type: RoleType,
    /// The role of an operator, or the highest that somebody has in an organization.
    pub role_name: String,
    pub system_role: Option<SystemRole>,
    pub organizations: Vec<UserOrganization>,
    /// None for who administers no organization.
    pub id_proof_status: Option<ProofStatus>,
    pub is_sys_admin: bool,
    pub is_org_admin: bool,
    pub is_network_admin: bool,
    pub status: UserStatus,
    pub is_disabled: bool,
    pub disabled_date_time: Option<DateTime<Utc>>,
    pub deleted_date_time: Option<DateTime<Utc>>,
    /// Has set up a second step to sign in.
    pub two_factor_enabled: bool,
    /// To be sent back when saving.
    pub version: i32,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUser {
    #[serde(flatten)]
    pub row: AdminUserRow,
    pub phone_number: String,
    /// Signs in with an authenticator app or a passkey.
    pub token_auth_enabled: bool,
    /// A link by e-mail that was not used yet still works.
    pub has_unclaimed_security_tokens: bool,
    /// Wrong passwords have locked the account for a while.
    pub lockout_enabled: bool,
    pub user_preferences: UserPreferences,
    pub primary_job_function: Option<String>,
    pub id_proofed: bool,
    /// The photo ID that was handed in last, while it is kept.
    pub id_proof_file_name: Option<String>,
    pub all_roles: Vec<String>,
    pub job_functions: Vec<NamedItem>,
    pub create_date: DateTime<Utc>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUserDetails {
    /// An e-mail address.
    pub user_name: UserName,
    pub first_name: FirstName,
    pub last_name: LastName,
    #[serde(default)]
    pub phone_number: PhoneNumber,
    pub role_name: Option<RoleName>,
    pub job_function_id: Option<Uuid>,
    /// Of an administrator: `Passed` proves the organization, `NotPassed` leaves the proof to them.
    pub id_proof_status: Option<ProofStatus>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUserForm {
    pub user_details: AdminUserDetails,
    pub organization_id: Option<Uuid>,
    /// Empty where the person chooses it by e-mail.
    #[serde(default)]
    pub password: String,
    #[serde(default)]
    pub email_create_password: bool,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SysAdminForm {
    /// An e-mail address; the link to choose a password goes there.
    pub user_name: UserName,
    pub first_name: FirstName,
    pub last_name: LastName,
    pub role: SystemRole,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUserUpdate {
    /// Another one must be an e-mail address.
    pub user_name: RequiredLine,
    pub email: EmailAddress,
    pub first_name: FirstName,
    pub last_name: LastName,
    #[serde(default)]
    pub phone_number: PhoneNumber,
    /// Of an operator; left out, it stays.
    pub system_role: Option<SystemRole>,
    /// Left out, they stay.
    pub user_preferences: Option<UserPreferences>,
    /// The version that was read.
    pub version: Option<i32>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserSession {
    pub id: Uuid,
    pub created_at: DateTime<Utc>,
    pub last_used_at: DateTime<Utc>,
    pub source_ip: String,
    pub user_agent: String,
    /// Where the person works in it.
    pub organization_name: Option<String>,
}
