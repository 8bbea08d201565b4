//! Requests and answers of the API.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct DashboardQuery {
    /// Number of days of traffic, including today; 14 by default, at most 31
    pub days: Option<u32>,
    /// Number of minutes by which the caller's clock is ahead of UTC
    pub utc_offset: Option<i32>,
}

/// Messages of one day; numbers are counted up to 10,000.
#[derive(Debug, Serialize, ToSchema)]
pub struct DayOfTraffic {
    pub date: NaiveDate,
    pub received: u64,
    pub sent: u64,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserCounts {
    pub active: u64,
    pub invited: u64,
    pub disabled: u64,
    /// Number of users allowed by the present plan; -1 for no limit.
    pub allowed_users: i32,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dashboard {
    /// Oldest day first.
    pub traffic: Vec<DayOfTraffic>,
    pub users: UserCounts,
    pub terms_accepted_date: Option<DateTime<Utc>>,
    pub id_proofed_date: Option<DateTime<Utc>>,
    pub is_activated: bool,
}
