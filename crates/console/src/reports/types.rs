//! What goes over the wire.

use chrono::{DateTime, Utc};
use platform::text::SearchWords;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct EventsQuery {
    #[param(required)]
    pub start: Option<DateTime<Utc>>,
    /// Belongs to the time itself.
    #[param(required)]
    pub end: Option<DateTime<Utc>>,
    /// Counted from 1, of at most two digits.
    #[param(required)]
    pub page_number: Option<u64>,
    /// How many events at most; 10,000 when absent, which is the most there can be.
    pub page_size: Option<u64>,
    /// Names of event types, separated by commas; all when absent.
    pub event_types: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct DevicesQuery {
    #[param(required)]
    pub start_date: Option<DateTime<Utc>>,
    /// Belongs to the time itself.
    #[param(required)]
    pub end_date: Option<DateTime<Utc>>,
}

/// The organizations that a report is about.
#[derive(Deserialize, ToSchema)]
pub struct OrganizationIds(pub Vec<Uuid>);

/// An organization that a report can be about.
#[derive(Serialize, ToSchema)]
pub struct ReportOrganization {
    pub id: Uuid,
    pub name: String,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ChoiceQuery {
    /// How words of the name begin.
    pub search: Option<SearchWords>,
}
