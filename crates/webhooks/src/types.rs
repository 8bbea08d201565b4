//! Requests and answers of the web app.

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

/// A webhook.
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
    /// Whether a password or token is stored; it is never shown.
    pub has_credential: bool,
    pub is_active: bool,
    /// Start of continuous failure.
    pub failing_since: Option<DateTime<Utc>>,
    /// Time of the pause; nothing is sent until the webhook is resumed.
    pub paused_at: Option<DateTime<Utc>>,
    /// Send it back when saving.
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
    /// The password or token. An empty one keeps the stored one.
    #[serde(default)]
    pub credential: WebhookCredential,
    #[serde(default = "yes")]
    pub is_active: bool,
    /// The version that was read. Not needed for creating.
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
    /// Words contained in the name or the address.
    #[param(inline)]
    pub search: Option<SearchWords>,
    pub page: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// The key of the signatures.
#[derive(Serialize, ToSchema)]
pub struct SigningSecret {
    pub secret: Secret,
}

/// A delivery of an event to a webhook.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivery {
    pub id: Uuid,
    pub event: String,
    pub status: DeliveryStatus,
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
            status: row.status,
            attempts: row.attempts,
            created_at: row.created_at,
            tried_at: row.tried_at,
            response_status: row.response_status,
            milliseconds: row.milliseconds,
            reason: row.reason,
        }
    }
}

/// Like [`WebhookDelivery`], with the body and the answer.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDeliveryDetails {
    #[serde(flatten)]
    pub delivery: WebhookDelivery,
    /// The JSON body.
    pub body: String,
    /// The start of the last answer.
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

/// Selection of failed deliveries to send again.
#[derive(Deserialize, ToSchema)]
pub struct Resend {
    /// Events since this time.
    pub since: DateTime<Utc>,
}

/// Number of deliveries sent again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resent {
    pub count: u64,
    /// Whether there are more, for another call.
    pub has_more: bool,
}
