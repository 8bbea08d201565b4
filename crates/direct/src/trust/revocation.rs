//! Revocation lists and issuer certificates, fetched and kept for a while.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use openssl::pkcs7::Pkcs7;
use openssl::x509::{CrlStatus, X509Crl};

use crate::cert::{CertError, Certificate, instant};
use fetch::{Fetch, FetchError};

/// Largest CRL read, in bytes.
const MAX_CRL: usize = 16 << 20;
/// Largest answer of an AIA address, in bytes.
const MAX_ISSUER: usize = 1 << 20;
/// Most entries of a cache; when it is full it starts anew.
const MAX_ENTRIES: usize = 1000;
/// How long a fetched CRL is used without asking again, even when it is valid longer.
const CRL_AGE: TimeDelta = TimeDelta::hours(1);
/// How long a fetched issuer certificate is used without asking again.
const ISSUER_AGE: TimeDelta = TimeDelta::hours(24);
/// How long a failed fetch is not repeated.
const FAILURE_AGE: TimeDelta = TimeDelta::minutes(5);

/// A certificate revocation list.
pub struct Crl {
    crl: X509Crl,
    /// By whom it was found to be signed: one list is held against many certificates of the same issuer.
    signer: OnceLock<Certificate>,
}

impl Crl {
    /// Reads DER or PEM.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CertError> {
        let read =
            if bytes.starts_with(b"-----") { X509Crl::from_pem(bytes) } else { X509Crl::from_der(bytes) };
        read.map(|crl| Self { crl, signer: OnceLock::new() }).map_err(|_| CertError::Unreadable)
    }

    /// End of its validity; a list without one is good for a day.
    pub fn next_update(&self) -> DateTime<Utc> {
        self.crl
            .next_update()
            .map(instant)
            .unwrap_or_else(|| instant(self.crl.last_update()) + TimeDelta::days(1))
    }

    /// Whether the list is signed by this certificate.
    pub fn is_signed_by(&self, issuer: &Certificate) -> bool {
        if self.signer.get() == Some(issuer) {
            return true;
        }
        let named = self.crl.issuer_name().try_cmp(issuer.as_x509().subject_name()).is_ok_and(|o| o.is_eq());
        let signed =
            named && issuer.as_x509().public_key().is_ok_and(|key| self.crl.verify(&key).unwrap_or(false));
        if signed {
            self.signer.get_or_init(|| issuer.clone());
        }
        signed
    }

    /// When the certificate was revoked; none when it is not on the list.
    pub fn revoked_at(&self, certificate: &Certificate) -> Option<DateTime<Utc>> {
        match self.crl.get_by_serial(certificate.as_x509().serial_number()) {
            CrlStatus::Revoked(entry) => Some(instant(entry.revocation_date())),
            CrlStatus::RemoveFromCrl(_) | CrlStatus::NotRevoked => None,
        }
    }
}

impl fmt::Debug for Crl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Crl(until {})", self.next_update())
    }
}

/// Where revocation lists come from.
#[async_trait]
pub trait RevocationSource: Send + Sync + fmt::Debug {
    /// The list behind a CRL distribution point; none when this source does not answer for that address.
    async fn crl(&self, url: &str, at: DateTime<Utc>) -> Result<Option<Arc<Crl>>, FetchError>;
}

/// Where the certificates of issuers come from that a chain misses.
#[async_trait]
pub trait IssuerSource: Send + Sync + fmt::Debug {
    /// The certificates behind a caIssuers address.
    async fn issuers(&self, url: &str, at: DateTime<Utc>) -> Result<Vec<Certificate>, FetchError>;
}

/// Asks several sources in order until one answers for the address: the lists we host ourselves first.
#[derive(Debug, Clone)]
pub struct LayeredRevocation(Vec<Arc<dyn RevocationSource>>);

impl LayeredRevocation {
    /// Sources in the order they are asked.
    pub fn new(sources: Vec<Arc<dyn RevocationSource>>) -> Self {
        Self(sources)
    }
}

#[async_trait]
impl RevocationSource for LayeredRevocation {
    async fn crl(&self, url: &str, at: DateTime<Utc>) -> Result<Option<Arc<Crl>>, FetchError> {
        for source in &self.0 {
            if let Some(crl) = source.crl(url, at).await? {
                return Ok(Some(crl));
            }
        }
        Ok(None)
    }
}

/// The lists that this installation publishes itself, answered without going over the network.
#[derive(Debug, Default)]
pub struct HostedCrls {
    lists: RwLock<HashMap<String, Arc<Crl>>>,
}

impl HostedCrls {
    /// Puts a list, DER or PEM, under the address that certificates name; it replaces the one before.
    pub fn publish(&self, url: &str, crl: &[u8]) -> Result<(), CertError> {
        let crl = Arc::new(Crl::from_bytes(crl)?);
        self.lists.write().unwrap_or_else(|e| e.into_inner()).insert(url.to_owned(), crl);
        Ok(())
    }
}

#[async_trait]
impl RevocationSource for HostedCrls {
    async fn crl(&self, url: &str, _at: DateTime<Utc>) -> Result<Option<Arc<Crl>>, FetchError> {
        Ok(self.lists.read().unwrap_or_else(|e| e.into_inner()).get(url).cloned())
    }
}

/// Fetched things, and failures to fetch them, by address.
struct Cached<T> {
    entries: Mutex<HashMap<String, CacheEntry<T>>>,
}

/// Until when it counts, and what came.
type CacheEntry<T> = (DateTime<Utc>, Result<T, FetchError>);

impl<T: Clone> Cached<T> {
    fn new() -> Self {
        Self { entries: Mutex::default() }
    }

    fn get(&self, url: &str, at: DateTime<Utc>) -> Option<Result<T, FetchError>> {
        let entries = self.entries.lock().unwrap_or_else(|e| e.into_inner());
        entries.get(url).filter(|(until, _)| at < *until).map(|(_, value)| value.clone())
    }

    fn put(&self, url: &str, until: DateTime<Utc>, value: Result<T, FetchError>) {
        let mut entries = self.entries.lock().unwrap_or_else(|e| e.into_inner());
        if entries.len() >= MAX_ENTRIES {
            entries.clear();
        }
        entries.insert(url.to_owned(), (until, value));
    }
}

/// Revocation lists over HTTP, kept until their end of validity and at most an hour.
pub struct HttpCrlSource {
    fetch: Arc<dyn Fetch>,
    cache: Cached<Arc<Crl>>,
}

impl HttpCrlSource {
    /// A source that fetches with this.
    pub fn new(fetch: Arc<dyn Fetch>) -> Self {
        Self { fetch, cache: Cached::new() }
    }
}

impl fmt::Debug for HttpCrlSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpCrlSource")
    }
}

#[async_trait]
impl RevocationSource for HttpCrlSource {
    async fn crl(&self, url: &str, at: DateTime<Utc>) -> Result<Option<Arc<Crl>>, FetchError> {
        if let Some(known) = self.cache.get(url, at) {
            return known.map(Some);
        }
        let fetched = self.fetch.get(url, MAX_CRL).await;
        let fetched =
            fetched.and_then(|b| Crl::from_bytes(&b).map(Arc::new).map_err(|_| FetchError::Unreadable));
        let until = fetched.as_ref().map_or(at + FAILURE_AGE, |crl| crl.next_update().min(at + CRL_AGE));
        self.cache.put(url, until, fetched.clone());
        fetched.map(Some)
    }
}

/// Issuer certificates over HTTP: DER, PEM, or PKCS#7 (RFC 5280 4.2.2.1), kept for a day.
pub struct HttpIssuerSource {
    fetch: Arc<dyn Fetch>,
    cache: Cached<Vec<Certificate>>,
}

impl HttpIssuerSource {
    /// A source that fetches with this.
    pub fn new(fetch: Arc<dyn Fetch>) -> Self {
        Self { fetch, cache: Cached::new() }
    }
}

impl fmt::Debug for HttpIssuerSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpIssuerSource")
    }
}

#[async_trait]
impl IssuerSource for HttpIssuerSource {
    async fn issuers(&self, url: &str, at: DateTime<Utc>) -> Result<Vec<Certificate>, FetchError> {
        if let Some(known) = self.cache.get(url, at) {
            return known;
        }
        let fetched = self.fetch.get(url, MAX_ISSUER).await.and_then(|bytes| read_issuers(&bytes));
        let until = at + if fetched.is_ok() { ISSUER_AGE } else { FAILURE_AGE };
        self.cache.put(url, until, fetched.clone());
        fetched
    }
}

fn read_issuers(bytes: &[u8]) -> Result<Vec<Certificate>, FetchError> {
    if let Ok(found) = Certificate::many_from_file(bytes) {
        return Ok(found);
    }
    let parsed = Pkcs7::from_der(bytes).map_err(|_| FetchError::Unreadable)?;
    let found = parsed.signed().and_then(|s| s.certificates()).ok_or(FetchError::Unreadable)?;
    Ok(found.iter().map(|c| Certificate::from(c.to_owned())).collect())
}
