//! `/api/account/dashboard`

use super::{
    queries,
    types::{Dashboard, DashboardQuery},
};
use axum::{Json, extract::State};
use platform::{App, Error, Member, Result, access::ADMINS, api::Api, http::Params};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(ADMINS, routes!(dashboard))
}

const DAYS: u32 = 14;
const DAYS_MAX: u32 = 31;
/// Largest difference between a local time and UTC.
const OFFSET_MAX: i32 = 14 * 60;

/// An administrator's overview of the organization
#[utoipa::path(get, path = "/api/account/dashboard", operation_id = "dashboard", tag = "account",
    params(DashboardQuery), responses((status = 200, body = Dashboard)))]
async fn dashboard(
    State(app): State<App>,
    member: Member,
    Params(query): Params<DashboardQuery>,
) -> Result<Json<Dashboard>> {
    let (days, offset) = (query.days.unwrap_or(DAYS), query.utc_offset.unwrap_or_default());
    if !(1..=DAYS_MAX).contains(&days) || !(-OFFSET_MAX..=OFFSET_MAX).contains(&offset) {
        return Err(Error::BadRequest("The dashboard shows 1 to 31 days.".into()));
    }
    Ok(Json(queries::dashboard(&app, &member, days, offset).await?))
}
