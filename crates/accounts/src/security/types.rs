//! Requests and answers of [`super::http`].

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecurityView {
    /// Minutes without activity until users are signed out.
    pub idle_minutes: u32,
    /// Whether everybody needs a second step to sign in.
    pub require_second_factor: bool,
    /// Whether the installation requires it, regardless of the organization.
    pub second_factor_always: bool,
    /// Whether sign-in is limited to the allowed addresses.
    pub require_whitelisted_ip: bool,
    /// Addresses, and networks such as `10.0.0.0/8`.
    pub allowed_addresses: Vec<String>,
    /// The caller's address.
    pub own_address: String,
    /// Send it back with a change.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecurityForm {
    /// 5 to 30
    pub idle_minutes: u32,
    pub require_second_factor: bool,
    #[serde(rename = "requireWhitelistedIp")]
    pub require_whitelisted_ip: bool,
    #[serde(default)]
    pub allowed_addresses: Vec<String>,
    /// Confirms that the caller's own address is left out.
    #[serde(default)]
    pub confirm_lock_out: bool,
    /// Version of the settings that were read. A change without the current one is refused.
    pub version: Option<i32>,
}
