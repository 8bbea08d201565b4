//! The certificate authority of this installation: built in, or an uploaded one.

use super::anchors;
use ::direct::cert::{
    AuthorityName, Certificate, CertificateAuthority, Identity, KeySize, PrivateKey, RevokedSerial, Validity,
};
use chrono::Duration;
use platform::{App, Error, Result};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QueryOrder, sea_query::Expr,
};
use store::entities::{certificate_authority, direct_certificate, trust_anchor};
use uuid::Uuid;

const KEY_SIZE: KeySize = KeySize::Rsa3072;
const VALIDITY: Duration = Duration::days(20 * 365);
/// Validity of a CRL.
const CRL_LIFE: Duration = Duration::days(7);

/// An authority with its key, ready to sign.
pub struct Authority {
    pub row: certificate_authority::Model,
    pub ca: CertificateAuthority,
}

/// Creates the built-in authority and its anchor unless there is one.
pub async fn ensure(app: &App) -> Result<()> {
    if find_active(app).await?.is_some() {
        return Ok(());
    }
    let host = app.config.direct.host.clone();
    let from = app.clock.now() - Duration::hours(1);
    let ca = tokio::task::spawn_blocking(move || {
        let name = AuthorityName {
            common_name: format!("Carepost Direct CA {host}"),
            organization: "Carepost".into(),
        };
        let key = PrivateKey::generate_rsa(KEY_SIZE)?;
        CertificateAuthority::create(&name, Validity { from, lasting: VALIDITY }, key)
    })
    .await
    .map_err(Error::internal)?
    .map_err(Error::internal)?;
    install(app, "Built-in", &ca).await
}

/// Makes an authority the one that issues, and its certificate an anchor of every organization. Certificates of the
/// one before stay good until their end; new ones are issued in the next round of renewals.
pub async fn install(app: &App, name: &str, ca: &CertificateAuthority) -> Result<()> {
    let id = Uuid::now_v7();
    let now = app.clock.now();
    let key = ca.identity().key().to_pkcs8().map_err(Error::internal)?;
    let mut pem = ca.certificate().to_pem();
    for intermediate in ca.identity().chain() {
        pem.push_str(&intermediate.to_pem());
    }
    let authority = certificate_authority::ActiveModel {
        id: Set(id),
        name: Set(name.to_owned()),
        certificate_pem: Set(pem),
        sealed_key: Set(app.keys.master().seal(&key_context(id), &key)),
        is_active: Set(true),
        crl_number: Set(0),
        created_at: Set(now),
    };
    let anchor = anchors::row(app, None, None, ca.certificate());
    let txn = app.store.begin().await?;
    certificate_authority::Entity::update_many()
        .col_expr(certificate_authority::Column::IsActive, Expr::value(false))
        .exec(&txn)
        .await?;
    certificate_authority::Entity::insert(authority).exec_without_returning(&txn).await?;
    trust_anchor::Entity::insert(anchor).exec_without_returning(&txn).await?;
    Ok(app.store.commit_durable(txn).await?)
}

/// The authority that issues. Nodes that start together for the first time may make two; all use the newest.
pub async fn active(app: &App) -> Result<Authority> {
    open(app, find_active(app).await?.ok_or_else(|| Error::internal("no certificate authority"))?)
}

async fn find_active(app: &App) -> Result<Option<certificate_authority::Model>> {
    Ok(certificate_authority::Entity::find()
        .filter(certificate_authority::Column::IsActive.eq(true))
        .order_by_desc(certificate_authority::Column::Id)
        .one(app.store.db())
        .await?)
}

fn open(app: &App, row: certificate_authority::Model) -> Result<Authority> {
    let key = app.keys.open_secret(&key_context(row.id), &row.sealed_key)?;
    let mut certificates =
        Certificate::many_from_file(row.certificate_pem.as_bytes()).map_err(Error::internal)?;
    let certificate = certificates.remove(0);
    let key = PrivateKey::from_der(&key).map_err(Error::internal)?;
    let identity = Identity::new(certificate, key, certificates).map_err(Error::internal)?;
    Ok(Authority { ca: CertificateAuthority::new(identity).map_err(Error::internal)?, row })
}

/// Seals the keys of all authorities with the present master key. Returns how many were sealed with another.
pub async fn reseal(app: &App) -> Result<u64> {
    let mut changed = 0;
    for row in certificate_authority::Entity::find().all(app.store.db()).await? {
        let Some(sealed) = app.keys.resealed(&key_context(row.id), &row.sealed_key)? else { continue };
        let mut row = row.into_active_model();
        row.sealed_key = Set(sealed);
        row.update(app.store.db()).await?;
        changed += 1;
    }
    Ok(changed)
}

fn key_context(id: Uuid) -> String {
    format!("authority.key:{id}")
}

/// Where the CRL of an authority is published.
pub fn crl_url(app: &App, authority_id: Uuid) -> String {
    let base = app.config.http.public_url.as_str().trim_end_matches('/');
    format!("{base}/crl/{authority_id}.crl")
}

/// How many certificates of an authority are revoked; its CRL is as old as this number.
pub async fn revocations(app: &App, authority_id: Uuid) -> Result<u64> {
    let revoked = direct_certificate::Entity::find()
        .filter(direct_certificate::Column::AuthorityId.eq(authority_id))
        .filter(direct_certificate::Column::RevokedAt.is_not_null());
    Ok(revoked.count(app.store.db()).await?)
}

/// The current CRL of an authority, in DER. Its number is the time, so that it grows on every node.
pub async fn current_crl(app: &App, authority_id: Uuid) -> Result<Vec<u8>> {
    let row = certificate_authority::Entity::find_by_id(authority_id)
        .one(app.store.db())
        .await?
        .ok_or(Error::NotFound)?;
    let revoked = direct_certificate::Entity::find()
        .filter(direct_certificate::Column::AuthorityId.eq(authority_id))
        .filter(direct_certificate::Column::RevokedAt.is_not_null())
        .all(app.store.db())
        .await?;
    let revoked: Vec<_> = revoked
        .into_iter()
        .filter_map(|c| Some(RevokedSerial { serial: c.serial, at: c.revoked_at? }))
        .collect();
    let authority = open(app, row)?;
    let now = app.clock.now();
    let number = now.timestamp_micros().unsigned_abs();
    authority.ca.crl(number, now, now + CRL_LIFE, &revoked).map_err(Error::internal)
}
