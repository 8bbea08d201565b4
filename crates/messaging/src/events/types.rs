//! What goes over the wire.

use crate::model::{Direction, SourceType};
use chrono::{DateTime, Utc};
use platform::http::DayOrMoment;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Something that happened to a message.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageEvent {
    pub id: Uuid,
    /// Delivered, Exported, Forwarded, Replied, Deleted, Bounced, Failed, Processed or Received.
    pub event_type: String,
    pub at: DateTime<Utc>,
    pub message_id: Uuid,
    pub direction: Direction,
    /// How it came; none of what was sent.
    pub source_type: Option<SourceType>,
    pub from_address: String,
    pub to_address: String,
    /// Empty when the message was deleted.
    pub subject: String,
    pub is_deleted: bool,
    /// Who did it; empty for the product itself and for other systems.
    pub user_name: String,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct EventsParams {
    /// 14 days back when absent.
    pub start: Option<DateTime<Utc>>,
    /// Belongs to the time itself.
    pub end: Option<DateTime<Utc>>,
    /// Names of event types, separated by commas; all when absent.
    pub event_types: Option<String>,
    pub page_start: Option<u64>,
    /// 30 when absent, at most 100.
    pub page_size: Option<u64>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct FindEventsParams {
    /// 14 days back when absent.
    pub start: Option<DayOrMoment>,
    /// Counts whole.
    pub end: Option<DayOrMoment>,
    /// Names of event types, separated by commas; all when absent.
    pub event_types: Option<String>,
    /// Only of this message.
    pub message_id: Option<Uuid>,
    /// Only what this member of the organization did.
    pub user_id: Option<Uuid>,
    pub page_start: Option<u64>,
    /// 30 when absent, at most 100.
    pub page_size: Option<u64>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct ReportParams {
    #[param(required)]
    pub start: Option<DateTime<Utc>>,
    /// Belongs to the time itself.
    #[param(required)]
    pub end: Option<DateTime<Utc>>,
    /// Names of event types, separated by commas; all when absent.
    pub event_types: Option<String>,
    /// How many events at most; 10,000 when absent, which is the most there can be.
    pub page_size: Option<u64>,
    /// As PDF, of 2,000 events at most.
    pub as_pdf: Option<bool>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct StatisticsParams {
    /// 14 days back when absent.
    pub start: Option<DayOrMoment>,
    /// Counts whole.
    pub end: Option<DayOrMoment>,
    /// Names of event types, separated by commas; all when absent.
    pub event_types: Option<String>,
    /// Only what this member of the organization did.
    pub user_id: Option<Uuid>,
}

/// How often something happened.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventCount {
    pub event_type: String,
    /// Exact up to 10,000.
    pub count: u64,
    /// It happened more often than `count`.
    pub is_capped: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct MessageStatistics {
    pub start: DateTime<Utc>,
    pub end: DateTime<Utc>,
    /// One for each event type that was asked for.
    pub items: Vec<EventCount>,
}
