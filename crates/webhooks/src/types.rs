//! What goes over the wire between administrators and us.

use chrono::{DateTime, Utc};
use platform::{
    secret::Secret,
    text::{Format, Rule, SearchWords},
};
use serde::{Deserialize, Serialize};
use store::entities::{
    webhook::{self, AuthenticationType},
    webhook_delivery::{self, DeliveryStatus},
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

platform::text! {
    pub WebhookName = Rule::line(1, 100);
    /// An https address; http on this machine only.
    pub WebhookUrl = Rule::line(1, 500).format(Format::SecureUrl)
        .says("Please enter an https address, such as https://hooks.example.org/carepost.");
    pub WebhookUserName = Rule::line(0, 200).pattern("[^:]*")
        .says("A user name cannot contain a colon.");
    pub WebhookCredential = Rule::line(0, 1000).format(Format::Secret);
}

/// Where events are sent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    pub id: Uuid,
    pub name: String,
    pub url: String,
    /// Names such as `message.received`.
    pub events: Vec<String>,
    /// None, Basic or Bearer.
    pub authentication_type: String,
    pub user_name: String,
    /// Whether a password or token is kept; it is never shown.
    pub has_credential: bool,
    pub is_active: bool,
    /// Every attempt since then has failed.
    pub failing_since: Option<DateTime<Utc>>,
    /// Nothing is sent since then, until somebody resumes it.
    pub paused_at: Option<DateTime<Utc>>,
    /// To be sent back when saving.
    pub version: i32,
}

impl From<webhook::Model> for Webhook {
    fn from(row: webhook::Model) -> Self {
        Self {
            id: row.id,
            name: row.name,
            url: row.url,
            events: row.events.0,
            authentication_type: row.authentication_type.to_string(),
            user_name: row.user_name,
            has_credential: row.sealed_credential.is_some(),
            is_active: row.is_enabled,
            failing_since: row.failing_since,
            paused_at: row.paused_at,
            version: row.version,
        }
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookForm {
    pub name: WebhookName,
    pub url: WebhookUrl,
    pub events: Vec<String>,
    #[serde(default = "no_authentication")]
    #[schema(value_type = String)]
    pub authentication_type: AuthenticationType,
    /// For basic authentication.
    #[serde(default)]
    pub user_name: WebhookUserName,
    /// The password or token. When empty, the one that is kept stays.
    #[serde(default)]
    pub credential: WebhookCredential,
    #[serde(default = "yes")]
    pub is_active: bool,
    /// The version that was read. Not asked for when creating.
    pub version: Option<i32>,
}

fn no_authentication() -> AuthenticationType {
    AuthenticationType::None
}

fn yes() -> bool {
    true
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct WebhookQuery {
    /// Each word stands somewhere in the name or the address.
    #[param(inline)]
    pub search: Option<SearchWords>,
    pub page: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// The key that proves to an endpoint who calls.
#[derive(Serialize, ToSchema)]
pub struct SigningSecret {
    pub secret: Secret,
}

/// An event on its way to a webhook.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivery {
    pub id: Uuid,
    pub event: String,
    /// Waiting, Delivered or Failed.
    pub status: String,
    pub attempts: i32,
    pub created_at: DateTime<Utc>,
    /// The last attempt.
    pub tried_at: Option<DateTime<Utc>>,
    /// The HTTP status of the last answer.
    pub response_status: Option<i32>,
    pub milliseconds: Option<i32>,
    /// Why the last attempt failed.
    pub reason: String,
}

impl From<webhook_delivery::Model> for WebhookDelivery {
    fn from(row: webhook_delivery::Model) -> Self {
        Self {
            id: row.id,
            event: row.event,
            status: row.status.to_string(),
            attempts: row.attempts,
            created_at: row.created_at,
            tried_at: row.tried_at,
            response_status: row.response_status,
            milliseconds: row.milliseconds,
            reason: row.reason,
        }
    }
}

/// As [`WebhookDelivery`], with what was sent and answered.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDeliveryDetails {
    #[serde(flatten)]
    pub delivery: WebhookDelivery,
    /// The JSON that is sent.
    pub body: String,
    /// The beginning of the last answer.
    pub response: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct DeliveryQuery {
    /// Waiting, Delivered or Failed; all when absent.
    #[param(value_type = Option<String>)]
    pub status: Option<DeliveryStatus>,
    pub page: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// Which failed deliveries are sent again.
#[derive(Deserialize, ToSchema)]
pub struct Resend {
    /// Those of events since then.
    pub since: DateTime<Utc>,
}

/// How many deliveries are sent again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resent {
    pub count: u64,
    /// There are more, which the next call takes.
    pub has_more: bool,
}
