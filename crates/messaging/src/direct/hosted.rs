//! The domains of this installation: their organizations, certificates and revocation lists. Hosted domains never
//! depend on outside DNS.

use super::authority;
use crate::model::{SourceKind, SourceStatus};
use ::direct::{
    DirectAddress,
    cert::Certificate,
    discovery::{CertificateSource, FoundCertificates, SourceError},
    dns::{HostedZone, PublishedZones, ZonesUnreadable},
    trust::{Crl, FetchBudget, RevocationSource, Unavailable},
};
use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use platform::{App, Result};
use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select, SelectExt,
};
use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{Arc, Mutex, PoisonError},
};
use store::entities::{direct_certificate, document_source, organization};
use uuid::Uuid;

/// How long our own revocation list is used for checks before it is created again; signing one for every mail would
/// cost more than the mail.
const CRL_AGE: Duration = Duration::seconds(60);

/// How long the same list is published, unless another certificate is revoked.
const PUBLISHED_FOR: Duration = Duration::hours(1);

/// A list and its time of creation.
type Made = (DateTime<Utc>, Arc<Crl>);

/// A published list, in DER.
struct Published {
    at: DateTime<Utc>,
    revocations: u64,
    der: Bytes,
}

/// The lists of our own authorities.
#[derive(Default)]
struct OwnCrls {
    made: Mutex<HashMap<Uuid, Made>>,
    /// Held while a list is created, so that others wait for it instead of creating it too.
    making: tokio::sync::Mutex<()>,
    published: tokio::sync::Mutex<HashMap<Uuid, Published>>,
}

impl OwnCrls {
    fn get(&self, authority_id: Uuid, now: DateTime<Utc>) -> Option<Arc<Crl>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.get(&authority_id).filter(|(at, _)| now - *at < CRL_AGE).map(|(_, crl)| crl.clone())
    }

    fn put(&self, authority_id: Uuid, at: DateTime<Utc>, crl: Arc<Crl>) {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(authority_id, (at, crl));
    }
}

/// Answers lookups of hosted domains.
#[derive(Clone)]
pub struct Hosted(App, Arc<OwnCrls>);

impl fmt::Debug for Hosted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hosted")
    }
}

fn sub_domain(app: &App, domain: &str) -> Option<String> {
    let suffix = format!(".direct.{}", app.config.direct.host).to_lowercase();
    let domain = domain.to_lowercase();
    let sub = domain.strip_suffix(&suffix)?;
    (!sub.is_empty() && !sub.contains('.')).then(|| sub.to_owned())
}

/// The outside party of mail from or to this domain, for limits; empty for a domain of this installation.
pub fn partner<'d>(app: &App, domain: &'d str) -> &'d str {
    if sub_domain(app, domain).is_some() { "" } else { domain }
}

/// Addresses that accept mail, oldest first, of all organizations.
pub async fn oldest_addresses(app: &App, limit: u64) -> Result<Vec<String>> {
    use document_source::Column;
    let found = document_source::Entity::find()
        .select_only()
        .column(Column::Address)
        .filter(Column::Kind.eq(SourceKind::Direct))
        .filter(Column::Status.eq(SourceStatus::Activated))
        .filter(Column::OrganizationId.in_subquery(active().into_query()))
        .order_by_asc(Column::Id)
        .limit(limit);
    Ok(found.into_tuple().all(app.store.db()).await?)
}

impl Hosted {
    pub fn new(app: App) -> Self {
        Self(app, Arc::default())
    }

    /// The activated organization of a Direct domain.
    pub async fn organization(&self, domain: &str) -> Result<Option<Uuid>> {
        let Some(sub_domain) = self.sub_domain(domain) else { return Ok(None) };
        Ok(activated(sub_domain).into_tuple().one(self.0.store.db()).await?)
    }

    /// Whether a domain is below this installation's host, activated or not.
    pub fn is_ours(&self, domain: &str) -> bool {
        self.sub_domain(domain).is_some()
    }

    fn sub_domain(&self, domain: &str) -> Option<String> {
        sub_domain(&self.0, domain)
    }

    /// The organization of an address that accepts mail.
    pub async fn mailbox(&self, address: &DirectAddress) -> Result<Option<Uuid>> {
        use document_source::Column;
        let Some(sub_domain) = self.sub_domain(address.domain()) else { return Ok(None) };
        let with_address = document_source::Entity::find()
            .select_only()
            .column(Column::OrganizationId)
            .filter(Column::AddressKey.eq(address.mailbox().as_str()))
            .filter(Column::Status.eq(SourceStatus::Activated));
        Ok(activated(sub_domain)
            .filter(organization::Column::Id.in_subquery(with_address.into_query()))
            .into_tuple()
            .one(self.0.store.db())
            .await?)
    }

    /// Whether an address accepted mail once, but no longer does.
    pub async fn is_retired(&self, address: &DirectAddress) -> Result<bool> {
        use document_source::Column;
        let retired = document_source::Entity::find()
            .filter(Column::AddressKey.eq(address.mailbox().as_str()))
            .filter(Column::Status.eq(SourceStatus::Deleted));
        Ok(retired.exists(self.0.store.db()).await?)
    }

    async fn own_crl(&self, authority_id: Uuid) -> Option<Arc<Crl>> {
        let now = self.0.clock.now();
        if let Some(crl) = self.1.get(authority_id, now) {
            return Some(crl);
        }
        let _making = self.1.making.lock().await;
        if let Some(crl) = self.1.get(authority_id, now) {
            return Some(crl);
        }
        let der = authority::current_crl(&self.0, authority_id).await.ok()?;
        let crl = Arc::new(Crl::from_bytes(&der).ok()?);
        self.1.put(authority_id, now, crl.clone());
        Some(crl)
    }

    /// The public list of one of our authorities. It can be requested without limit, so it is signed periodically, and
    /// at once after a revocation.
    pub async fn published_crl(&self, authority_id: Uuid) -> Result<Bytes> {
        let now = self.0.clock.now();
        let revocations = authority::revocations(&self.0, authority_id).await?;
        let mut published = self.1.published.lock().await;
        if let Some(known) = published.get(&authority_id)
            && known.revocations == revocations
            && now - known.at < PUBLISHED_FOR
        {
            return Ok(known.der.clone());
        }
        let der = Bytes::from(authority::current_crl(&self.0, authority_id).await?);
        published.insert(authority_id, Published { at: now, revocations, der: der.clone() });
        Ok(der)
    }

    /// The newest certificate of each authority, because some partners still trust the previous one.
    async fn published(&self, domain: &str) -> Result<Vec<Vec<u8>>> {
        let Some(sub_domain) = self.sub_domain(domain) else { return Ok(Vec::new()) };
        let organization = activated(sub_domain);
        let now = self.0.clock.now();
        let rows = direct_certificate::Entity::find()
            .filter(direct_certificate::Column::OrganizationId.in_subquery(organization.into_query()))
            .filter(direct_certificate::Column::Domain.eq(domain.to_lowercase()))
            .filter(direct_certificate::Column::RevokedAt.is_null())
            .filter(direct_certificate::Column::NotAfter.gt(now))
            .order_by_desc(direct_certificate::Column::NotAfter)
            .all(self.0.store.db())
            .await?;
        let mut authorities = HashSet::new();
        Ok(rows
            .iter()
            .filter(|row| authorities.insert(row.authority_id))
            .filter_map(|row| Certificate::from_pem(row.certificate_pem.as_bytes()).ok())
            .map(|certificate| certificate.to_der())
            .collect())
    }
}

/// The id of the organization of a subdomain, if its addresses are active: it is activated, its identity is proven, and
/// its subscription is valid.
fn activated(sub_domain: String) -> Select<organization::Entity> {
    active().filter(organization::Column::SubDomain.eq(sub_domain))
}

/// The ids of all organizations whose addresses are active.
fn active() -> Select<organization::Entity> {
    organization::Entity::find()
        .select_only()
        .column(organization::Column::Id)
        .filter(organization::Column::IsActivated.eq(true))
        .filter(organization::Column::IdProofedAt.is_not_null())
        .filter(organization::Column::IsCancelled.eq(false))
        .filter(organization::Column::DeletedAt.is_null())
}

#[async_trait::async_trait]
impl CertificateSource for Hosted {
    fn name(&self) -> &str {
        "this installation"
    }

    async fn is_authoritative_for(&self, domain: &str) -> bool {
        self.is_ours(domain)
    }

    async fn by_address(&self, _: &DirectAddress) -> FoundCertificates {
        // Hosted certificates are bound to domains.
        Ok(Vec::new())
    }

    async fn by_domain(&self, domain: &str) -> FoundCertificates {
        self.published(domain).await.map_err(|_| SourceError {
            source_name: self.name().to_owned(),
            reason: "the database could not be read".into(),
        })
    }
}

#[async_trait::async_trait]
impl RevocationSource for Hosted {
    async fn crl(
        &self,
        url: &str,
        _: DateTime<Utc>,
        _: &FetchBudget,
    ) -> Result<Option<Arc<Crl>>, Unavailable> {
        let base = self.0.config.http.public_url.as_str().trim_end_matches('/');
        let id = url
            .strip_prefix(base)
            .and_then(|path| path.strip_prefix("/crl/"))
            .and_then(|file| file.strip_suffix(".crl"))
            .and_then(|id| id.parse().ok());
        match id {
            Some(id) => Ok(self.own_crl(id).await),
            None => Ok(None),
        }
    }
}

#[async_trait::async_trait]
impl PublishedZones for Hosted {
    async fn zone_of(&self, name: &str) -> Result<Option<HostedZone>, ZonesUnreadable> {
        let suffix = format!(".direct.{}", self.0.config.direct.host).to_lowercase();
        let Some(sub) = name.strip_suffix(&suffix).and_then(|rest| rest.rsplit('.').next()) else {
            return Ok(None);
        };
        let domain = format!("{sub}{suffix}");
        if self.organization(&domain).await.map_err(unreadable)?.is_none() {
            return Ok(None);
        }
        Ok(Some(HostedZone {
            domain,
            name_server: self.0.config.smtp.hostname.clone(),
            mail_server: Some(self.0.config.smtp.hostname.clone()),
            serial: u32::try_from(self.0.clock.now().timestamp() / 60).unwrap_or(1),
            ttl: 3600,
        }))
    }

    async fn certificates(
        &self,
        zone: &HostedZone,
        name: &str,
    ) -> Result<Option<Vec<Vec<u8>>>, ZonesUnreadable> {
        // Only the domain has a certificate; other names do not exist.
        if name != zone.domain {
            return Ok(None);
        }
        self.published(name).await.map(Some).map_err(unreadable)
    }
}

fn unreadable(error: platform::Error) -> ZonesUnreadable {
    tracing::error!(?error, "published certificates could not be read");
    ZonesUnreadable
}
