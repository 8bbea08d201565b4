//! `/api/admin/reports`

use super::queries;
use axum::{body::Body, extract::State, http::header, response::IntoResponse};
use platform::{
    App, Caller, Result,
    access::OPERATORS,
    api::Api,
    audit::{self, Act, event},
};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(OPERATORS, routes!(direct_addresses))
}

/// The Direct addresses of all organizations
#[utoipa::path(get, path = "/api/admin/reports/directaddresses", operation_id = "directAddressesReport",
    tag = "reports", responses((status = 200, content_type = "text/csv", body = String)))]
async fn direct_addresses(State(app): State<App>, caller: Caller) -> Result<impl IntoResponse> {
    audit::record_read(&app, &caller, Act::new(event::DOWNLOADED, "report", "directaddresses")).await?;
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"direct-addresses.csv\""),
    ];
    Ok((headers, Body::from_stream(queries::direct_addresses(app))))
}
