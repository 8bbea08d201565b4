//! `/api/organizations/{id}/direct`: the domain of an organization, its certificate and its Direct addresses.

use super::certificates;
use crate::model::{SourceKind, SourceStatus};
use ::direct::address::DirectAddress;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    http::{Body, Created, Id, Page, Paged, Params},
    session::ROLE_ADMINISTRATOR,
    sql::{self, holds_words},
    text::{RequiredLine, Rule, SearchWords},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel,
    Order, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, SqlErr,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    Transaction,
    entities::{direct_certificate, document_source, membership, organization, user_document_source},
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(organization_direct))
        .route(SYSADMINS, routes!(save_direct_settings))
        .route(SYSADMINS, routes!(direct_addresses, create_direct_address))
        .route(SYSADMINS, routes!(direct_address, rename_direct_address))
}

const TAKEN: &str = "This organization has this address already.";

platform::text! {
    /// The part of an address before the `@`.
    pub LocalPart = Rule::line(1, 64).pattern(r"[A-Za-z0-9]+([._\-][A-Za-z0-9]+)*")
        .says("Please enter letters and digits, with single periods, hyphens or underscores between them.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationDirect {
    /// Addresses are `…@domain`.
    pub domain: String,
    /// The organization is activated: its mail is taken.
    pub is_served: bool,
    /// None before it is issued.
    pub certificate: Option<DomainCertificate>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainCertificate {
    pub serial: String,
    pub not_before: DateTime<Utc>,
    pub not_after: DateTime<Utc>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectSource {
    pub id: Uuid,
    pub address: String,
    pub display_name: String,
    /// People who may send from it.
    pub users: u64,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectAddressForm {
    pub local_part: LocalPart,
    /// What the organization calls it, such as `Front desk`.
    pub display_name: RequiredLine,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectAddressName {
    pub display_name: RequiredLine,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct DirectAddressQuery {
    /// Each word stands somewhere in the address.
    #[param(inline)]
    pub search: Option<SearchWords>,
    pub page_number: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// The Direct domain of an organization and its certificate
#[utoipa::path(get, path = "/api/organizations/{id}/direct", operation_id = "organizationDirect",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = OrganizationDirect)))]
async fn organization_direct(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<OrganizationDirect>> {
    Ok(Json(direct_of(&app, id).await?))
}

/// What becomes of the certificate of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
pub enum CertificateChange {
    /// A new one takes its place; mail that is encrypted to the present one can still be opened.
    Renew,
    /// The present one is revoked: somebody else may have its key.
    Revoke,
}

#[derive(Deserialize, ToSchema)]
pub struct DirectSettingsForm {
    pub certificate: CertificateChange,
}

/// Issues a new certificate for the Direct domain of an organization, with a new key
#[utoipa::path(put, path = "/api/organizations/{id}/directsettings", operation_id = "saveDirectSettings",
    tag = "organizations", params(("id" = Uuid, Path)), request_body = DirectSettingsForm,
    responses((status = 200, body = OrganizationDirect), (status = 409, description = "The domain is not served")))]
async fn save_direct_settings(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(DirectSettingsForm { certificate }): Body<DirectSettingsForm>,
) -> Result<Json<OrganizationDirect>> {
    let actor = Actor::in_organization(&caller, id);
    certificates::replace(&app, &actor, id, certificate == CertificateChange::Revoke).await?;
    Ok(Json(direct_of(&app, id).await?))
}

async fn direct_of(app: &App, id: Uuid) -> Result<OrganizationDirect> {
    use direct_certificate::Column;
    let organization = organization(app.store.db(), id).await?;
    let certificate = direct_certificate::Entity::find()
        .filter(Column::OrganizationId.eq(id))
        .filter(Column::RevokedAt.is_null())
        .filter(Column::RetiredAt.is_null())
        .order_by_desc(Column::NotAfter)
        .one(app.store.db())
        .await?;
    Ok(OrganizationDirect {
        domain: app.config.direct_domain(&organization.sub_domain),
        is_served: organization.is_activated && !organization.is_cancelled,
        certificate: certificate.map(|row| DomainCertificate {
            serial: row.serial,
            not_before: row.not_before,
            not_after: row.not_after,
        }),
    })
}

/// The Direct addresses of an organization
#[utoipa::path(get, path = "/api/organizations/{id}/directaddresses", operation_id = "directAddresses",
    tag = "organizations", params(("id" = Uuid, Path), DirectAddressQuery),
    responses((status = 200, body = Paged<DirectSource>)))]
async fn direct_addresses(
    State(app): State<App>,
    Id(id): Id<Uuid>,
    Params(query): Params<DirectAddressQuery>,
) -> Result<Json<Paged<DirectSource>>> {
    use document_source::Column;
    let db = app.store.db();
    organization(db, id).await?;
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let rows = of_organization(id)
        .filter(holds_words(Column::AddressKey, query.search.as_deref().unwrap_or_default()));
    let found = sql::page(db, rows, &[(Column::AddressKey, Order::Asc)], page).await?;
    let users: Vec<(Uuid, i64)> = user_document_source::Entity::find()
        .select_only()
        .column(user_document_source::Column::DocumentSourceId)
        .column_as(user_document_source::Column::UserId.count(), "n")
        .filter(user_document_source::Column::DocumentSourceId.is_in(found.items.iter().map(|row| row.id)))
        .group_by(user_document_source::Column::DocumentSourceId)
        .into_tuple()
        .all(db)
        .await?;
    Ok(Json(found.map(|row| DirectSource {
        users: users.iter().find(|(source, _)| *source == row.id).map_or(0, |(_, n)| *n as u64),
        id: row.id,
        address: row.address,
        display_name: row.display_name,
    })))
}

/// Adds a Direct address, from which the administrators of the organization may send at first
#[utoipa::path(post, path = "/api/organizations/{id}/directaddresses", operation_id = "createDirectAddress",
    tag = "organizations", params(("id" = Uuid, Path)), request_body = DirectAddressForm,
    responses((status = 201, body = DirectSource)))]
async fn create_direct_address(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<DirectAddressForm>,
) -> Result<Created<DirectSource>> {
    let txn = app.store.begin().await?;
    let organization = organization(&txn, id).await?;
    let domain = app.config.direct_domain(&organization.sub_domain);
    let address = format!("{}@{domain}", form.local_part.to_lowercase());
    DirectAddress::parse(&address).map_err(|error| Error::field("localPart", error.to_string()))?;
    let source =
        row(&app, id, &address, &form.display_name).insert(&txn).await.map_err(|error| {
            match error.sql_err() {
                Some(SqlErr::UniqueConstraintViolation(_)) => Error::field("localPart", TAKEN),
                _ => error.into(),
            }
        })?;
    let links = administrators(&txn, id, source.id).await?;
    let users = links.len() as u64;
    link(&txn, links).await?;
    let act =
        Act::new(event::CREATED, "documentsource", source.id).detail(json!({ "address": source.address }));
    audit::record(&app, &txn, &Actor::in_organization(&caller, id), act).await?;
    txn.commit().await?;
    let location = format!("/api/organizations/{id}/directaddresses/{}", source.id);
    let shown =
        DirectSource { id: source.id, address: source.address, display_name: source.display_name, users };
    Ok(Created(location, shown))
}

/// Reads a Direct address
#[utoipa::path(get, path = "/api/organizations/{id}/directaddresses/{addressId}", operation_id = "directAddress",
    tag = "organizations", params(("id" = Uuid, Path), ("addressId" = Uuid, Path)),
    responses((status = 200, body = DirectSource)))]
async fn direct_address(
    State(app): State<App>,
    Id((id, address_id)): Id<(Uuid, Uuid)>,
) -> Result<Json<DirectSource>> {
    let db = app.store.db();
    organization(db, id).await?;
    let found = of_organization(id).filter(document_source::Column::Id.eq(address_id)).one(db).await?;
    Ok(Json(shown(db, found.ok_or(Error::NotFound)?).await?))
}

/// Gives a Direct address another name; the address itself stays
#[utoipa::path(put, path = "/api/organizations/{id}/directaddresses/{addressId}",
    operation_id = "renameDirectAddress", tag = "organizations",
    params(("id" = Uuid, Path), ("addressId" = Uuid, Path)), request_body = DirectAddressName,
    responses((status = 200, body = DirectSource)))]
async fn rename_direct_address(
    State(app): State<App>,
    caller: Caller,
    Id((id, address_id)): Id<(Uuid, Uuid)>,
    Body(form): Body<DirectAddressName>,
) -> Result<Json<DirectSource>> {
    let txn = app.store.begin().await?;
    organization(&txn, id).await?;
    let found = of_organization(id)
        .filter(document_source::Column::Id.eq(address_id))
        .lock_exclusive()
        .one(&txn)
        .await?
        .ok_or(Error::NotFound)?;
    let before = found.display_name.clone();
    let mut row = found.into_active_model();
    row.display_name = Set(form.display_name.to_string());
    let saved = row.update(&txn).await?;
    let act = Act::new(event::CHANGED, "documentsource", saved.id)
        .detail(json!({ "before": before, "after": saved.display_name }));
    audit::record(&app, &txn, &Actor::in_organization(&caller, id), act).await?;
    let saved = shown(&txn, saved).await?;
    txn.commit().await?;
    Ok(Json(saved))
}

async fn shown(db: &impl ConnectionTrait, row: document_source::Model) -> Result<DirectSource> {
    let users = user_document_source::Entity::find()
        .filter(user_document_source::Column::DocumentSourceId.eq(row.id))
        .count(db)
        .await?;
    Ok(DirectSource { id: row.id, address: row.address, display_name: row.display_name, users })
}

async fn organization(db: &impl ConnectionTrait, id: Uuid) -> Result<organization::Model> {
    let found = organization::Entity::find_by_id(id).one(db).await?;
    found.filter(|organization| organization.deleted_at.is_none()).ok_or(Error::NotFound)
}

fn of_organization(id: Uuid) -> sea_orm::Select<document_source::Entity> {
    document_source::Entity::find()
        .filter(document_source::Column::OrganizationId.eq(id))
        .filter(document_source::Column::Kind.eq(SourceKind::Direct))
        .filter(document_source::Column::Status.ne(SourceStatus::Deleted))
}

/// A new address at which mail arrives.
pub fn row(
    app: &App,
    organization_id: Uuid,
    address: &str,
    display_name: &str,
) -> document_source::ActiveModel {
    document_source::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(organization_id),
        kind: Set(SourceKind::Direct),
        address: Set(address.to_owned()),
        address_key: Set(address.to_lowercase()),
        display_name: Set(display_name.to_owned()),
        status: Set(SourceStatus::Activated),
        created_at: Set(app.clock.now()),
        version: Set(1),
    }
}

/// What lets the administrators of an organization send from an address.
pub async fn administrators(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    source_id: Uuid,
) -> Result<Vec<user_document_source::ActiveModel>, DbErr> {
    let found = membership::Entity::find()
        .filter(membership::Column::OrganizationId.eq(organization_id))
        .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR))
        .filter(membership::Column::IsDisabled.eq(false))
        .all(db)
        .await?;
    let link = |administrator: membership::Model| user_document_source::ActiveModel {
        user_id: Set(administrator.user_id),
        document_source_id: Set(source_id),
        organization_id: Set(organization_id),
    };
    Ok(found.into_iter().map(link).collect())
}

pub async fn link(txn: &Transaction, links: Vec<user_document_source::ActiveModel>) -> Result<(), DbErr> {
    if links.is_empty() {
        return Ok(());
    }
    user_document_source::Entity::insert_many(links).exec_without_returning(txn).await.map(drop)
}
