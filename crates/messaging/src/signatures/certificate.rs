//! The certificate with which an organization signs documents: issued by the installation's authority on first use.

use crate::direct::authority;
use ::direct::cert::{Certificate, Identity, KeySize, PrivateKey, Validity};
use chrono::{DateTime, Duration, Utc};
use platform::{App, Error, Result};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::LockType,
};
use store::entities::{
    organization,
    signing_certificate::{ActiveModel, Column, Entity, Model},
};
use uuid::Uuid;

const VALIDITY: Duration = Duration::days(2 * 365);
/// A certificate that ends sooner is replaced.
const RENEWED_BEFORE: Duration = Duration::days(60);
/// Maximum length of a name in a certificate, in characters.
const NAME_MAX: usize = 64;

/// The certificate of an organization with its key. A new one is issued if there is none, if it ends soon, if the
/// authority was replaced, if it begins after the time of the signature, or if the organization has another name.
pub async fn current(app: &App, organization_id: Uuid, at: DateTime<Utc>) -> Result<Identity> {
    let found = organization::Entity::find_by_id(organization_id).one(app.store.db()).await?;
    let name: String = found.ok_or(Error::NotFound)?.name.chars().take(NAME_MAX).collect();
    let authority = authority::active(app).await?;
    let (now, authority_id) = (app.clock.now(), authority.row.id);
    // No certificate outlives its authority.
    let until =
        (now + RENEWED_BEFORE).min(authority.ca.certificate().period().not_after - Duration::seconds(1));
    // The signature may have waited for its turn.
    let at = now.min(at);
    let wanted = Wanted { organization_id, authority_id, name, at, until };
    if let Some(row) = wanted.find(app.store.db()).await? {
        return open(app, &row).await;
    }
    let (crl, subject) = (authority::crl_url(app, authority_id), wanted.name.clone());
    // Slightly in the past, because clocks of other systems differ.
    let validity = Validity { from: at - Duration::hours(1), lasting: VALIDITY + (now - at) };
    let made = tokio::task::spawn_blocking(move || {
        authority.ca.issue_for_documents(
            &subject,
            validity,
            &crl,
            PrivateKey::generate_rsa(KeySize::Rsa3072)?,
        )
    });
    let made = made.await.map_err(Error::internal)?.map_err(Error::internal)?;
    store(app, &wanted, &made, now).await
}

struct Wanted {
    organization_id: Uuid,
    authority_id: Uuid,
    name: String,
    at: DateTime<Utc>,
    until: DateTime<Utc>,
}

impl Wanted {
    async fn find(&self, db: &impl ConnectionTrait) -> Result<Option<Model>> {
        let found = Entity::find()
            .filter(Column::OrganizationId.eq(self.organization_id))
            .filter(Column::AuthorityId.eq(self.authority_id))
            .filter(Column::OrganizationName.eq(&*self.name))
            .filter(Column::NotBefore.lte(self.at))
            .filter(Column::NotAfter.gt(self.until))
            .order_by_desc(Column::NotAfter)
            .limit(1);
        Ok(found.one(db).await?)
    }
}

/// Stores a new certificate, unless another node was faster.
async fn store(app: &App, wanted: &Wanted, made: &Identity, now: DateTime<Utc>) -> Result<Identity> {
    let key = app.keys.data_key(wanted.organization_id).await?;
    let id = Uuid::now_v7();
    let pkcs8 = made.key().to_pkcs8().map_err(Error::internal)?;
    let mut pem = made.certificate().to_pem();
    made.chain().iter().for_each(|intermediate| pem.push_str(&intermediate.to_pem()));
    let period = made.certificate().period();
    let row = ActiveModel {
        id: Set(id),
        organization_id: Set(wanted.organization_id),
        authority_id: Set(wanted.authority_id),
        organization_name: Set(wanted.name.clone()),
        serial: Set(made.certificate().serial()),
        certificate_pem: Set(pem),
        sealed_key: Set(key.seal(&context(id), &pkcs8)),
        not_before: Set(period.not_before),
        not_after: Set(period.not_after),
        created_at: Set(now),
    };
    let txn = app.store.begin().await?;
    organization::Entity::find_by_id(wanted.organization_id).lock(LockType::NoKeyUpdate).one(&txn).await?;
    if let Some(row) = wanted.find(&txn).await? {
        drop(txn);
        return open(app, &row).await;
    }
    Entity::insert(row).exec_without_returning(&txn).await?;
    app.store.commit_durable(txn).await?;
    Ok(made.clone())
}

async fn open(app: &App, row: &Model) -> Result<Identity> {
    let key = app.keys.data_key(row.organization_id).await?;
    let pkcs8 = key.open(&context(row.id), &row.sealed_key)?;
    let mut all = Certificate::many_from_file(row.certificate_pem.as_bytes()).map_err(Error::internal)?;
    let certificate = all.remove(0);
    let private = PrivateKey::from_der(&pkcs8).map_err(Error::internal)?;
    Identity::new(certificate, private, all).map_err(Error::internal)
}

fn context(id: Uuid) -> String {
    format!("signing_certificate.key:{id}")
}

/// The certificate of an organization and those that lead to the authority, as one file for PDF readers.
pub async fn bundle(app: &App, organization_id: Uuid) -> Result<Vec<u8>> {
    let identity = current(app, organization_id, app.clock.now()).await?;
    let authority = authority::authority_view(app).await?.ok_or(Error::NotFound)?.certificate;
    let mut all = vec![identity.certificate().to_der()];
    all.extend(identity.chain().iter().map(Certificate::to_der));
    if !all.contains(&authority.to_der()) {
        all.push(authority.to_der());
    }
    pades::bundle(&all).map_err(Error::internal)
}
