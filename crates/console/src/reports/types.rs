//! Requests and answers of the API.

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
    /// Included in the period.
    #[param(required)]
    pub end: Option<DateTime<Utc>>,
    /// Page number from 1, at most two digits.
    #[param(required)]
    pub page_number: Option<u64>,
    /// Maximum number of events; 10,000 by default, which is also the limit.
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
    /// Included in the period.
    #[param(required)]
    pub end_date: Option<DateTime<Utc>>,
}

/// The organizations of a report.
#[derive(Deserialize, ToSchema)]
pub struct OrganizationIds(pub Vec<Uuid>);

/// An organization that can be chosen for a report.
#[derive(Serialize, ToSchema)]
pub struct ReportOrganization {
    pub id: Uuid,
    pub name: String,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ChoiceQuery {
    /// Beginnings of words of the name.
    pub search: Option<SearchWords>,
}
