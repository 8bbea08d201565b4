//! `/api/admin/organizations/{id}/directoryentries`

use super::{queries, rules};
use axum::{Json, extract::State};
use platform::{
    App, Caller, Result,
    access::SYSADMINS,
    api::Api,
    http::{Body, Id, Items},
    text::{CountryCode, Line, ObjectIdentifier, RequiredLine, RequiredObjectIdentifier, RequiredPostalCode},
};
use serde::{Deserialize, Serialize};
use store::entities::carequality_entry::ResponderType;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(directory_entries, save_directory_entry))
}

/// What is saved. A text that is left out is empty.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectoryEntryForm {
    /// None for a new entry.
    pub id: Option<Uuid>,
    pub responder_type: ResponderType,
    /// By which the network knows the entry.
    pub organization_id: RequiredObjectIdentifier,
    #[serde(default)]
    pub home_community_id: ObjectIdentifier,
    pub display_name: RequiredLine,
    #[serde(default)]
    pub legal_name: Line,
    /// At most 20.
    #[serde(default)]
    pub other_names: Vec<Line>,
    /// The `organizationId` of the entry above it.
    #[serde(default)]
    pub parent_org_id: ObjectIdentifier,
    /// Street.
    pub address: RequiredLine,
    pub city: RequiredLine,
    pub state: RequiredLine,
    pub zip_code: RequiredPostalCode,
    pub country: CountryCode,
    /// A new entry is active unless told otherwise; others stay as they are.
    pub is_active: Option<bool>,
    /// The version that was read. Not asked for when creating.
    pub version: Option<i32>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectoryEntry {
    pub id: Uuid,
    pub responder_type: ResponderType,
    /// By which the network knows the entry: an object identifier.
    pub organization_id: String,
    pub home_community_id: String,
    pub display_name: String,
    pub legal_name: String,
    pub other_names: Vec<String>,
    pub parent_org_id: String,
    /// As the organization's purposes of use were when the entry was made.
    pub purpose_of_use_codes: Vec<String>,
    pub address: String,
    pub city: String,
    pub state: String,
    pub zip_code: String,
    pub country: String,
    pub is_active: bool,
    pub initiator_only: bool,
    /// Other entries of the organization stand below it.
    pub is_parent: bool,
    /// To be sent back when saving.
    pub version: i32,
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
