//! `/api/admin/trust/anchors`: individual certificates as trust anchors. Those of a bundle are added and removed with
//! it.

use super::{CertificatePem, actor, certificate, check_organization, names, trusted_by};
use crate::direct::anchors::{self, Terms};
use ::direct::cert::{Certificate, PeriodStatus};
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    http::{Body, Created, Id, Page, Paged, Params},
    sql,
};
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter, SelectExt};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::entities::{
    trust_anchor::{Column, Entity, Model},
    trust_bundle,
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub(super) fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(trust_anchors, create_trust_anchor))
        .route(SYSADMINS, routes!(trust_anchor, update_trust_anchor, delete_trust_anchor))
}

const TRUSTED_ALREADY: &str = "This certificate is already trusted.";
const EXPIRED: &str = "This certificate is no longer valid.";
const OF_A_BUNDLE: &str = "This certificate is part of a trust bundle. Remove the bundle instead.";

/// The direction of mail for which an anchor is trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum TrustDirection {
    #[default]
    Both,
    /// Received mail.
    Incoming,
    /// Recipients of sent mail.
    Outgoing,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustAnchor {
    pub id: Uuid,
    /// Null for all organizations.
    pub organization_id: Option<Uuid>,
    pub organization_name: Option<String>,
    /// The bundle of the anchor. Null: it was added individually.
    pub bundle_id: Option<Uuid>,
    pub bundle_name: Option<String>,
    pub subject: String,
    /// SHA-256, in hexadecimal digits.
    pub fingerprint: String,
    pub not_after: DateTime<Utc>,
    pub direction: TrustDirection,
    pub requires_revocation: bool,
    pub created_date: DateTime<Utc>,
    /// To be sent back when saving.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustAnchorForm {
    /// One certificate, PEM.
    pub certificate: CertificatePem,
    /// Null for all organizations.
    pub organization_id: Option<Uuid>,
    #[serde(default)]
    #[schema(required = false)]
    pub direction: TrustDirection,
    /// Certificates below it are not used while their revocation list is unavailable.
    #[serde(default)]
    pub requires_revocation: bool,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustAnchorTerms {
    pub direction: TrustDirection,
    /// Certificates below it are not used while their revocation list is unavailable.
    #[serde(default)]
    pub requires_revocation: bool,
    /// The version that was read.
    pub version: Option<i32>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct TrustAnchorQuery {
    /// Anchors that this organization trusts: its own, and those of all organizations.
    organization_id: Option<Uuid>,
    /// Anchors of this bundle.
    bundle_id: Option<Uuid>,
    page_number: Option<u64>,
    /// At most 100.
    page_size: Option<u64>,
}

/// The trust anchors, newest first
#[utoipa::path(get, path = "/api/admin/trust/anchors", operation_id = "trustAnchors", tag = "trust",
    params(TrustAnchorQuery), responses((status = 200, body = Paged<TrustAnchor>)))]
async fn trust_anchors(
    State(app): State<App>,
    Params(query): Params<TrustAnchorQuery>,
) -> Result<Json<Paged<TrustAnchor>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let db = app.store.db();
    let mut rows =
        Entity::find().filter(trusted_by(db, Column::OrganizationId, query.organization_id).await?);
    if let Some(bundle) = query.bundle_id {
        rows = rows.filter(Column::BundleId.eq(bundle));
    }
    // Ids increase over time.
    let Paged { items, total_count, total_is_capped } =
        sql::page(db, rows, &[(Column::Id, Order::Desc)], page).await?;
    Ok(Json(Paged { items: shown(&app, items).await?, total_count, total_is_capped }))
}

/// Trusts a certificate
#[utoipa::path(post, path = "/api/admin/trust/anchors", operation_id = "createTrustAnchor", tag = "trust",
    request_body = TrustAnchorForm, responses((status = 201, body = TrustAnchor)))]
async fn create_trust_anchor(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<TrustAnchorForm>,
) -> Result<Created<TrustAnchor>> {
    let db = app.store.db();
    check_organization(db, form.organization_id).await?;
    let certificate = certificate("certificate", &form.certificate)?;
    if certificate.status(app.clock.now()) == PeriodStatus::Expired {
        return Err(Error::field("certificate", EXPIRED));
    }
    if anchors::own(form.organization_id, &certificate).exists(db).await? {
        return Err(Error::field("certificate", TRUSTED_ALREADY));
    }
    let actor = actor(&caller, form.organization_id);
    let terms = terms(form.direction, form.requires_revocation);
    let id = anchors::add(&app, &actor, form.organization_id, &certificate, terms).await?;
    let anchor = one(&app, found(&app, id).await?).await?;
    Ok(Created(format!("/api/admin/trust/anchors/{id}"), anchor))
}

/// Reads a trust anchor
#[utoipa::path(get, path = "/api/admin/trust/anchors/{id}", operation_id = "trustAnchor", tag = "trust",
    params(("id" = Uuid, Path)), responses((status = 200, body = TrustAnchor)))]
async fn trust_anchor(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<TrustAnchor>> {
    let row = found(&app, id).await?;
    Ok(Json(one(&app, row).await?))
}

/// Changes the purposes for which a certificate is trusted
#[utoipa::path(put, path = "/api/admin/trust/anchors/{id}", operation_id = "updateTrustAnchor", tag = "trust",
    params(("id" = Uuid, Path)), request_body = TrustAnchorTerms,
    responses((status = 200, body = TrustAnchor),
        (status = 409, description = "Changed by somebody else, or part of a bundle")))]
async fn update_trust_anchor(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<TrustAnchorTerms>,
) -> Result<Json<TrustAnchor>> {
    let row = of_no_bundle(&app, id).await?;
    let actor = actor(&caller, row.organization_id);
    let terms = terms(form.direction, form.requires_revocation);
    let saved = anchors::change(&app, &actor, id, terms, form.version).await?;
    Ok(Json(one(&app, saved).await?))
}

/// Stops trusting a certificate
#[utoipa::path(delete, path = "/api/admin/trust/anchors/{id}", operation_id = "deleteTrustAnchor", tag = "trust",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "Part of a bundle")))]
async fn delete_trust_anchor(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let row = of_no_bundle(&app, id).await?;
    match anchors::remove(&app, &actor(&caller, row.organization_id), id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::NotFound),
    }
}

fn terms(direction: TrustDirection, requires_revocation: bool) -> Terms {
    Terms {
        incoming: direction != TrustDirection::Outgoing,
        outgoing: direction != TrustDirection::Incoming,
        requires_revocation,
    }
}

async fn found(app: &App, id: Uuid) -> Result<Model> {
    Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)
}

async fn of_no_bundle(app: &App, id: Uuid) -> Result<Model> {
    let row = found(app, id).await?;
    match row.bundle_id {
        Some(_) => Err(Error::Conflict(OF_A_BUNDLE.into())),
        None => Ok(row),
    }
}

async fn one(app: &App, row: Model) -> Result<TrustAnchor> {
    shown(app, vec![row]).await?.pop().ok_or(Error::NotFound)
}

async fn shown(app: &App, rows: Vec<Model>) -> Result<Vec<TrustAnchor>> {
    let db = app.store.db();
    let names = names(db, rows.iter().map(|row| row.organization_id)).await?;
    let bundles: HashMap<Uuid, String> = trust_bundle::Entity::find()
        .filter(trust_bundle::Column::Id.is_in(rows.iter().filter_map(|row| row.bundle_id)))
        .all(db)
        .await?
        .into_iter()
        .map(|bundle| (bundle.id, bundle.name))
        .collect();
    let anchor = |row: Model| {
        let certificate = Certificate::from_pem(row.certificate_pem.as_bytes()).map_err(Error::internal)?;
        Ok(TrustAnchor {
            organization_name: row.organization_id.and_then(|id| names.get(&id).cloned()),
            bundle_name: row.bundle_id.and_then(|id| bundles.get(&id).cloned()),
            subject: certificate.subject(),
            not_after: certificate.period().not_after,
            direction: match (row.incoming, row.outgoing) {
                (true, false) => TrustDirection::Incoming,
                (false, true) => TrustDirection::Outgoing,
                _ => TrustDirection::Both,
            },
            id: row.id,
            organization_id: row.organization_id,
            bundle_id: row.bundle_id,
            fingerprint: row.fingerprint,
            requires_revocation: row.requires_revocation,
            created_date: row.created_at,
            version: row.version,
        })
    };
    rows.into_iter().map(anchor).collect()
}
