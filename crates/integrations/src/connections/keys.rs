//! Key pairs of connections: the public keys that an EHR fetches, and their download.

use super::{
    queries,
    types::{KeyForm, KeyRequest},
};
use axum::{
    Json, Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use fhir::keys::{SigningKey, jwks};
use openssl::{
    asn1::Asn1Time,
    bn::{BigNum, MsbOption},
    error::ErrorStack,
    hash::MessageDigest,
    nid::Nid,
    pkey::PKey,
    x509::{X509Builder, X509NameBuilder},
};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    download,
    http::{Body, Id},
};
use sea_orm::EntityTrait;
use store::{
    entities::integration::{ConnectionSettings, Entity, IntegrationType, Model},
    keys::DataKey,
};
use url::Url;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers().route(ADMINS, routes!(integration_certificate))
}

/// The public keys of each connection, for the EHR.
pub fn routes() -> Router<App> {
    Router::new().route("/integrations/{file}", get(key_set))
}

/// Context of a connection's sealed keys.
fn context(id: Uuid) -> String {
    format!("integration.key:{id}")
}

/// A new connection with a key pair, and without settings.
pub async fn first_row(app: &App, organization_id: Uuid, kind: IntegrationType) -> Result<Model> {
    let (key, now) = (app.keys.data_key(organization_id).await?, app.clock.now());
    let (id, made) = (Uuid::now_v7(), SigningKey::generate().map_err(Error::internal)?);
    Ok(Model {
        id,
        organization_id,
        kind,
        name: String::new(),
        is_enabled: true,
        settings: ConnectionSettings::default(),
        sealed_key: seal(&key, id, &made),
        key_id: made.key_id(),
        key_made_at: now,
        sealed_former_key: None,
        sealed_secret: None,
        offers: None,
        answered_at: None,
        answer_milliseconds: None,
        failing_since: None,
        failures: 0,
        problem: String::new(),
        remedy: String::new(),
        retry_at: None,
        cache_epoch: 0,
        created_at: now,
        modified_at: now,
        version: 1,
    })
}

/// Gives a connection a new key pair. The former one stays published until the next.
pub async fn rotate(app: &App, row: &mut Model) -> Result<()> {
    let key = app.keys.data_key(row.organization_id).await?;
    let made = SigningKey::generate().map_err(Error::internal)?;
    row.sealed_former_key = Some(std::mem::replace(&mut row.sealed_key, seal(&key, row.id, &made)));
    (row.key_id, row.key_made_at) = (made.key_id(), app.clock.now());
    Ok(())
}

fn seal(key: &DataKey, id: Uuid, signing: &SigningKey) -> Vec<u8> {
    key.seal(&context(id), &signing.pkcs8())
}

fn open(key: &DataKey, id: Uuid, sealed: &[u8]) -> Result<SigningKey> {
    SigningKey::from_pkcs8(&key.open(&context(id), sealed)?).map_err(Error::internal)
}

fn secret_context(id: Uuid) -> String {
    format!("integration.secret:{id}")
}

/// Seals the token with which a connection's web service is called.
pub async fn seal_secret(app: &App, row: &Model, secret: &str) -> Result<Vec<u8>> {
    let key = app.keys.data_key(row.organization_id).await?;
    Ok(key.seal(&secret_context(row.id), secret.as_bytes()))
}

/// The token with which a connection's web service is called.
pub async fn secret(app: &App, row: &Model) -> Result<Option<String>> {
    let Some(sealed) = &row.sealed_secret else { return Ok(None) };
    let key = app.keys.data_key(row.organization_id).await?;
    let secret = key.open(&secret_context(row.id), sealed)?;
    String::from_utf8(secret).map(Some).map_err(Error::internal)
}

/// The key with which a connection signs in.
pub async fn signing_key(app: &App, row: &Model) -> Result<SigningKey> {
    open(&app.keys.data_key(row.organization_id).await?, row.id, &row.sealed_key)
}

/// Address of the public keys of a connection.
pub fn key_set_url(app: &App, id: Uuid) -> Result<Url> {
    app.config.http.public_url.join(&format!("/integrations/{id}.jwks")).map_err(Error::internal)
}

/// The current and the former public key, so that a rotation needs no appointment.
pub async fn public_keys(app: &App, row: &Model) -> Result<serde_json::Value> {
    let key = app.keys.data_key(row.organization_id).await?;
    let sealed = [Some(&row.sealed_key), row.sealed_former_key.as_ref()];
    let keys: Vec<SigningKey> =
        sealed.into_iter().flatten().map(|sealed| open(&key, row.id, sealed)).collect::<Result<_>>()?;
    Ok(jwks(&keys.iter().collect::<Vec<_>>()))
}

async fn key_set(State(app): State<App>, Id(file): Id<String>) -> Result<Response> {
    let id: Uuid = file.strip_suffix(".jwks").and_then(|id| id.parse().ok()).ok_or(Error::NotFound)?;
    let row = Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    let headers = [(header::CACHE_CONTROL, "public, max-age=300")];
    Ok((headers, Json(public_keys(&app, &row).await?)).into_response())
}

/// Validity of a downloaded certificate, in days.
const VALID: u32 = 5 * 365;

/// A self-signed certificate of a connection's key, for EHRs that take no key set.
async fn certificate(app: &App, row: &Model) -> Result<Vec<u8>> {
    let pkcs8 = signing_key(app, row).await?.pkcs8();
    let name = app.config.http.public_url.host_str().unwrap_or("carepost").to_owned();
    signed(&pkcs8, &name).map_err(Error::internal)
}

fn signed(pkcs8: &[u8], common_name: &str) -> Result<Vec<u8>, ErrorStack> {
    let key = PKey::private_key_from_pkcs8(pkcs8)?;
    let mut name = X509NameBuilder::new()?;
    name.append_entry_by_nid(Nid::COMMONNAME, &common_name.chars().take(64).collect::<String>())?;
    let name = name.build();
    let mut serial = BigNum::new()?;
    serial.rand(120, MsbOption::MAYBE_ZERO, false)?;
    let mut certificate = X509Builder::new()?;
    certificate.set_version(2)?;
    certificate.set_serial_number(serial.to_asn1_integer()?.as_ref())?;
    certificate.set_subject_name(&name)?;
    certificate.set_issuer_name(&name)?;
    certificate.set_pubkey(&key)?;
    certificate.set_not_before(Asn1Time::days_from_now(0)?.as_ref())?;
    certificate.set_not_after(Asn1Time::days_from_now(VALID)?.as_ref())?;
    certificate.sign(&key, MessageDigest::sha384())?;
    certificate.build().to_pem()
}

/// Downloads the public key with which a connection signs in
#[utoipa::path(post, path = "/api/integrations/{id}/downloadcertificate", operation_id = "integrationCertificate",
    tag = "integrations", params(("id" = Uuid, Path)), request_body = KeyRequest,
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>)))]
async fn integration_certificate(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(request): Body<KeyRequest>,
) -> Result<Response> {
    let row = queries::find(app.store.db(), member.organization_id, id).await?;
    let (name, media_type, content) = match request.form {
        KeyForm::KeySet => {
            let keys = serde_json::to_vec_pretty(&public_keys(&app, &row).await?).map_err(Error::internal)?;
            ("carepost-keys.json", "application/jwk-set+json", keys)
        }
        KeyForm::Certificate => {
            let pem = certificate(&app, &row).await?;
            ("carepost-certificate.pem", "application/x-pem-file", pem)
        }
    };
    let disposition = download::attachment(name);
    Ok((
        [
            (header::CONTENT_TYPE, media_type.parse().map_err(Error::internal)?),
            (header::CONTENT_DISPOSITION, disposition),
        ],
        content,
    )
        .into_response())
}
