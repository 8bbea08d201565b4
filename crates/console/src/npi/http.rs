//! `/api/admin/organizations/npi`

use super::registry::{self, NpiResult};
use axum::{Json, extract::State};
use platform::{
    App, Error, Result,
    access::SYSADMINS,
    api::Api,
    fields::DEFAULT_FIELD_ERROR,
    http::{Items, Params},
};
use serde::Deserialize;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(find_npi))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct NpiQuery {
    /// 10 digits
    pub npi_number: String,
}

/// Looks up a National Provider Identifier
#[utoipa::path(get, path = "/api/admin/organizations/npi", operation_id = "findNpi", tag = "organizations",
    params(NpiQuery), responses((status = 200, body = Items<NpiResult>)))]
async fn find_npi(State(app): State<App>, Params(query): Params<NpiQuery>) -> Result<Json<Items<NpiResult>>> {
    let number = query.npi_number.trim();
    if number.len() != 10 || !number.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Error::field("npiNumber", DEFAULT_FIELD_ERROR));
    }
    Ok(Json(Items { items: registry::find(&app, number).await? }))
}
