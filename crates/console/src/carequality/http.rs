//! `/api/admin/organizations/{id}/directoryentries`

use super::{queries, rules};
use axum::{Json, extract::State};
use platform::{
    App, Caller, Result,
    access::SYSADMINS,
    api::Api,
    http::{Body, Id, Items},
};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(directory_entries, save_directory_entry))
}

/// What an entry does in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ResponderType {
    DirectResponder,
    ChildLocation,
    GatewayResponder,
    GatewayMember,
    InitiatorOnly,
    #[serde(rename = "passthrough")]
    Passthrough,
}

/// What is saved. A text that is left out is empty.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DirectoryEntryForm {
    /// None for a new entry.
    pub id: Option<Uuid>,
    pub responder_type: Option<ResponderType>,
    /// By which the network knows the entry: an object identifier.
    #[serde(deserialize_with = "text")]
    pub organization_id: String,
    #[serde(deserialize_with = "text")]
    pub home_community_id: String,
    #[serde(deserialize_with = "text")]
    pub display_name: String,
    #[serde(deserialize_with = "text")]
    pub legal_name: String,
    pub other_names: Vec<String>,
    /// The `organizationId` of the entry above it.
    #[serde(deserialize_with = "text")]
    pub parent_org_id: String,
    /// Street.
    #[serde(deserialize_with = "text")]
    pub address: String,
    #[serde(deserialize_with = "text")]
    pub city: String,
    #[serde(deserialize_with = "text")]
    pub state: String,
    #[serde(deserialize_with = "text")]
    pub zip_code: String,
    /// Two letters.
    #[serde(deserialize_with = "text")]
    pub country: String,
    /// A new entry is active unless told otherwise; others stay as they are.
    pub is_active: Option<bool>,
}

/// Text without white space around it; null is empty.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.unwrap_or_default().trim().to_owned())
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
    let form = rules::tidy(form);
    rules::check(&form)?;
    Ok(Json(queries::save(&app, &caller, id, form).await?))
}
