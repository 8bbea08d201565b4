//! `/api/admin/trust/bundles`: published sets of anchors. They are fetched outside of transactions.

use super::{OptionalCertificatePem, TrustQuery, actor, certificate, check_organization, names, trusted_by};
use crate::direct::{
    bundles::{self, BundleRefused, NewBundle},
    fetcher,
};
use ::direct::{cert::Certificate, trust::BundleError};
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use fetch::HttpFetcher;
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    http::{Body, Created, Id, Page, Paged, Params},
    sql,
    text::Rule,
};
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter, QuerySelect, SelectExt};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::entities::{
    trust_anchor,
    trust_bundle::{Column, Entity, Model},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub(super) fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(trust_bundles, create_trust_bundle))
        .route(SYSADMINS, routes!(trust_bundle, delete_trust_bundle))
        .route(SYSADMINS, routes!(refresh_trust_bundle))
}

const TRUSTED_ALREADY: &str = "The bundle at this address is already trusted.";

platform::text! {
    /// A bundle's name for operators.
    pub BundleName = Rule::line(1, 100).says("Please enter a name of up to 100 characters.");
    /// The URL of a bundle.
    pub BundleUrl = Rule::line(1, 255).pattern(r"[Hh][Tt][Tt][Pp][Ss]?://\S+")
        .says("Please enter the web address of a .p7b or .p7m file, of up to 255 characters.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustBundle {
    pub id: Uuid,
    /// Null for all organizations.
    pub organization_id: Option<Uuid>,
    pub organization_name: Option<String>,
    pub name: String,
    pub url: String,
    /// The subject of the required signer's certificate. Null: signatures are not checked.
    pub signer: Option<String>,
    /// It comes by plain HTTP without a required signature, so certificates could be added to it in transit.
    pub is_unprotected: bool,
    pub requires_revocation: bool,
    /// Number of its trusted certificates.
    pub anchors: u64,
    /// Time of the last successful fetch.
    pub refreshed_date: Option<DateTime<Utc>>,
    /// Why the last fetch failed; the previous anchors stay trusted.
    pub last_error: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustBundleForm {
    pub name: BundleName,
    pub url: BundleUrl,
    /// Null for all organizations.
    pub organization_id: Option<Uuid>,
    /// The certificate of the required signer, in PEM.
    #[serde(default)]
    pub signer: OptionalCertificatePem,
    /// Certificates below its anchors are not used while their revocation list is unavailable.
    #[serde(default)]
    pub requires_revocation: bool,
}

/// The trust bundles, by name
#[utoipa::path(get, path = "/api/admin/trust/bundles", operation_id = "trustBundles", tag = "trust",
    params(TrustQuery), responses((status = 200, body = Paged<TrustBundle>)))]
async fn trust_bundles(
    State(app): State<App>,
    Params(query): Params<TrustQuery>,
) -> Result<Json<Paged<TrustBundle>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let db = app.store.db();
    let rows = Entity::find().filter(trusted_by(db, Column::OrganizationId, query.organization_id).await?);
    let by_name = [(Column::Name, Order::Asc), (Column::Id, Order::Asc)];
    let Paged { items, total_count, total_is_capped } = sql::page(db, rows, &by_name, page).await?;
    Ok(Json(Paged { items: shown(&app, items).await?, total_count, total_is_capped }))
}

/// Fetches a trust bundle and trusts its certificates
#[utoipa::path(post, path = "/api/admin/trust/bundles", operation_id = "createTrustBundle", tag = "trust",
    request_body = TrustBundleForm, responses((status = 201, body = TrustBundle)))]
async fn create_trust_bundle(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<TrustBundleForm>,
) -> Result<Created<TrustBundle>> {
    check_organization(app.store.db(), form.organization_id).await?;
    let signer = match form.signer.is_empty() {
        true => None,
        false => Some(certificate("signer", &form.signer)?),
    };
    if is_known(&app, &form).await? {
        return Err(Error::field("url", TRUSTED_ALREADY));
    }
    let actor = actor(&caller, form.organization_id);
    let new = NewBundle {
        organization_id: form.organization_id,
        name: form.name.into(),
        url: form.url.into(),
        signer,
        requires_revocation: form.requires_revocation,
    };
    let (row, _) = bundles::add(&app, &fetch_for(&app)?, &actor, new).await.map_err(under_its_field)?;
    Ok(Created(format!("/api/admin/trust/bundles/{}", row.id), one(&app, row).await?))
}

/// Reads a trust bundle
#[utoipa::path(get, path = "/api/admin/trust/bundles/{id}", operation_id = "trustBundle", tag = "trust",
    params(("id" = Uuid, Path)), responses((status = 200, body = TrustBundle)))]
async fn trust_bundle(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<TrustBundle>> {
    let row = found(&app, id).await?;
    Ok(Json(one(&app, row).await?))
}

/// Fetches a trust bundle again now
#[utoipa::path(post, path = "/api/admin/trust/bundles/{id}/refresh", operation_id = "refreshTrustBundle",
    tag = "trust", params(("id" = Uuid, Path)),
    responses((status = 200, body = TrustBundle), (status = 409, description = "It could not be fetched")))]
async fn refresh_trust_bundle(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<TrustBundle>> {
    let row = found(&app, id).await?;
    let actor = actor(&caller, row.organization_id);
    match bundles::refresh(&app, &fetch_for(&app)?, &actor, &row).await {
        Ok(()) => Ok(Json(one(&app, found(&app, id).await?).await?)),
        Err(BundleRefused::Storage(error)) => Err(error),
        Err(refused) => {
            Err(Error::Conflict(format!("The last good certificates stay trusted. {refused}").into()))
        }
    }
}

/// Stops trusting the certificates of a bundle
#[utoipa::path(delete, path = "/api/admin/trust/bundles/{id}", operation_id = "deleteTrustBundle", tag = "trust",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_trust_bundle(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let row = found(&app, id).await?;
    match bundles::remove(&app, &actor(&caller, row.organization_id), id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::NotFound),
    }
}

async fn found(app: &App, id: Uuid) -> Result<Model> {
    Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)
}

async fn is_known(app: &App, form: &TrustBundleForm) -> Result<bool> {
    let whose = match form.organization_id {
        Some(id) => Column::OrganizationId.eq(id),
        None => Column::OrganizationId.is_null(),
    };
    let same = Entity::find().filter(whose).filter(Column::Url.eq(&*form.url));
    Ok(same.exists(app.store.db()).await?)
}

fn fetch_for(app: &App) -> Result<HttpFetcher> {
    Ok(fetcher(&app.config)?.within(app.health.fetches.clone()))
}

/// Assigns the reason of a refused bundle to its field.
fn under_its_field(refused: BundleRefused) -> Error {
    match refused {
        BundleRefused::Storage(error) => error,
        BundleRefused::Content(BundleError::WrongSignature | BundleError::SignerUnknown) => {
            Error::field("signer", refused.to_string())
        }
        BundleRefused::Content(_) | BundleRefused::Fetch(_) | BundleRefused::Unprotected => {
            Error::field("url", refused.to_string())
        }
    }
}

async fn one(app: &App, row: Model) -> Result<TrustBundle> {
    shown(app, vec![row]).await?.pop().ok_or(Error::NotFound)
}

async fn shown(app: &App, rows: Vec<Model>) -> Result<Vec<TrustBundle>> {
    let db = app.store.db();
    let names = names(db, rows.iter().map(|row| row.organization_id)).await?;
    let counts: HashMap<Uuid, i64> = trust_anchor::Entity::find()
        .select_only()
        .column(trust_anchor::Column::BundleId)
        .column_as(trust_anchor::Column::Id.count(), "n")
        .filter(trust_anchor::Column::BundleId.is_in(rows.iter().map(|row| row.id)))
        .group_by(trust_anchor::Column::BundleId)
        .into_tuple()
        .all(db)
        .await?
        .into_iter()
        .collect();
    let bundle = |row: Model| {
        let signer = row.signer_pem.as_deref().map(|pem| Certificate::from_pem(pem.as_bytes())).transpose();
        Ok(TrustBundle {
            anchors: counts.get(&row.id).copied().unwrap_or_default().unsigned_abs(),
            organization_name: row.organization_id.and_then(|id| names.get(&id).cloned()),
            is_unprotected: bundles::is_unprotected(&row.url, row.signer_pem.is_some()),
            signer: signer.map_err(Error::internal)?.map(|signer| signer.subject()),
            id: row.id,
            organization_id: row.organization_id,
            name: row.name,
            url: row.url,
            requires_revocation: row.requires_revocation,
            refreshed_date: row.refreshed_at,
            last_error: row.last_error,
        })
    };
    rows.into_iter().map(bundle).collect()
}
