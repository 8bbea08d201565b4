//! `/api/account/dashboard`

use super::queries;
use axum::{Json, extract::State};
use chrono::{DateTime, NaiveDate, Utc};
use platform::{App, Error, Member, Result, access::ADMINS, api::Api, http::Params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(ADMINS, routes!(dashboard))
}

const DAYS: u32 = 14;
const DAYS_MAX: u32 = 31;
/// No clock is further from UTC.
const OFFSET_MAX: i32 = 14 * 60;

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

/// What an administrator needs to know of the organization at a look
#[utoipa::path(get, path = "/api/account/dashboard", operation_id = "dashboard", tag = "account",
    params(DashboardQuery), responses((status = 200, body = Dashboard)))]
async fn dashboard(
    State(app): State<App>,
    member: Member,
    Params(query): Params<DashboardQuery>,
) -> Result<Json<Dashboard>> {
    let (days, offset) = (query.days.unwrap_or(DAYS), query.utc_offset.unwrap_or_default());
    if !(1..=DAYS_MAX).contains(&days) || offset.abs() > OFFSET_MAX {
        return Err(Error::BadRequest("The dashboard shows 1 to 31 days.".into()));
    }
    Ok(Json(queries::dashboard(&app, &member, days, offset).await?))
}
