//! `/api/admin/organizations/{id}/directoryentries/sync`: imports entries from the directory of the network.

use super::{
    fhir::KnownOrganization,
    queries::{self, of_oid},
    rules,
    source::{self, Directory},
    types::{DirectoryEntry, DirectoryEntryForm},
};
use accounts::organization::find_open;
use axum::{Json, extract::State};
use futures::{StreamExt, stream};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    checks,
    fields::FieldErrors,
    http::{Body, Id, Items},
    text::RequiredObjectIdentifier,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(sync_directory_entries))
}

/// Maximum number of OIDs in one import.
const OIDS_MAX: usize = 50;
/// Maximum number of concurrent requests to the directory.
const AT_ONCE: usize = 5;
const NO_OIDS: &str = "Please enter at least one OID.";
const TOO_MANY: &str = "Please enter at most 50 OIDs.";

#[derive(Deserialize, ToSchema)]
pub struct SyncForm {
    /// At most 50.
    pub oids: Vec<RequiredObjectIdentifier>,
}

/// Result of one OID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum SyncOutcome {
    Added,
    Updated,
    /// The entry already matches the directory.
    Unchanged,
    /// The directory does not have the OID.
    NotFound,
    /// The directory's entry lacks required data, such as an address.
    Incomplete,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncResult {
    pub oid: String,
    pub outcome: SyncOutcome,
    /// Name in the directory.
    pub display_name: String,
    /// The entry after the import.
    pub entry: Option<DirectoryEntry>,
}

/// Imports entries from the FHIR directory of the network: adds new ones, and updates the others
#[utoipa::path(post, path = "/api/admin/organizations/{id}/directoryentries/sync",
    operation_id = "syncDirectoryEntries", tag = "organizations", params(("id" = Uuid, Path)),
    request_body = SyncForm, responses((status = 200, body = Items<SyncResult>),
        (status = 409, description = "The directory cannot be reached, or the organization has too many entries")))]
async fn sync_directory_entries(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<SyncForm>,
) -> Result<Json<Items<SyncResult>>> {
    let oids: BTreeSet<String> = form.oids.into_iter().map(plain).collect();
    let mut errors = FieldErrors::default();
    errors.require(!oids.is_empty(), "oids", NO_OIDS);
    errors.require(oids.len() <= OIDS_MAX, "oids", TOO_MANY);
    errors.check()?;
    find_open(app.store.db(), id).await?;
    let directory = source::member(&app)?;
    // All are fetched before anything is saved: if the directory fails half way, nothing changes.
    let mut items = Vec::new();
    for (oid, known) in ask(&*directory, oids).await? {
        items.push(match known {
            Some(known) => save(&app, &caller, id, oid, known).await?,
            None => {
                SyncResult { oid, outcome: SyncOutcome::NotFound, display_name: String::new(), entry: None }
            }
        });
    }
    Ok(Json(Items { items }))
}

/// An OID without the optional prefix.
fn plain(oid: RequiredObjectIdentifier) -> String {
    let oid = String::from(oid);
    oid.strip_prefix("urn:oid:").map(str::to_owned).unwrap_or(oid)
}

async fn ask(
    directory: &dyn Directory,
    oids: BTreeSet<String>,
) -> Result<Vec<(String, Option<KnownOrganization>)>> {
    let questions = oids.into_iter().map(async |oid| {
        let known = directory.find(&oid).await?;
        Ok((oid, known))
    });
    let answers: Vec<Result<_>> = stream::iter(questions).buffered(AT_ONCE).collect().await;
    answers.into_iter().collect()
}

/// Checks the same limits as for typed values.
fn checked(form: &mut Value) -> Result<DirectoryEntryForm> {
    checks::check::<DirectoryEntryForm>(form).check()?;
    let form = serde_json::from_value(form.take()).map_err(|e| Error::internal(e.to_string()))?;
    rules::check(&form)?;
    Ok(form)
}

/// Adds an entry or updates the one with the OID. Values that only operators know are kept.
async fn save(
    app: &App,
    caller: &Caller,
    organization_id: Uuid,
    oid: String,
    known: KnownOrganization,
) -> Result<SyncResult> {
    let before = of_oid(app.store.db(), organization_id, &oid).await?;
    let mut form = json!({
        "id": before.as_ref().map(|entry| entry.id),
        "version": before.as_ref().map(|entry| entry.version),
        "responderType": before.as_ref().map_or_else(|| known.responder_type(), |entry| entry.responder_type),
        "legalName": before.as_ref().map(|entry| entry.legal_name.clone()).unwrap_or_default(),
        "organizationId": oid,
        "homeCommunityId": known.home_community_id,
        "displayName": known.display_name,
        "otherNames": known.other_names,
        "parentOrgId": known.parent_oid,
        "address": known.street,
        "city": known.city,
        "state": known.state,
        "zipCode": known.zip,
        "country": known.country,
        "isActive": known.is_active,
    });
    let answer = |outcome, entry| SyncResult { oid, outcome, display_name: known.display_name, entry };
    let Ok(form) = checked(&mut form) else { return Ok(answer(SyncOutcome::Incomplete, None)) };
    let version = before.map(|entry| entry.version);
    let saved = queries::save(app, caller, organization_id, form).await?;
    let outcome = match version {
        None => SyncOutcome::Added,
        Some(version) if version == saved.version => SyncOutcome::Unchanged,
        Some(_) => SyncOutcome::Updated,
    };
    Ok(answer(outcome, Some(saved)))
}
