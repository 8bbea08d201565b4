//! `/api/adminlicenses`, `/api/licenses`, `/api/admin/apps`

use super::{
    queries, signing,
    types::{AppQuery, LicenceIssueForm, LicenseList, LicenseQuery, LicensedApp},
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use platform::{
    App, Caller, Result,
    access::{PUBLIC, SYSADMINS},
    api::Api,
    http::{FormBody, Items, Page, Params},
};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(licenses))
        .route(SYSADMINS, routes!(issue_licenses))
        .route(SYSADMINS, routes!(licensed_apps))
        .route(PUBLIC, routes!(license_public_key))
}

/// The issued licences, newest first
#[utoipa::path(get, path = "/api/adminlicenses", operation_id = "licenses", tag = "licenses",
    params(LicenseQuery), responses((status = 200, body = LicenseList)))]
async fn licenses(State(app): State<App>, Params(query): Params<LicenseQuery>) -> Result<Json<LicenseList>> {
    Ok(Json(queries::list(&app, &query).await?))
}

/// Issues licences, once per reference
#[utoipa::path(post, path = "/api/licenses/issue", operation_id = "issueLicenses", tag = "licenses",
    request_body(content(
        (LicenceIssueForm = "application/json"),
        (LicenceIssueForm = "application/x-www-form-urlencoded"),
    )),
    responses((status = 201, body = LicenseList)))]
async fn issue_licenses(
    State(app): State<App>,
    caller: Caller,
    FormBody(form): FormBody<LicenceIssueForm>,
) -> Result<(StatusCode, Json<LicenseList>)> {
    let items = queries::issue(&app, &caller, form).await?;
    Ok((StatusCode::CREATED, Json(LicenseList { count: items.len() as u64, items })))
}

/// The applications that can be licensed
#[utoipa::path(get, path = "/api/admin/apps", operation_id = "licensedApps", tag = "licenses",
    params(AppQuery), responses((status = 200, body = Items<LicensedApp>)))]
async fn licensed_apps(
    State(app): State<App>,
    Params(query): Params<AppQuery>,
) -> Result<Json<Items<LicensedApp>>> {
    let page = Page::new(None, query.size, 100, 5_000)?;
    Ok(Json(Items { items: queries::applications(&app, page.size).await? }))
}

/// The public key with which connectors check licences (Ed25519, PEM)
#[utoipa::path(get, path = "/api/licenses/publickey", operation_id = "licensePublicKey", tag = "licenses",
    responses((status = 200, content_type = "application/x-pem-file", body = String)))]
async fn license_public_key(State(app): State<App>) -> Result<Response> {
    let pem = signing::public_pem(&app).await?;
    Ok(([(header::CONTENT_TYPE, "application/x-pem-file")], pem).into_response())
}
