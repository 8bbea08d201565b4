//! What goes over the wire.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct DashboardQuery {
    /// How many days the traffic is shown of, today among them; 14 unless said, 31 at most
    pub days: Option<u32>,
    /// How many minutes the caller's clock is ahead of UTC
    pub utc_offset: Option<i32>,
}

/// Messages of one day; no number is counted beyond 10,000.
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
    /// How many people may work here with the present plan; -1 for any number.
    pub allowed_users: i32,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dashboard {
    /// The oldest day first.
    pub traffic: Vec<DayOfTraffic>,
    pub users: UserCounts,
    pub terms_accepted_date: Option<DateTime<Utc>>,
    pub id_proofed_date: Option<DateTime<Utc>>,
    pub is_activated: bool,
}
