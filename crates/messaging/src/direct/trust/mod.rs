//! `/api/admin/trust`: trusted certificates besides those of this installation's own authority, for one organization or
//! for all.

mod anchors;
mod authority;
mod bundles;

use ::direct::cert::Certificate;
use platform::{Caller, Error, Result, api::Api, audit::Actor, text::Rule};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, SelectExt};
use serde::Deserialize;
use std::collections::HashMap;
use store::entities::organization;
use utoipa::IntoParams;
use uuid::Uuid;

pub fn api() -> Api {
    bundles::api().merge(anchors::api()).merge(authority::api())
}

const NO_ORGANIZATION: &str = "Please choose an organization from the list.";
const NO_CERTIFICATE: &str = "This is not a readable certificate.";

platform::text! {
    /// One certificate in PEM.
    pub CertificatePem = Rule::lines(1, 20_000)
        .says("Please choose or paste a certificate.");
    /// One certificate in PEM, or nothing.
    pub OptionalCertificatePem = Rule::lines(0, 20_000)
        .says("Please choose or paste a certificate.");
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct TrustQuery {
    /// What this organization trusts: its own entries, and those of all organizations.
    organization_id: Option<Uuid>,
    page_number: Option<u64>,
    /// At most 100.
    page_size: Option<u64>,
}

/// The certificate in the text of a field.
fn certificate(field: &str, pem: &str) -> Result<Certificate> {
    let mut found = Certificate::many_from_file(pem.as_bytes()).unwrap_or_default();
    match found.len() {
        0 => Err(Error::field(field, NO_CERTIFICATE)),
        1 => Ok(found.remove(0)),
        several => Err(Error::field(field, format!("Please enter only one certificate, not {several}."))),
    }
}

/// The actor of a change to the trust of one organization, or of all.
fn actor(caller: &Caller, organization_id: Option<Uuid>) -> Actor {
    match organization_id {
        Some(id) => Actor::in_organization(caller, id),
        None => Actor::platform(caller),
    }
}

/// Refuses a missing organization for a new entry.
async fn check_organization(db: &impl ConnectionTrait, organization_id: Option<Uuid>) -> Result<()> {
    match organization_id {
        Some(id) if !is_there(db, id).await? => Err(Error::field("organizationId", NO_ORGANIZATION)),
        _ => Ok(()),
    }
}

/// Rows of one organization and of all organizations; without an organization, every row.
async fn trusted_by(
    db: &impl ConnectionTrait,
    column: impl ColumnTrait,
    organization_id: Option<Uuid>,
) -> Result<Condition> {
    let Some(id) = organization_id else { return Ok(Condition::all()) };
    if !is_there(db, id).await? {
        return Err(Error::NotFound);
    }
    Ok(Condition::any().add(column.is_null()).add(column.eq(id)))
}

async fn is_there(db: &impl ConnectionTrait, id: Uuid) -> Result<bool, DbErr> {
    let found = organization::Entity::find_by_id(id).filter(organization::Column::DeletedAt.is_null());
    found.exists(db).await
}

/// Names of the organizations of these rows.
async fn names(
    db: &impl ConnectionTrait,
    ids: impl Iterator<Item = Option<Uuid>>,
) -> Result<HashMap<Uuid, String>, DbErr> {
    let ids: Vec<Uuid> = ids.flatten().collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = organization::Entity::find().filter(organization::Column::Id.is_in(ids)).all(db).await?;
    Ok(found.into_iter().map(|row| (row.id, row.name)).collect())
}
