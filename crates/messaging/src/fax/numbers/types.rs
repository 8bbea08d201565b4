//! Requests and answers of [`super::http`].

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use store::entities::fax_account::ProviderKind;
use utoipa::ToSchema;
use uuid::Uuid;

/// A fax number of an organization.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxSource {
    pub id: Uuid,
    pub organization_id: Uuid,
    /// The number with country code.
    pub full_address: String,
    /// The number, formatted for people.
    pub display_address: String,
    pub display_name: String,
    /// Always `fax`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Always `fax`.
    pub direct_address_type: String,
    /// 0 Provisioning, 1 Activated, 2 Pending Update, 3 Pending Deletion, 4 Deleted, 5 Failed.
    pub status: i16,
    pub provider: ProviderKind,
    /// Why it failed.
    pub problem: Option<String>,
    /// Callers whose faxes are received here if the dialled number is unknown.
    pub callers: Vec<String>,
    /// Names of machines whose faxes are received here if no number is known.
    pub sender_ids: Vec<String>,
    pub created_date: DateTime<Utc>,
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxSourceForm {
    /// Always `fax`.
    pub direct_address_type: String,
    /// The number. It cannot be changed later.
    #[serde(default)]
    pub full_address: String,
    #[serde(default)]
    pub display_name: String,
    /// The account that makes the calls.
    pub provider: ProviderKind,
    #[serde(default)]
    pub callers: Vec<String>,
    #[serde(default)]
    pub sender_ids: Vec<String>,
    /// The version that was read; absent for a new number.
    pub version: Option<i32>,
}

/// State of a number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxStatus {
    pub status: i16,
    /// Present problems, in plain words.
    pub problems: Vec<String>,
    pub last_sent_at: Option<DateTime<Utc>>,
    pub last_received_at: Option<DateTime<Utc>>,
    /// Number of present calls.
    pub calls: u64,
    /// Number of faxes waiting for it.
    pub waiting: u64,
}

/// A provider of fax numbers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxProvider {
    pub provider: ProviderKind,
    pub name: String,
    /// The organization has an account there.
    pub is_configured: bool,
    /// Only operators can set it up.
    pub is_for_operators: bool,
}
