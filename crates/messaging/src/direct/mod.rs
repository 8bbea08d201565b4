//! Direct secure messaging for the organizations of this installation: certificates, anchors, and mail in both
//! directions. The protocol itself is in the `direct` crate.

pub mod activation;
pub mod addresses;
pub mod anchors;
pub mod authority;
pub mod bundles;
pub mod certificates;
pub mod credentials;
pub mod crl;
pub mod hosted;
pub mod inbound;
pub mod notices;
pub mod outbound;
pub mod own_addresses;
pub mod policies;
pub mod receiving;
pub mod trust;
pub mod unknown_senders;

use ::direct::{
    discovery::Discovery,
    dns::{DnsClient, DnsSettings, DnsSource},
    receive::{ReceiveSettings, TamperPolicy},
    smtp::{
        client::{ClientTimeouts, SmtpClient, TlsMode},
        sts::StsPolicies,
    },
    trust::{HttpCrlSource, HttpIssuerSource, LayeredRevocation, TrustEngine, UnknownRevocation},
};
use certificates::OpenedIdentities;
use credentials::{Changes, Credentials, KnownCredentials};
use fetch::{AddressGuard, HttpFetcher};
use hosted::Hosted;
use platform::{App, Config, Error, Result};
use policies::KeptPolicies;
use std::{net::SocketAddr, ops::Deref, sync::Arc};
use tokio::sync::{Semaphore, SemaphorePermit};
use uuid::Uuid;

/// Settings from the start options of the node.
#[derive(Clone, Copy, Debug)]
pub struct DirectSettings {
    /// Address of the SMTP listener that accepts mail for hosted domains.
    pub hosted_route: SocketAddr,
}

/// Services for sending and receiving, cheap to clone.
#[derive(Clone)]
pub struct DirectServices(Arc<Services>);

pub struct Services {
    pub hosted: Hosted,
    pub discovery: Discovery,
    pub trust: TrustEngine,
    pub dns: DnsClient,
    pub guard: AddressGuard,
    pub fetch: Arc<HttpFetcher>,
    pub smtp: SmtpClient,
    pub sts: StsPolicies,
    pub hosted_route: SocketAddr,
    pub receive: ReceiveSettings,
    pub identities: OpenedIdentities,
    credentials: KnownCredentials,
    /// Memory for cryptography: for sending, for receiving, and while waiting for outside servers.
    pub sending: CryptoBudget,
    pub receiving: CryptoBudget,
    pub anonymous: CryptoBudget,
}

impl Deref for DirectServices {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.0
    }
}

impl DirectServices {
    /// Starts the services; creates the built-in authority on the first start.
    pub async fn start(app: &App, settings: DirectSettings) -> Result<Self> {
        authority::ensure(app).await?;
        let config = &app.config;
        let guard = address_guard(config);
        let fetch = Arc::new(fetcher(config)?.within(app.health.fetches.clone()));
        let dns_settings =
            DnsSettings { servers: config.dns.nameserver.into_iter().collect(), ..DnsSettings::default() };
        let dns = DnsClient::new(&dns_settings).map_err(Error::internal)?;
        let dns = dns.within(app.health.questions.clone());
        let hosted = Hosted::new(app.clone());
        let discovery = Discovery::new(vec![
            Arc::new(hosted.clone()),
            Arc::new(DnsSource::new(dns.clone(), fetch.clone())),
        ]);
        let revocation = LayeredRevocation::new(vec![
            Arc::new(hosted.clone()),
            Arc::new(HttpCrlSource::new(fetch.clone())),
        ]);
        let issuers = Arc::new(HttpIssuerSource::new(fetch.clone()));
        let trust = TrustEngine::new(Arc::new(revocation), issuers, UnknownRevocation::Accept);
        let tls = if config.smtp.require_tls { TlsMode::Required } else { TlsMode::Opportunistic };
        let smtp = SmtpClient::new(&config.smtp.hostname, tls, ClientTimeouts::default(), trusted_roots());
        let sts = StsPolicies::new(dns.clone(), fetch.clone(), Arc::new(KeptPolicies(app.clone())));
        let tampering =
            if config.direct.reject_tampering { TamperPolicy::Reject } else { TamperPolicy::Report };
        Ok(Self(Arc::new(Services {
            hosted,
            discovery,
            trust,
            dns,
            guard,
            fetch,
            smtp,
            sts,
            hosted_route: settings.hosted_route,
            receive: ReceiveSettings { tampering, ..ReceiveSettings::default() },
            identities: OpenedIdentities::default(),
            credentials: KnownCredentials::default(),
            sending: CryptoBudget::new(config.workers.crypto_memory_bytes / 2),
            receiving: CryptoBudget::new(config.workers.crypto_memory_bytes / 8 * 3),
            anonymous: CryptoBudget::new(config.workers.crypto_memory_bytes / 8),
        })))
    }

    /// The current certificates and anchors of an organization.
    pub async fn credentials(&self, app: &App, organization_id: Uuid) -> Result<Arc<Credentials>> {
        self.credentials_after(app, organization_id, Changes::now(app).await?).await
    }

    /// Like [`Self::credentials`], with a change number that the caller just read along with other data.
    pub async fn credentials_after(
        &self,
        app: &App,
        organization_id: Uuid,
        changes: Changes,
    ) -> Result<Arc<Credentials>> {
        self.credentials.of(app, &self.identities, organization_id, changes).await
    }
}

/// Client for URLs from certificates and operators.
pub fn fetcher(config: &Config) -> Result<HttpFetcher> {
    HttpFetcher::new(address_guard(config)).map_err(Error::internal)
}

fn address_guard(config: &Config) -> AddressGuard {
    if config.direct.allow_private_networks {
        AddressGuard::unrestricted()
    } else {
        AddressGuard::public_only()
    }
}

/// Limits concurrent cryptography by bytes: CMS holds about three copies of a message in memory.
pub struct CryptoBudget {
    kibibytes: Semaphore,
    total: u32,
}

impl CryptoBudget {
    const COPIES: u64 = 3;

    fn new(bytes: u64) -> Self {
        let total = u32::try_from(bytes >> 10).unwrap_or(u32::MAX).min(Semaphore::MAX_PERMITS as u32).max(1);
        Self { kibibytes: Semaphore::new(total as usize), total }
    }

    /// Waits until a message of this size, in bytes, may be held in memory.
    pub async fn acquire(&self, bytes: u64) -> SemaphorePermit<'_> {
        // A message larger than the budget gets all of it, alone.
        let wanted = u32::try_from((bytes * Self::COPIES) >> 10).unwrap_or(u32::MAX).clamp(1, self.total);
        self.kibibytes.acquire_many(wanted).await.expect("the budget is never closed")
    }
}

/// The root certificates of this machine for web and mail servers.
fn trusted_roots() -> rustls::RootCertStore {
    let mut roots = rustls::RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        tracing::warn!("this machine has no root certificates, so no mail server can be verified");
    }
    roots
}
