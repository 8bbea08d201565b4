//! `/api/organizations/{id}/direct`: the domain of an organization and its certificate. Its addresses are in [`super::own_addresses`].

use super::certificates;
use crate::model::{SourceKind, SourceStatus};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Id},
    session::ROLE_ADMINISTRATOR,
    text::Rule,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use serde::{Deserialize, Serialize};
use store::{
    Transaction,
    entities::{direct_certificate, document_source, membership, organization, user_document_source},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(organization_direct)).route(SYSADMINS, routes!(save_direct_settings))
}

platform::text! {
    /// The part of an address before the `@`.
    pub LocalPart = Rule::line(1, 64).pattern(r"[A-Za-z0-9]+([._\-][A-Za-z0-9]+)*")
        .says("Please enter letters and digits, with single periods, hyphens or underscores between them.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationDirect {
    /// Domain of its addresses: `…@domain`.
    pub domain: String,
    /// The organization is activated, so its mail is accepted.
    pub is_served: bool,
    /// Null before it is issued.
    pub certificate: Option<DomainCertificate>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainCertificate {
    pub serial: String,
    pub not_before: DateTime<Utc>,
    pub not_after: DateTime<Utc>,
}

/// The Direct domain of an organization and its certificate
#[utoipa::path(get, path = "/api/organizations/{id}/direct", operation_id = "organizationDirect",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = OrganizationDirect)))]
async fn organization_direct(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<OrganizationDirect>> {
    Ok(Json(direct_of(&app, id).await?))
}

/// How a certificate is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
pub enum CertificateChange {
    /// Replaced with a new one; mail encrypted to the present one can still be opened.
    Renew,
    /// The present one is revoked, because somebody else may have its key.
    Revoke,
}

#[derive(Deserialize, ToSchema)]
pub struct DirectSettingsForm {
    pub certificate: CertificateChange,
}

/// Issues a new certificate for the Direct domain of an organization, with a new key
#[utoipa::path(put, path = "/api/organizations/{id}/directsettings", operation_id = "saveDirectSettings",
    tag = "organizations", params(("id" = Uuid, Path)), request_body = DirectSettingsForm,
    responses((status = 200, body = OrganizationDirect), (status = 409, description = "The domain does not accept mail")))]
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

async fn organization(db: &impl ConnectionTrait, id: Uuid) -> Result<organization::Model> {
    let found = organization::Entity::find_by_id(id).one(db).await?;
    found.filter(|organization| organization.deleted_at.is_none()).ok_or(Error::NotFound)
}

/// The row of a new address that accepts mail.
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
        limits_readers: Set(false),
    }
}

/// Rows that let the administrators of an organization send from an address.
pub async fn administrators(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    source_id: Uuid,
) -> Result<Vec<user_document_source::ActiveModel>, DbErr> {
    let found = administrators_of(db, organization_id).await?;
    let link = |user_id: Uuid| user_document_source::ActiveModel {
        user_id: Set(user_id),
        document_source_id: Set(source_id),
        organization_id: Set(organization_id),
    };
    Ok(found.into_iter().map(link).collect())
}

pub async fn administrators_of(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<Vec<Uuid>, DbErr> {
    let found = membership::Entity::find()
        .filter(membership::Column::OrganizationId.eq(organization_id))
        .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR))
        .filter(membership::Column::IsDisabled.eq(false))
        .all(db)
        .await?;
    Ok(found.into_iter().map(|administrator| administrator.user_id).collect())
}

pub async fn link(txn: &Transaction, links: Vec<user_document_source::ActiveModel>) -> Result<(), DbErr> {
    if links.is_empty() {
        return Ok(());
    }
    user_document_source::Entity::insert_many(links).exec_without_returning(txn).await.map(drop)
}
