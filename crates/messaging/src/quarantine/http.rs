//! `/api/admin/quarantine`: files in quarantine, for operators.

use super::queries;
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Result,
    access::{OPERATORS, SYSADMINS},
    api::Api,
    audit::{self, Act, event},
    http::{Body, Id, Page, Paged, Params},
    sql,
    text::Rule,
};
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::entities::{
    held_file::{Column, Entity, HeldOrigin, HeldState, Model},
    organization,
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(OPERATORS, routes!(quarantine))
        .route(SYSADMINS, routes!(release_quarantined))
        .route(SYSADMINS, routes!(delete_quarantined))
}

platform::text! {
    /// Why a file is released from quarantine.
    pub ReleaseReason = Rule::line(1, 500).says("Please say why in at most 500 characters.");
}

/// A file that is or was closed to all. Its name is not shown here.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldFile {
    pub id: Uuid,
    pub organization_id: Uuid,
    pub organization_name: String,
    pub origin: HeldOrigin,
    /// The message or batch of the file.
    pub parent_id: Uuid,
    /// Kind of the file, such as `pdf`.
    pub kind: String,
    pub size_in_bytes: i64,
    pub state: HeldState,
    /// The scanner's name for the finding.
    pub finding: Option<String>,
    pub since: DateTime<Utc>,
    pub decided_date: Option<DateTime<Utc>>,
    pub decided_by: Option<String>,
    /// Why it was released.
    pub reason: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct QuarantineQuery {
    /// Default: quarantined.
    state: Option<HeldState>,
    page_number: Option<u64>,
    /// Default 25, maximum 100.
    page_size: Option<u64>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseForm {
    pub reason: ReleaseReason,
}

/// Files in quarantine, waiting for the malware scanner, or already decided on; latest first
#[utoipa::path(get, path = "/api/admin/quarantine", operation_id = "quarantine", tag = "diagnostics",
    params(QuarantineQuery), responses((status = 200, body = Paged<HeldFile>)))]
async fn quarantine(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<QuarantineQuery>,
) -> Result<Json<Paged<HeldFile>>> {
    let db = app.store.db();
    let page = Page::new(query.page_number, query.page_size, 25, 100)?;
    audit::record_read(&app, &caller, Act::new(event::LISTED, "quarantine", "")).await?;
    let state = query.state.unwrap_or(HeldState::Quarantined);
    let rows = Entity::find().filter(Column::State.eq(state));
    let latest = [(Column::Since, Order::Desc), (Column::Id, Order::Desc)];
    let found = sql::page(db, rows, &latest, page).await?;
    let owners = organization::Entity::find()
        .filter(organization::Column::Id.is_in(found.items.iter().map(|row| row.organization_id)))
        .all(db)
        .await?;
    let names: HashMap<Uuid, String> = owners.into_iter().map(|owner| (owner.id, owner.name)).collect();
    Ok(Json(found.map(|row| shown(row, &names))))
}

fn shown(row: Model, names: &HashMap<Uuid, String>) -> HeldFile {
    HeldFile {
        organization_name: names.get(&row.organization_id).cloned().unwrap_or_default(),
        id: row.id,
        organization_id: row.organization_id,
        origin: row.origin,
        parent_id: row.parent_id,
        kind: row.kind,
        size_in_bytes: row.size_bytes,
        state: row.state,
        finding: row.finding,
        since: row.since,
        decided_date: row.decided_at,
        decided_by: row.decided_by,
        reason: row.reason,
    }
}

/// Releases a file from quarantine, so that its organization can open it
#[utoipa::path(post, path = "/api/admin/quarantine/{id}/release", operation_id = "releaseQuarantined",
    tag = "diagnostics", params(("id" = Uuid, Path)), request_body = ReleaseForm, responses((status = 204)))]
async fn release_quarantined(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<ReleaseForm>,
) -> Result<StatusCode> {
    queries::release(&app, &caller, id, form.reason.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a file in quarantine
#[utoipa::path(delete, path = "/api/admin/quarantine/{id}", operation_id = "deleteQuarantined",
    tag = "diagnostics", params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_quarantined(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::delete(&app, &caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
