//! Tests of single components, with results in plain words, shared by `carepost setup`, its pages and `carepost
//! doctor`.

use crate::{setup::dns, storage, tls};
use anyhow::Result;
use chrono::{DateTime, Utc};
use direct::{
    dns::{DnsClient, DnsSettings},
    trust::Crl,
};
use fetch::{AddressGuard, Fetch, HttpFetcher};
use openssl::x509::X509;
use platform::{
    Config,
    config::{Mode, NodeRole},
    malware::Scanner,
};
use serde::{Deserialize, Serialize};
use std::{io::ErrorKind, net::SocketAddr, path::Path, time::Duration};
use store::{
    Clock, Store,
    keys::{KeyRing, MasterKey},
};
use tokio::net::TcpListener;
use utoipa::ToSchema;
use uuid::Uuid;

/// Free space in bytes below which a warning is shown.
const LITTLE_SPACE: u64 = 5 << 30;
/// Maximum size of a fetched revocation list, in bytes.
const REVOCATION_LIST_LIMIT: usize = 4 << 20;
const HTTP_TIMEOUT: Duration = Duration::from_secs(10);

/// Result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CheckOutcome)]
pub enum Outcome {
    Good,
    /// Works, with a remark.
    Note,
    Problem,
}

/// One sentence about one component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SetupCheck)]
pub struct Check {
    pub outcome: Outcome,
    pub text: String,
}

impl Check {
    pub fn good(text: impl Into<String>) -> Self {
        Self { outcome: Outcome::Good, text: text.into() }
    }

    pub fn note(text: impl Into<String>) -> Self {
        Self { outcome: Outcome::Note, text: text.into() }
    }

    pub fn problem(text: impl Into<String>) -> Self {
        Self { outcome: Outcome::Problem, text: text.into() }
    }

    pub fn is_problem(&self) -> bool {
        self.outcome == Outcome::Problem
    }
}

/// The configured resolver.
pub fn resolver(config: &Config) -> Result<DnsClient> {
    let servers = config.dns.nameserver.into_iter().collect();
    Ok(DnsClient::new(&DnsSettings { servers, retries: 1, ..DnsSettings::default() })?)
}

/// The public address: its scheme, its name in DNS, and the answer there.
///
/// `runs` is whether the server must already answer there.
pub async fn public_url(config: &Config, runs: bool) -> Vec<Check> {
    let url = &config.http.public_url;
    let mut found = Vec::new();
    if config.is_https() {
        found.push(Check::good(format!("{url} uses TLS.")));
    } else if config.mode == Mode::Production {
        found.push(Check::problem(format!(
            "{url} begins with http; an installation for patients needs https."
        )));
    } else {
        found.push(Check::note(format!("{url} does not use TLS. That is sufficient for a demonstration.")));
    }
    let host = url.host_str().unwrap_or_default();
    found.push(dns::resolves(config, host).await);
    found.push(answers(config, runs).await);
    found
}

/// The domain of Direct addresses: whether it is the operator's own. `None` if it is.
pub fn direct_host(config: &Config) -> Option<Check> {
    let text = format!(
        "direct.host is still {}, which nobody can own. Set it to your own domain, so that partners can write to its addresses.",
        config.direct.host
    );
    config.direct.is_unnamed().then(|| match config.mode {
        Mode::Production => Check::problem(text),
        Mode::Demo => Check::note(text),
    })
}

/// Whether this installation answers at its public address.
async fn answers(config: &Config, runs: bool) -> Check {
    let Ok(address) = config.http.public_url.join("/api/branding") else {
        return Check::problem("The public address is not a web address.");
    };
    let asked = async {
        let client = reqwest::Client::builder().timeout(HTTP_TIMEOUT).build()?;
        client.get(address).send().await?.error_for_status()?.json::<serde_json::Value>().await
    };
    match asked.await {
        Ok(answer) if answer.get("displayName").is_some() => {
            Check::good("Carepost answers there, and its certificate is trusted.")
        }
        Ok(_) => Check::problem("Something else answers there. Check that the proxy leads to this server."),
        Err(error) if error.is_connect() && runs => Check::problem(
            "Nobody answers there, or with a certificate that is not trusted. Does the name lead to this server or to \
             the proxy in front of it?",
        ),
        Err(error) if error.is_connect() => Check::note(
            "Nothing answers there yet. Test it under Setup in the web app once the server is running.",
        ),
        Err(error) if error.is_timeout() => Check::problem("Nothing answers there within ten seconds."),
        Err(_) => Check::problem(
            "The answer there is not from Carepost. Check that the proxy leads to this server.",
        ),
    }
}

/// Whether the database stores rows, its schema is current, and the blob store returns what it stores.
pub async fn storage(config: &Config, store: &Store, key: MasterKey) -> Vec<Check> {
    let mut found = Vec::new();
    match store.pending_migrations().await {
        Ok(pending) if pending.is_empty() => found
            .push(Check::good(format!("{} answers, and its schema is up to date.", database_name(config)))),
        Ok(_) => found.push(Check::problem(
            "The schema of the database is older than this program. Run: carepost migrate",
        )),
        Err(_) => found.push(Check::problem(format!("{} does not answer.", database_name(config)))),
    }
    if !config.is_database_safe() {
        let text =
            "The database is on another machine without sslmode=verify-full: the traffic can be intercepted.";
        let is_allowed = config.database.allow_plain;
        found.push(if is_allowed { Check::note(text) } else { Check::problem(text) });
    }
    let place = match &config.blobs.s3 {
        Some(s3) => format!("The bucket {}", s3.bucket),
        None => format!("The folder {}", config.blob_dir().display()),
    };
    found.push(match try_blobs(config, store, key).await {
        Ok(()) => Check::good(format!("{place} stores and returns documents.")),
        Err(error) => Check::problem(format!("{place} does not accept documents: {error:#}.")),
    });
    if let Some(free) = free_space(&config.data_dir) {
        let gigabytes = free >> 30;
        found.push(if free < LITTLE_SPACE {
            Check::note(format!(
                "{} has {gigabytes} GB free, which will soon be used up.",
                config.data_dir.display()
            ))
        } else {
            Check::good(format!("{} has {gigabytes} GB free.", config.data_dir.display()))
        });
    }
    found
}

pub fn database_name(config: &Config) -> &'static str {
    if config.database_url().starts_with("sqlite") { "The embedded database" } else { "PostgreSQL" }
}

/// Writes a blob without an owner, reads it back and removes it, with a key that is not stored.
pub async fn try_blobs(config: &Config, store: &Store, key: MasterKey) -> Result<()> {
    let blobs = storage::blobs(config)?;
    let probe = Uuid::now_v7();
    let txn = store.begin().await?;
    let key = KeyRing::new(store.clone(), Clock::system(), key).create_in(&txn, probe).await?;
    txn.rollback().await?;
    blobs.put(&key, probe, probe, "probe".into()).await?;
    blobs.read_to_vec(&key, probe, probe, 16).await?;
    Ok(blobs.delete(probe, probe).await?)
}

fn free_space(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// The malware scanner, if there is one.
pub async fn malware(config: &Config) -> Check {
    let Some(scanner) = Scanner::configured(&config.malware) else {
        return Check::note(
            "There is no malware scanner (malware.clamd): files from outside are not scanned.",
        );
    };
    match scanner.version().await {
        Ok(version) => Check::good(format!("Files from outside are scanned for malware by {version}.")),
        Err(error) => Check::problem(format!(
            "Files from outside cannot be opened, because {error} (malware.clamd). They wait until the scanner answers."
        )),
    }
}

/// Sends a test e-mail to an address.
pub async fn mail(config: &Config, to: &str) -> Vec<Check> {
    let Some(server) = &config.email.server else {
        return vec![Check::problem(
            "No mail server is set (email.server.host): invitations, links and codes cannot be sent.",
        )];
    };
    match email::send_test(&config.email, to).await {
        Ok(()) => {
            vec![Check::good(format!(
                "{} accepted a test e-mail to {to}. Please check that it arrives.",
                server.host
            ))]
        }
        Err(reason) => vec![Check::problem(format!("{}: {reason}.", server.host))],
    }
}

/// The port for Direct mail: whether this program listens there, or could.
pub async fn listener(what: &str, address: SocketAddr) -> Check {
    match TcpListener::bind(address).await {
        Ok(_) => Check::good(format!("{what} can listen on {address}.")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            Check::good(format!("{what}: {address} is in use, by this server if it runs."))
        }
        // The service has the capability for low ports, but the user of this command does not.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && address.port() < 1024 => {
            Check::note(format!("{what}: only the service may listen on {address}, so this was not tested."))
        }
        Err(error) => Check::problem(format!("{what} cannot listen on {address}: {error}.")),
    }
}

/// The listeners of this node.
pub async fn listeners(config: &Config) -> Vec<Check> {
    let all = [
        (NodeRole::Web, "The web app", Some(config.http.listen)),
        (NodeRole::Smtp, "Direct mail", Some(config.smtp.listen)),
        (NodeRole::Dns, "DNS", config.dns.listen),
    ];
    let mut found = Vec::new();
    for (role, what, address) in all {
        if let Some(address) = address.filter(|_| config.has_role(role)) {
            found.push(listener(what, address).await);
        }
    }
    found
}

/// The listeners for systems' documents, and their protection.
pub async fn interfaces(config: &Config) -> Vec<Check> {
    let settings = &config.interfaces;
    let mut found = Vec::new();
    for (what, address) in [("HL7 v2", settings.mllp_listen), ("XDR", settings.xdr_listen)] {
        if let Some(address) = address {
            found.push(listener(what, address).await);
        }
    }
    match (&settings.tls_certificate_file, &settings.tls_key_file) {
        (Some(certificate), Some(key)) => {
            if let Err(error) = tls::asking_clients(certificate, key, &[]) {
                found.push(Check::problem(format!("{error:#}.")));
            }
        }
        _ if settings.mllp_listen.is_some_and(|address| !address.ip().is_loopback()) => {
            found.push(Check::note("HL7 v2 is unencrypted. Use it within a VPN only, or set a certificate."))
        }
        _ => {}
    }
    if found.is_empty() {
        found.push(Check::note("HL7 v2 is not accepted. XDR is accepted by the web server."));
    }
    found
}

/// The certificate of an authority: the end of its validity.
pub fn authority(pem: &str, config: &Config) -> Check {
    let end = X509::from_pem(pem.as_bytes()).ok().and_then(|certificate| not_after(&certificate));
    let soon = Clock::system().now() + chrono::Duration::days(config.direct.renew_days_before.into());
    match end {
        Some(end) if end > soon => {
            Check::good(format!("Its certificate is valid until {}.", end.date_naive()))
        }
        Some(end) => Check::problem(format!("Its certificate ends on {}.", end.date_naive())),
        None => Check::problem("Its certificate cannot be read."),
    }
}

/// Partners' servers fetch this list, and refuse our mail without it.
pub async fn revocation_list(config: &Config, authority: Uuid) -> Check {
    let Ok(address) = config.http.public_url.join(&format!("/crl/{authority}.crl")) else {
        return Check::problem("The public address is not a web address.");
    };
    // From here, our own server may be in a private network.
    let fetched = match HttpFetcher::new(AddressGuard::unrestricted()) {
        Ok(fetcher) => fetcher.get(address.as_str(), REVOCATION_LIST_LIMIT).await.ok(),
        Err(_) => None,
    };
    match fetched.map(|bytes| Crl::from_bytes(&bytes).is_ok()) {
        Some(true) => Check::good(format!("Partners can fetch the revocation list at {address}.")),
        Some(false) => Check::problem(format!("The answer at {address} is not a revocation list.")),
        None => Check::note(format!(
            "The revocation list at {address} cannot be fetched yet. Partners refuse mail without it; test again once \
             the server can be reached there."
        )),
    }
}

/// The end of a certificate.
pub fn not_after(certificate: &X509) -> Option<DateTime<Utc>> {
    let epoch = openssl::asn1::Asn1Time::from_unix(0).ok()?;
    let since = epoch.diff(certificate.not_after()).ok()?;
    DateTime::from_timestamp(i64::from(since.days) * 86_400 + i64::from(since.secs), 0)
}
