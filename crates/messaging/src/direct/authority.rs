//! The certificate authority of this installation: built in, or an uploaded one.

use super::anchors;
use ::direct::cert::{
    AuthorityName, Certificate, CertificateAuthority, Identity, KeySize, PrivateKey, RevokedSerial, Validity,
};
use chrono::Duration;
use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter, QueryOrder, sea_query::Expr,
};
use serde_json::{Value, json};
use store::{
    Transaction,
    entities::{certificate_authority, direct_certificate, signing_certificate, trust_anchor},
};
use uuid::Uuid;

const KEY_SIZE: KeySize = KeySize::Rsa3072;
const VALIDITY: Duration = Duration::days(20 * 365);
/// Validity of a CRL.
const CRL_LIFE: Duration = Duration::days(7);

/// Name of the built-in authority.
const BUILT_IN: &str = "Built-in";
/// Object type of authorities in audit entries.
const OBJECT: &str = "authority";

const HAS_ISSUED: &str = "The authority has issued certificates and partners may trust it, so it cannot be created \
                          again. Use carepost install-authority to replace it. Its certificates stay valid until they \
                          expire.";

/// An authority with its key, ready to sign.
pub struct Authority {
    pub row: certificate_authority::Model,
    pub ca: CertificateAuthority,
}

/// Creates the built-in authority and its anchor if they do not exist.
pub async fn ensure(app: &App) -> Result<()> {
    if find_active(app).await?.is_some() {
        return Ok(());
    }
    let actor = Actor { name: "System".into(), ..Actor::default() };
    install(app, &actor, BUILT_IN, &built_in(app).await?).await
}

/// Creates the built-in authority again, for the present Direct domain setting.
///
/// # Errors
///
/// Refused once the present one has issued a certificate.
pub async fn remake(app: &App, actor: &Actor) -> Result<()> {
    let present = find_active(app).await?;
    if let Some(row) = &present
        && has_issued(app.store.db(), row.id).await?
    {
        return Err(Error::Conflict(HAS_ISSUED.into()));
    }
    let ca = built_in(app).await?;
    let txn = app.store.begin().await?;
    if let Some(row) = present {
        if has_issued(&txn, row.id).await? {
            return Err(Error::Conflict(HAS_ISSUED.into()));
        }
        let act = Act::new(event::DELETED, OBJECT, row.id).detail(described(&row.name, &certificate(&row)?));
        audit::record(app, &txn, actor, act).await?;
        anchors::forget(&txn, &certificate(&row)?).await?;
        certificate_authority::Entity::delete_by_id(row.id).exec(&txn).await?;
    }
    insert(app, &txn, actor, BUILT_IN, &ca).await?;
    Ok(app.store.commit_durable(txn).await?)
}

/// Whether the built-in authority has a Direct domain other than the setting, and can still be created again.
pub async fn is_outdated(app: &App) -> Result<bool> {
    let Some(row) = find_active(app).await? else { return Ok(false) };
    // The line has further names after this one.
    let names = certificate(&row)?.subject();
    let is_of_host = names.split(", ").any(|name| name == format!("CN={}", common_name(app)));
    Ok(row.name == BUILT_IN && !is_of_host && !has_issued(app.store.db(), row.id).await?)
}

async fn has_issued(db: &impl ConnectionTrait, authority_id: Uuid) -> Result<bool, DbErr> {
    let for_mail =
        direct_certificate::Entity::find().filter(direct_certificate::Column::AuthorityId.eq(authority_id));
    let for_documents =
        signing_certificate::Entity::find().filter(signing_certificate::Column::AuthorityId.eq(authority_id));
    Ok(for_mail.count(db).await? + for_documents.count(db).await? > 0)
}

/// The name in its certificate, at most 64 characters.
fn common_name(app: &App) -> String {
    format!("Carepost Direct CA {}", app.config.direct.host).chars().take(64).collect()
}

async fn built_in(app: &App) -> Result<CertificateAuthority> {
    let name = AuthorityName { common_name: common_name(app), organization: "Carepost".into() };
    let from = app.clock.now() - Duration::hours(1);
    tokio::task::spawn_blocking(move || {
        let key = PrivateKey::generate_rsa(KEY_SIZE)?;
        CertificateAuthority::create(&name, Validity { from, lasting: VALIDITY }, key)
    })
    .await
    .map_err(Error::internal)?
    .map_err(Error::internal)
}

/// Makes an authority the issuing one, and its certificate an anchor of every organization. Certificates of the
/// previous one stay valid until they expire; new ones are issued in the next round of renewals.
pub async fn install(app: &App, actor: &Actor, name: &str, ca: &CertificateAuthority) -> Result<()> {
    let txn = app.store.begin().await?;
    insert(app, &txn, actor, name, ca).await?;
    Ok(app.store.commit_durable(txn).await?)
}

/// Details of an authority in an audit entry.
fn described(name: &str, certificate: &Certificate) -> Value {
    json!({ "name": name, "subject": certificate.subject(), "fingerprint": certificate.fingerprint() })
}

async fn insert(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    name: &str,
    ca: &CertificateAuthority,
) -> Result<()> {
    let id = Uuid::now_v7();
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
        created_at: Set(app.clock.now()),
    };
    let anchor = anchors::row(app, None, None, ca.certificate());
    certificate_authority::Entity::update_many()
        .col_expr(certificate_authority::Column::IsActive, Expr::value(false))
        .exec(txn)
        .await?;
    certificate_authority::Entity::insert(authority).exec_without_returning(txn).await?;
    trust_anchor::Entity::insert(anchor).exec_without_returning(txn).await?;
    let act = Act::new(event::CREATED, OBJECT, id).detail(described(name, ca.certificate()));
    audit::record(app, txn, actor, act).await
}

/// The issuing authority. Nodes that start together for the first time may create two; all use the newest.
pub async fn active(app: &App) -> Result<Authority> {
    open(app, find_active(app).await?.ok_or_else(|| Error::internal("no certificate authority"))?)
}

/// Public information about the issuing authority.
pub struct Shown {
    /// Its name for operators.
    pub name: String,
    /// The anchor for partners.
    pub certificate: Certificate,
    /// Where its revocation list is published.
    pub revocation_list: String,
}

/// The issuing authority, without its key; `None` before the first start of a node.
pub async fn authority_view(app: &App) -> Result<Option<Shown>> {
    let Some(row) = find_active(app).await? else { return Ok(None) };
    let (certificate, revocation_list) = (certificate(&row)?, crl_url(app, row.id));
    Ok(Some(Shown { name: row.name, certificate, revocation_list }))
}

/// The certificate of an authority itself, which is stored before its intermediates.
fn certificate(row: &certificate_authority::Model) -> Result<Certificate> {
    let found = Certificate::many_from_file(row.certificate_pem.as_bytes()).map_err(Error::internal)?;
    found.into_iter().next().ok_or_else(|| Error::internal("an authority without a certificate"))
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

/// Seals the keys of all authorities with the present master key. Returns how many were sealed with another one.
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

/// URL of the CRL of an authority.
pub fn crl_url(app: &App, authority_id: Uuid) -> String {
    let base = app.config.http.public_url.as_str().trim_end_matches('/');
    format!("{base}/crl/{authority_id}.crl")
}

/// Number of revoked certificates of an authority, by which outdated CRLs are recognized.
pub async fn revocations(app: &App, authority_id: Uuid) -> Result<u64> {
    let revoked = direct_certificate::Entity::find()
        .filter(direct_certificate::Column::AuthorityId.eq(authority_id))
        .filter(direct_certificate::Column::RevokedAt.is_not_null());
    Ok(revoked.count(app.store.db()).await?)
}

/// The current CRL of an authority, in DER. Its number is the time, so that it increases on every node.
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
