//! Certificates of organizations: issued at activation, and renewed before they expire.

use super::authority::{self, Authority};
use ::direct::cert::{
    BoundTo, CertError, Certificate, CertificateRequest, Identity, KeyPurposes, KeySize, PrivateKey, Validity,
};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
    chores,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType},
};
use serde_json::json;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};
use store::{
    entities::{direct_certificate, organization},
    keys::DataKey,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const NOT_SERVED: &str =
    "The organization has no certificate yet, because it is not activated or its identity is not verified.";
const RENEWAL_ROUND: std::time::Duration = std::time::Duration::from_secs(3600);

/// Issues a certificate unless the organization has one with enough remaining time. Organizations without proof of
/// identity get none.
pub async fn ensure(app: &App, organization_id: Uuid) -> Result<()> {
    ensure_with(app, organization_id, || PrivateKey::generate_rsa(KeySize::Rsa2048)).await
}

/// Like [`ensure`], with a given source of keys.
pub async fn ensure_with(
    app: &App,
    organization_id: Uuid,
    key: impl FnOnce() -> Result<PrivateKey, CertError> + Send + 'static,
) -> Result<()> {
    let organization = organization::Entity::find_by_id(organization_id)
        .one(app.store.db())
        .await?
        .ok_or(Error::NotFound)?;
    if organization.id_proofed_at.is_none() {
        return Ok(());
    }
    let domain = app.config.direct_domain(&organization.sub_domain);
    let now = app.clock.now();
    let authority = authority::active(app).await?;
    let authority_id = authority.row.id;
    let renewal = now + Duration::days(app.config.direct.renew_days_before.into());
    // No certificate outlives its authority: one that lasts as long as the authority is not replaced, since a new one
    // would not last longer.
    let until = renewal.min(authority.ca.certificate().period().not_after - Duration::seconds(1));
    if has_fresh(app, organization_id, authority_id, &domain, until).await? {
        return Ok(());
    }
    let identity = issue(app, authority, key, &organization, &domain, now).await?;
    store_identity(app, organization_id, authority_id, &domain, &identity, until).await
}

/// Whether there is a certificate that lasts longer.
async fn has_fresh(
    app: &App,
    organization_id: Uuid,
    authority_id: Uuid,
    domain: &str,
    until: DateTime<Utc>,
) -> Result<bool> {
    let found = direct_certificate::Entity::find()
        .filter(direct_certificate::Column::OrganizationId.eq(organization_id))
        .filter(direct_certificate::Column::AuthorityId.eq(authority_id))
        .filter(direct_certificate::Column::Domain.eq(domain))
        .filter(direct_certificate::Column::RevokedAt.is_null())
        .filter(direct_certificate::Column::NotAfter.gt(until))
        .one(app.store.db())
        .await?;
    Ok(found.is_some())
}

async fn issue(
    app: &App,
    authority: Authority,
    key: impl FnOnce() -> Result<PrivateKey, CertError> + Send + 'static,
    organization: &organization::Model,
    domain: &str,
    now: DateTime<Utc>,
) -> Result<Identity> {
    let request = CertificateRequest {
        organization: organization.name.chars().take(64).collect(),
        bound_to: BoundTo::Domain(domain.to_owned()),
        purposes: KeyPurposes::BOTH,
        // Slightly in the past, because clocks of other systems differ.
        validity: Validity {
            from: now - Duration::hours(1),
            lasting: Duration::days(app.config.direct.certificate_days.into()),
        },
        crl_url: Some(authority::crl_url(app, authority.row.id)),
        issuer_url: None,
    };
    tokio::task::spawn_blocking(move || authority.ca.issue_for_key(&request, key()?))
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)
}

async fn store_identity(
    app: &App,
    organization_id: Uuid,
    authority_id: Uuid,
    domain: &str,
    identity: &Identity,
    until: DateTime<Utc>,
) -> Result<()> {
    let row = sealed_row(app, organization_id, authority_id, domain, identity).await?;
    let txn = app.store.begin().await?;
    // Two nodes may renew at the same moment: the lock on the organization serializes them.
    organization::Entity::find_by_id(organization_id).lock(LockType::NoKeyUpdate).one(&txn).await?;
    if has_fresh(app, organization_id, authority_id, domain, until).await? {
        return Ok(());
    }
    direct_certificate::Entity::insert(row).exec_without_returning(&txn).await?;
    Ok(app.store.commit_durable(txn).await?)
}

/// Issues a certificate with a new key now, regardless of the present ones. Those are no longer published; mail
/// encrypted to them can still be opened, unless they are revoked because somebody else may have the key.
pub async fn replace(app: &App, actor: &Actor, organization_id: Uuid, revokes: bool) -> Result<()> {
    use direct_certificate::Column;
    let found = organization::Entity::find_by_id(organization_id)
        .filter(organization::Column::DeletedAt.is_null())
        .one(app.store.db())
        .await?;
    let organization = found.ok_or(Error::NotFound)?;
    if organization.id_proofed_at.is_none() || !organization.is_activated {
        return Err(Error::Conflict(NOT_SERVED.into()));
    }
    let domain = app.config.direct_domain(&organization.sub_domain);
    let (now, authority) = (app.clock.now(), authority::active(app).await?);
    let authority_id = authority.row.id;
    let key = || PrivateKey::generate_rsa(KeySize::Rsa2048);
    let identity = issue(app, authority, key, &organization, &domain, now).await?;
    let row = sealed_row(app, organization_id, authority_id, &domain, &identity).await?;
    let serial = identity.certificate().serial();
    let txn = app.store.begin().await?;
    organization::Entity::find_by_id(organization_id).lock(LockType::NoKeyUpdate).one(&txn).await?;
    let mut old = direct_certificate::Entity::update_many()
        .col_expr(Column::RetiredAt, Expr::value(Some(now)))
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::RetiredAt.is_null());
    if revokes {
        old = old.col_expr(Column::RevokedAt, Expr::value(Some(now))).filter(Column::RevokedAt.is_null());
    }
    old.exec(&txn).await?;
    direct_certificate::Entity::insert(row).exec_without_returning(&txn).await?;
    let act = Act::new(event::CHANGED, "organization", organization_id)
        .detail(json!({ "certificate": serial, "revokedBefore": revokes }));
    audit::record(app, &txn, actor, act).await?;
    Ok(app.store.commit_durable(txn).await?)
}

async fn sealed_row(
    app: &App,
    organization_id: Uuid,
    authority_id: Uuid,
    domain: &str,
    identity: &Identity,
) -> Result<direct_certificate::ActiveModel> {
    let key = app.keys.data_key(organization_id).await?;
    let id = Uuid::now_v7();
    let pkcs8 = identity.key().to_pkcs8().map_err(Error::internal)?;
    let mut pem = identity.certificate().to_pem();
    for intermediate in identity.chain() {
        pem.push_str(&intermediate.to_pem());
    }
    let period = identity.certificate().period();
    Ok(direct_certificate::ActiveModel {
        id: Set(id),
        organization_id: Set(organization_id),
        authority_id: Set(authority_id),
        domain: Set(domain.to_owned()),
        serial: Set(identity.certificate().serial()),
        certificate_pem: Set(pem),
        sealed_key: Set(key.seal(&key_context(id), &pkcs8)),
        not_before: Set(period.not_before),
        not_after: Set(period.not_after),
        revoked_at: Set(None),
        retired_at: Set(None),
        created_at: Set(app.clock.now()),
    })
}

fn key_context(id: Uuid) -> String {
    format!("certificate.key:{id}")
}

/// Cache of opened identities: opening and parsing a key costs as much as signing with it.
#[derive(Default)]
pub struct OpenedIdentities(Mutex<HashMap<Uuid, (direct_certificate::Model, Identity)>>);

impl OpenedIdentities {
    /// Maximum number of entries; the cache is cleared when it is full.
    const MOST: usize = 10_000;

    /// All identities of an organization, including expired ones: mail encrypted to an old certificate may still
    /// arrive. The rows are read each time, so that revoked or replaced ones are not used.
    pub async fn of(&self, app: &App, organization_id: Uuid) -> Result<Vec<Identity>> {
        let rows = direct_certificate::Entity::find()
            .filter(direct_certificate::Column::OrganizationId.eq(organization_id))
            .filter(direct_certificate::Column::RevokedAt.is_null())
            .order_by_desc(direct_certificate::Column::NotAfter)
            .all(app.store.db())
            .await?;
        // Without the data key of an organization, its identities must not be used, cached or not.
        let key = app.keys.data_key(organization_id).await?;
        rows.into_iter().map(|row| self.open(&key, row)).collect()
    }

    fn open(&self, key: &DataKey, row: direct_certificate::Model) -> Result<Identity> {
        let opened = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, identity)) = opened().get(&row.id)
            && *known == row
        {
            return Ok(identity.clone());
        }
        let pkcs8 = key.open(&key_context(row.id), &row.sealed_key)?;
        let mut certificates =
            Certificate::many_from_file(row.certificate_pem.as_bytes()).map_err(Error::internal)?;
        let certificate = certificates.remove(0);
        let private = PrivateKey::from_der(&pkcs8).map_err(Error::internal)?;
        let identity = Identity::new(certificate, private, certificates).map_err(Error::internal)?;
        let mut opened = opened();
        if opened.len() >= Self::MOST {
            opened.clear();
        }
        opened.insert(row.id, (row, identity.clone()));
        Ok(identity)
    }
}

/// Issues missing and expiring certificates of activated organizations.
pub async fn renew_due(app: &App) -> Result<()> {
    let activated = organization::Entity::find()
        .filter(organization::Column::IsActivated.eq(true))
        .filter(organization::Column::IsCancelled.eq(false))
        .filter(organization::Column::DeletedAt.is_null())
        .all(app.store.db())
        .await?;
    for organization in activated {
        if let Err(error) = ensure(app, organization.id).await {
            tracing::error!(organization = %organization.id, ?error, "a certificate could not be renewed");
        }
    }
    Ok(())
}

/// Checks every hour for due renewals.
pub async fn renew_forever(app: App, cancel: CancellationToken) {
    chores::every(RENEWAL_ROUND, std::time::Duration::ZERO, cancel, "renewal of certificates", || {
        renew_due(&app)
    })
    .await;
}
