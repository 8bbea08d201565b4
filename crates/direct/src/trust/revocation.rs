//! Revocation lists and issuer certificates, fetched and cached.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use openssl::pkcs7::Pkcs7;
use openssl::x509::{CrlStatus, X509Crl};

use super::budget::{FetchBudget, Unavailable};
use crate::ber;
use crate::cert::{CertError, Certificate, instant};
use fetch::{Fetch, FetchError};

/// Largest CRL read, in bytes.
const MAX_CRL: usize = 16 << 20;
/// Largest answer of an AIA address, in bytes, and most certificates in it. Senders of mail can fill this cache, so
/// these limits and the size of the cache bound its memory.
const MAX_ISSUER: usize = 128 << 10;
const MAX_ISSUERS: usize = 50;
/// Most answers, and most failures, in a cache; a full one is cleared.
const MAX_ENTRIES: usize = 300;
/// Time for which a fetched CRL is used without fetching again, even if it is valid longer.
const CRL_AGE: TimeDelta = TimeDelta::hours(1);
/// Time for which a fetched issuer certificate is used without fetching again.
const ISSUER_AGE: TimeDelta = TimeDelta::hours(24);
/// Pause before a failed fetch is repeated.
const FAILURE_AGE: TimeDelta = TimeDelta::minutes(5);

/// A certificate revocation list.
pub struct Crl {
    crl: X509Crl,
}

impl Crl {
    /// Reads DER or PEM.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CertError> {
        let read =
            if bytes.starts_with(b"-----") { X509Crl::from_pem(bytes) } else { X509Crl::from_der(bytes) };
        read.map(|crl| Self { crl }).map_err(|_| CertError::Unreadable)
    }

    /// Start of its validity.
    pub fn this_update(&self) -> DateTime<Utc> {
        instant(self.crl.last_update())
    }

    /// End of its validity; one day for a list without it.
    pub fn next_update(&self) -> DateTime<Utc> {
        self.crl.next_update().map(instant).unwrap_or_else(|| self.this_update() + TimeDelta::days(1))
    }

    /// Time of the certificate's revocation, regardless of the list's signer; none if it is not on the list.
    pub(super) fn revoked_at(&self, certificate: &Certificate) -> Option<DateTime<Utc>> {
        match self.crl.get_by_cert(certificate.x509()) {
            CrlStatus::Revoked(entry) => Some(instant(entry.revocation_date())),
            CrlStatus::RemoveFromCrl(_) | CrlStatus::NotRevoked => None,
        }
    }

    /// Whether the list names the subject of this certificate as its issuer.
    pub(super) fn bears_the_name_of(&self, certificate: &Certificate) -> bool {
        let name = certificate.as_x509().subject_name();
        self.crl.issuer_name().try_cmp(name).is_ok_and(|order| order.is_eq())
    }

    pub(super) fn x509(&self) -> &X509Crl {
        &self.crl
    }
}

impl fmt::Debug for Crl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Crl(until {})", self.next_update())
    }
}

/// A source of revocation lists.
#[async_trait]
pub trait RevocationSource: Send + Sync + fmt::Debug {
    /// The list at a CRL distribution point; none if this source is not responsible for the address.
    async fn crl(
        &self,
        url: &str,
        at: DateTime<Utc>,
        budget: &FetchBudget,
    ) -> Result<Option<Arc<Crl>>, Unavailable>;
}

/// A source of missing issuer certificates.
#[async_trait]
pub trait IssuerSource: Send + Sync + fmt::Debug {
    /// The certificates at a caIssuers address.
    async fn issuers(
        &self,
        url: &str,
        at: DateTime<Utc>,
        budget: &FetchBudget,
    ) -> Result<Vec<Certificate>, Unavailable>;
}

/// Several sources, tried in order until one is responsible for the address: the lists hosted here first.
#[derive(Debug, Clone)]
pub struct LayeredRevocation(Vec<Arc<dyn RevocationSource>>);

impl LayeredRevocation {
    /// Sources in the order in which they are tried.
    pub fn new(sources: Vec<Arc<dyn RevocationSource>>) -> Self {
        Self(sources)
    }
}

#[async_trait]
impl RevocationSource for LayeredRevocation {
    async fn crl(
        &self,
        url: &str,
        at: DateTime<Utc>,
        budget: &FetchBudget,
    ) -> Result<Option<Arc<Crl>>, Unavailable> {
        for source in &self.0 {
            if let Some(crl) = source.crl(url, at, budget).await? {
                return Ok(Some(crl));
            }
        }
        Ok(None)
    }
}

/// The lists published by this installation, read without network access.
#[derive(Debug, Default)]
pub struct HostedCrls {
    lists: RwLock<HashMap<String, Arc<Crl>>>,
}

impl HostedCrls {
    /// Stores a list, DER or PEM, for the address in certificates, replacing the previous one.
    pub fn publish(&self, url: &str, crl: &[u8]) -> Result<(), CertError> {
        let crl = Arc::new(Crl::from_bytes(crl)?);
        self.lists.write().unwrap_or_else(|e| e.into_inner()).insert(url.to_owned(), crl);
        Ok(())
    }
}

#[async_trait]
impl RevocationSource for HostedCrls {
    async fn crl(
        &self,
        url: &str,
        _at: DateTime<Utc>,
        _budget: &FetchBudget,
    ) -> Result<Option<Arc<Crl>>, Unavailable> {
        Ok(self.lists.read().unwrap_or_else(|e| e.into_inner()).get(url).cloned())
    }
}

/// Answers and failures by address. Failures are separate, so that addresses invented by a stranger cannot displace
/// valid answers.
struct Cache<T> {
    found: Mutex<HashMap<String, (DateTime<Utc>, T)>>,
    failed: Mutex<HashMap<String, (DateTime<Utc>, FetchError)>>,
}

impl<T: Clone> Cache<T> {
    fn new() -> Self {
        Self { found: Mutex::default(), failed: Mutex::default() }
    }

    fn get(&self, url: &str, at: DateTime<Utc>) -> Option<Result<T, Unavailable>> {
        let found = valid(&self.found, url, at).map(Ok);
        found.or_else(|| Some(Err(valid(&self.failed, url, at)?.into())))
    }

    /// Keeps an answer until the given time, and a failure for [`FAILURE_AGE`].
    fn put(&self, url: &str, at: DateTime<Utc>, until: DateTime<Utc>, value: &Result<T, Unavailable>) {
        match value {
            Ok(value) => keep(&self.found, url, at, until, value.clone()),
            Err(Unavailable::Failed(error)) => {
                keep(&self.failed, url, at, at + FAILURE_AGE, error.clone());
            }
            Err(Unavailable::LimitReached) => {}
        }
    }
}

type Entries<T> = Mutex<HashMap<String, (DateTime<Utc>, T)>>;

fn valid<T: Clone>(entries: &Entries<T>, url: &str, at: DateTime<Utc>) -> Option<T> {
    let entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    entries.get(url).filter(|(until, _)| at < *until).map(|(_, value)| value.clone())
}

fn keep<T>(entries: &Entries<T>, url: &str, at: DateTime<Utc>, until: DateTime<Utc>, value: T) {
    let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    if entries.len() >= MAX_ENTRIES {
        entries.retain(|_, (until, _)| at < *until);
    }
    if entries.len() >= MAX_ENTRIES {
        entries.clear();
    }
    entries.insert(url.to_owned(), (until, value));
}

/// Revocation lists over HTTP, cached until their end of validity and at most an hour.
pub struct HttpCrlSource {
    fetch: Arc<dyn Fetch>,
    cache: Cache<Arc<Crl>>,
}

impl HttpCrlSource {
    /// A source that fetches with this.
    pub fn new(fetch: Arc<dyn Fetch>) -> Self {
        Self { fetch, cache: Cache::new() }
    }
}

impl fmt::Debug for HttpCrlSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpCrlSource")
    }
}

#[async_trait]
impl RevocationSource for HttpCrlSource {
    async fn crl(
        &self,
        url: &str,
        at: DateTime<Utc>,
        budget: &FetchBudget,
    ) -> Result<Option<Arc<Crl>>, Unavailable> {
        if let Some(known) = self.cache.get(url, at) {
            return known.map(Some);
        }
        let fetched = budget.get(&*self.fetch, url, MAX_CRL).await;
        let fetched = fetched.and_then(|b| {
            Crl::from_bytes(&b).map(Arc::new).map_err(|_| Unavailable::Failed(FetchError::Unreadable))
        });
        let until = fetched.as_ref().map_or(at, |crl| crl.next_update().min(at + CRL_AGE));
        self.cache.put(url, at, until, &fetched);
        fetched.map(Some)
    }
}

/// Issuer certificates over HTTP: DER, PEM, or PKCS#7 (RFC 5280 4.2.2.1), cached for a day.
pub struct HttpIssuerSource {
    fetch: Arc<dyn Fetch>,
    cache: Cache<Vec<Certificate>>,
}

impl HttpIssuerSource {
    /// A source that fetches with this.
    pub fn new(fetch: Arc<dyn Fetch>) -> Self {
        Self { fetch, cache: Cache::new() }
    }
}

impl fmt::Debug for HttpIssuerSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpIssuerSource")
    }
}

#[async_trait]
impl IssuerSource for HttpIssuerSource {
    async fn issuers(
        &self,
        url: &str,
        at: DateTime<Utc>,
        budget: &FetchBudget,
    ) -> Result<Vec<Certificate>, Unavailable> {
        if let Some(known) = self.cache.get(url, at) {
            return known;
        }
        let fetched = budget.get(&*self.fetch, url, MAX_ISSUER).await;
        let fetched = fetched.and_then(|bytes| Ok(read_issuers(&bytes)?));
        self.cache.put(url, at, at + ISSUER_AGE, &fetched);
        fetched
    }
}

fn read_issuers(bytes: &[u8]) -> Result<Vec<Certificate>, FetchError> {
    let found = match Certificate::many_from_file(bytes) {
        Ok(found) => found,
        Err(_) if !ber::is_within_limits(bytes) => return Err(FetchError::TooLarge),
        Err(_) => {
            let parsed = Pkcs7::from_der(bytes).map_err(|_| FetchError::Unreadable)?;
            let found = parsed.signed().and_then(|s| s.certificates()).ok_or(FetchError::Unreadable)?;
            found.iter().map(|c| Certificate::from(c.to_owned())).collect()
        }
    };
    if found.len() > MAX_ISSUERS { Err(FetchError::TooLarge) } else { Ok(found) }
}
