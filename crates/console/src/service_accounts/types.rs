//! Requests and answers about service accounts of networks and organizations.

use chrono::{DateTime, Utc};
use platform::{Error, Result, secret::Secret, service, text::RequiredLine};
use serde::{Deserialize, Serialize};
use store::entities::service_account;
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccount {
    pub id: Uuid,
    /// Name given by the organization; empty for a network.
    pub name: String,
    pub client_id: String,
    pub service_account_enabled: bool,
    /// Addresses and networks from which it may be used. While empty, it cannot be used.
    pub client_ip_addresses: Vec<String>,
    /// Maximum number of addresses.
    pub allowed_address_count: u32,
    /// Send it back with a change.
    pub version: i32,
    pub create_date: DateTime<Utc>,
    pub token_issued_date: DateTime<Utc>,
    pub last_used_date: Option<DateTime<Utc>>,
    pub last_used_from: Option<String>,
    /// Whether the token was used while the account was disabled, or from an address that is not allowed.
    pub last_refused_date: Option<DateTime<Utc>>,
    pub last_refused_from: Option<String>,
}

impl TryFrom<service_account::Model> for ServiceAccount {
    type Error = Error;

    fn try_from(account: service_account::Model) -> Result<Self> {
        let addresses = service::allowed_addresses(&account)?;
        Ok(Self {
            id: account.id,
            name: account.name,
            allowed_address_count: account.allowed_address_count.max(0) as u32,
            client_id: account.client_id,
            service_account_enabled: account.is_enabled,
            client_ip_addresses: addresses.into_iter().map(String::from).collect(),
            version: account.version,
            create_date: account.created_at,
            token_issued_date: account.token_issued_at,
            last_used_date: account.last_used_at,
            last_used_from: account.last_used_from,
            last_refused_date: account.last_refused_at,
            last_refused_from: account.last_refused_from,
        })
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssuedToken {
    pub account: ServiceAccount,
    /// Shown only this once; only its hash is stored.
    pub token: Secret,
}

/// A new account.
#[derive(Deserialize, ToSchema)]
pub struct NewServiceAccount {
    pub name: RequiredLine,
}

/// Changes of an account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccountForm {
    pub name: RequiredLine,
    pub service_account_enabled: bool,
    /// No more than the account's limit.
    pub client_ip_addresses: Vec<String>,
    /// Version of the account that was read. A change without the current one is refused.
    pub version: Option<i32>,
}

/// A maximum number.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct CountLimit {
    pub count: u32,
}
