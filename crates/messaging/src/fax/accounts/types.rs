//! Types of the API.

use axum::Json;
use chrono::{DateTime, Utc};
use platform::{http::Message, secret::Secret};
use serde::{Deserialize, Serialize};
use store::entities::fax_account::{AccountSettings, ProviderKind};
use utoipa::ToSchema;
use uuid::Uuid;

/// An account at a fax provider. Fields that the provider does not need are empty.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AccountForm {
    /// HylaFAX: `host:port`.
    pub server: String,
    /// The user name; for eFax, the user id.
    pub user_name: String,
    /// The password; for eFax, the key of the application. Absent: unchanged.
    pub password: Option<Secret>,
    /// HylaFAX: the user has no password; a stored one is removed.
    pub has_no_password: bool,
    /// eFax only.
    pub app_id: String,
    /// eFax only: the group of the numbers, which its support asks for. May be empty.
    pub group_name: String,
    /// WestFax only.
    pub product_id: String,
    /// HylaFAX: prefix for an outside line.
    pub outside_line: String,
    /// The version that was read; absent for a new account.
    pub version: Option<i32>,
}

impl AccountForm {
    pub fn settings(&self) -> AccountSettings {
        let trimmed = |text: &str| text.trim().to_owned();
        AccountSettings {
            server: trimmed(&self.server),
            user_name: trimmed(&self.user_name),
            app_id: trimmed(&self.app_id),
            group_name: trimmed(&self.group_name),
            product_id: trimmed(&self.product_id),
            outside_line: trimmed(&self.outside_line),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountView {
    pub id: Uuid,
    pub organization_id: Uuid,
    pub provider: ProviderKind,
    pub name: String,
    /// `EFaxAccount` or `WestFaxAccount`.
    pub account_type: Option<String>,
    pub server: String,
    pub user_name: String,
    pub app_id: String,
    pub group_name: String,
    pub product_id: String,
    pub outside_line: String,
    pub has_password: bool,
    /// URL that the provider may call after receiving a fax, so that it is fetched at once: an empty POST is enough.
    pub callback_url: Option<String>,
    /// Problem of the last use or test.
    pub problem: Option<String>,
    /// Time of the last poll for received faxes.
    pub polled_at: Option<DateTime<Utc>>,
    pub version: i32,
}

/// Problems in plain words; empty if there are none.
#[derive(Serialize, ToSchema)]
pub struct FaxTest {
    pub problems: Vec<String>,
}

/// Answer to the deletion of an account.
pub fn deleted() -> Json<Message> {
    Json(Message { message: "The fax account was deleted.".into() })
}
