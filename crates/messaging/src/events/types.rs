//! Types of the API.

use crate::model::{Direction, SourceType};
use chrono::{DateTime, Utc};
use platform::http::DayOrMoment;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// An event of a message.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageEvent {
    pub id: Uuid,
    /// Delivered, Exported, Forwarded, Replied, Deleted, Bounced, Failed, Processed or Received.
    pub event_type: String,
    pub at: DateTime<Utc>,
    pub message_id: Uuid,
    pub direction: Direction,
    /// Source of a received message; null for sent ones.
    pub source_type: Option<SourceType>,
    pub from_address: String,
    pub to_address: String,
    /// Empty if the message was deleted.
    pub subject: String,
    pub is_deleted: bool,
    /// The person who did it; empty for the product itself and for other systems.
    pub user_name: String,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct EventsParams {
    /// Default: 14 days ago.
    pub start: Option<DateTime<Utc>>,
    /// Inclusive.
    pub end: Option<DateTime<Utc>>,
    /// Names of event types, separated by commas; default: all.
    pub event_types: Option<String>,
    pub page_start: Option<u64>,
    /// Default 30, maximum 100.
    pub page_size: Option<u64>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct FindEventsParams {
    /// Default: 14 days ago.
    pub start: Option<DayOrMoment>,
    /// Inclusive; a day counts completely.
    pub end: Option<DayOrMoment>,
    /// Names of event types, separated by commas; default: all.
    pub event_types: Option<String>,
    /// Only events of this message.
    pub message_id: Option<Uuid>,
    /// Only events by this member of the organization.
    pub user_id: Option<Uuid>,
    pub page_start: Option<u64>,
    /// Default 30, maximum 100.
    pub page_size: Option<u64>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct ReportParams {
    #[param(required)]
    pub start: Option<DateTime<Utc>>,
    /// Inclusive.
    #[param(required)]
    pub end: Option<DateTime<Utc>>,
    /// Names of event types, separated by commas; default: all.
    pub event_types: Option<String>,
    /// Maximum number of events; default and maximum 10,000.
    pub page_size: Option<u64>,
    /// As PDF, with at most 2,000 events.
    pub as_pdf: Option<bool>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct StatisticsParams {
    /// Default: 14 days ago.
    pub start: Option<DayOrMoment>,
    /// Inclusive; a day counts completely.
    pub end: Option<DayOrMoment>,
    /// Names of event types, separated by commas; default: all.
    pub event_types: Option<String>,
    /// Only events by this member of the organization.
    pub user_id: Option<Uuid>,
}

/// Number of events of a type.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventCount {
    pub event_type: String,
    /// Exact up to 10,000.
    pub count: u64,
    /// There are more than `count`.
    pub is_capped: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct MessageStatistics {
    pub start: DateTime<Utc>,
    pub end: DateTime<Utc>,
    /// One for each requested event type.
    pub items: Vec<EventCount>,
}
