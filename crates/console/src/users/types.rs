//! Accounts in requests and answers.

use super::rules::{FirstName, LastName};
use accounts::{
    people::types::{RoleName, UserOrganization, UserStatus},
    profile::own::UserPreferences,
    reference_items::NamedItem,
    second_factor::IdentityProof,
    user_name::UserName,
};
use chrono::{DateTime, Utc};
use platform::{
    secret::Secret,
    text::{EmailAddress, PhoneNumber, RequiredLine},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The role of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum SystemRole {
    SysAdmin,
    /// May read reports only.
    SysAdminReporting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoleType {
    /// A user of organizations.
    Organization,
    /// An operator of the installation.
    System,
}

/// The state of identity proofing, which only administrators of organizations go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ProofStatus {
    Passed,
    /// A photo ID is waiting for an operator.
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
    /// The operator's role, or the highest role in any organization.
    pub role_name: String,
    pub system_role: Option<SystemRole>,
    pub organizations: Vec<UserOrganization>,
    /// None for users who administer no organization.
    pub id_proof_status: Option<ProofStatus>,
    pub is_sys_admin: bool,
    pub is_org_admin: bool,
    pub is_network_admin: bool,
    pub status: UserStatus,
    pub is_disabled: bool,
    pub disabled_date_time: Option<DateTime<Utc>>,
    pub deleted_date_time: Option<DateTime<Utc>>,
    /// A second factor is set up.
    pub two_factor_enabled: bool,
    /// Send it back when saving.
    pub version: i32,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUser {
    #[serde(flatten)]
    pub row: AdminUserRow,
    pub phone_number: String,
    /// Has an authenticator app or a passkey.
    pub token_auth_enabled: bool,
    /// An invitation or reset link was sent, not used, and has not expired.
    pub has_unclaimed_security_tokens: bool,
    /// Locked for a while after wrong passwords.
    pub lockout_enabled: bool,
    pub user_preferences: UserPreferences,
    pub primary_job_function: Option<String>,
    pub id_proofed: bool,
    /// The name of the latest photo ID, while it is kept.
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
    /// Required for an administrator: `Passed` proves the organization, `NotPassed` leaves the proof to the administrator.
    pub id_proof_status: Option<ProofStatus>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUserForm {
    pub user_details: AdminUserDetails,
    pub organization_id: Option<Uuid>,
    /// Empty if the user chooses it by e-mail.
    #[serde(default)]
    pub password: Secret,
    #[serde(default)]
    pub email_create_password: bool,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SysAdminForm {
    /// An e-mail address, which the link to choose a password is sent to.
    pub user_name: UserName,
    pub first_name: FirstName,
    pub last_name: LastName,
    pub role: SystemRole,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUserUpdate {
    /// A new one must be an e-mail address.
    pub user_name: RequiredLine,
    pub email: EmailAddress,
    pub first_name: FirstName,
    pub last_name: LastName,
    #[serde(default)]
    pub phone_number: PhoneNumber,
    /// Operators only. Unchanged if left out.
    pub system_role: Option<SystemRole>,
    /// Unchanged if left out.
    pub user_preferences: Option<UserPreferences>,
    /// `false` removes the second factors. Unchanged otherwise.
    pub two_factor_enabled: Option<bool>,
    /// Required when second factors are removed: how the caller made sure who is asking.
    pub identity_proof: Option<IdentityProof>,
    /// `false` ends the lock after wrong passwords.
    pub lockout_enabled: Option<bool>,
    /// `Passed` or `NotPassed`, wherever the person administers. Unchanged if left out or as it is.
    pub id_proof_status: Option<ProofStatus>,
    /// User or Administrator, in the only organization of the person. Unchanged if left out.
    #[schema(max_length = 50)]
    pub role_name: Option<String>,
    /// One of the job functions, in the only organization of the person. Unchanged if left out.
    #[schema(max_length = 255)]
    pub primary_job_function: Option<String>,
    /// The version that was read.
    pub version: Option<i32>,
    /// The caller's password, required when the user name or the e-mail address changes.
    #[serde(default)]
    pub own_password: Secret,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserSession {
    pub id: Uuid,
    pub created_at: DateTime<Utc>,
    pub last_used_at: DateTime<Utc>,
    pub source_ip: String,
    pub user_agent: String,
    /// The organization that the session is for.
    pub organization_name: Option<String>,
}
