//! `/api/admin/organizations/{id}/directoryentries`

use super::{
    queries, rules,
    types::{DirectoryEntry, DirectoryEntryForm},
};
use axum::{Json, extract::State};
use platform::{
    App, Caller, Result,
    access::SYSADMINS,
    api::Api,
    http::{Body, Id, Items},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(directory_entries, save_directory_entry))
}

/// The entries of an organization in the Carequality directory, by name
#[utoipa::path(get, path = "/api/admin/organizations/{id}/directoryentries", operation_id = "directoryEntries",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = Items<DirectoryEntry>)))]
async fn directory_entries(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<DirectoryEntry>>> {
    Ok(Json(Items { items: queries::list(&app, &caller, id).await? }))
}

/// Adds or changes an entry of an organization in the Carequality directory
#[utoipa::path(put, path = "/api/admin/organizations/{id}/directoryentries", operation_id = "saveDirectoryEntry",
    tag = "organizations", params(("id" = Uuid, Path)), request_body = DirectoryEntryForm,
    responses((status = 200, body = DirectoryEntry)))]
async fn save_directory_entry(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<DirectoryEntryForm>,
) -> Result<Json<DirectoryEntry>> {
    rules::check(&form)?;
    Ok(Json(queries::save(&app, &caller, id, form).await?))
}
