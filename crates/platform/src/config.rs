//! Configuration: defaults, then one TOML file, then the environment (`CAREPOST_HTTP__LISTEN=…`). Unknown keys are
//! errors; secrets may come from files or commands.

mod load;
mod nearness;
mod scanner;
mod secrets;
mod storage;

pub use load::{ConfigError, NO_MASTER_KEY};
pub use scanner::ScannerAddress;
pub use storage::{Audit, Blobs, Database, Keys, Pkcs11, S3};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};
use url::Url;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Sample data, listed accounts, generated keys, a banner on every page.
    #[default]
    Demo,
    /// Refuses demo accounts and default keys.
    Production,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeRole {
    Web,
    Smtp,
    Dns,
    Worker,
}

/// The whole configuration. The defaults of each section are in its `Default`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub mode: Mode,
    /// Roles of this node; all by default.
    pub roles: Vec<NodeRole>,
    /// Name of this node for operators; by default, the machine's host name.
    pub node_name: Option<String>,
    /// Address of the monitoring service's page.
    pub monitoring_url: Option<Url>,
    /// Folder of the embedded database, the blobs and generated secrets.
    pub data_dir: PathBuf,
    pub http: Http,
    pub database: Database,
    pub blobs: Blobs,
    pub keys: Keys,
    pub audit: Audit,
    pub session: Session,
    pub registration: Registration,
    pub proofing: Proofing,
    pub billing: Billing,
    pub support: Support,
    pub support_chat: SupportChat,
    pub direct: Direct,
    pub smtp: Smtp,
    pub email: Email,
    pub fax: Fax,
    pub webhooks: Webhooks,
    pub integrations: Integrations,
    pub signatures: Signatures,
    pub routing: Routing,
    pub interfaces: Interfaces,
    pub malware: Malware,
    pub carequality: Carequality,
    pub npi: Npi,
    pub customer_messaging: CustomerMessaging,
    pub api_capture: ApiCapture,
    pub dns: Dns,
    pub workers: Workers,
    pub metrics: Metrics,
    pub log: Log,
    /// The file from which it was read.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// Source of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    Default,
    File,
    Environment,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    pub listen: SocketAddr,
    /// The address of the web app. `https` switches on secure cookies and HSTS.
    pub public_url: Url,
    /// PEM files; without them the server speaks plain HTTP (behind a proxy, or on loopback).
    pub tls_certificate_file: Option<PathBuf>,
    pub tls_key_file: Option<PathBuf>,
    /// Trusted proxies whose `X-Forwarded-For` is used: addresses, or networks such as `10.0.0.0/8`.
    pub trusted_proxies: Vec<Network>,
    /// Maximum number of connections; a quarter is reserved for addresses with a signed-in user.
    pub connections: usize,
    /// Maximum number of connections from an address without a signed-in user; four times as many from its network.
    pub connections_per_address: usize,
}

/// A network, or a single address as its own network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Network(IpNet);

impl Network {
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    /// Its address, and the length of its prefix in bits.
    pub fn prefix(&self) -> (IpAddr, u8) {
        (self.0.network(), self.0.prefix_len())
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let one = || text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
        text.parse::<IpNet>().or_else(|_| one()).map(Self).map_err(|_| format!("{text} is not a network"))
    }
}

impl From<Network> for String {
    /// Addresses are written without a prefix length.
    fn from(Network(net): Network) -> Self {
        if net.prefix_len() == net.max_prefix_len() { net.addr().to_string() } else { net.to_string() }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Session {
    pub access_token_seconds: u32,
    /// Minutes without activity until sign-out; at most 30.
    pub idle_minutes: u32,
    pub absolute_hours: u32,
    /// Number of failed sign-ins after which an account is locked.
    pub lockout_after: u32,
    pub lockout_minutes: u32,
    /// Whether everybody needs a second step to sign in; if empty, in production.
    pub require_second_factor: Option<bool>,
    /// Whether organizations' sign-in providers may be in private networks, also without TLS; if empty, in demo mode
    /// only.
    pub allow_private_sign_in: Option<bool>,
    /// A list of breached passwords: sorted SHA-1 hashes, one per line.
    pub breached_passwords: Option<PathBuf>,
}

/// Self-registration of practices.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Registration {
    /// If empty, in demo mode only.
    pub enabled: Option<bool>,
}

/// Proof of an administrator's identity.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Proofing {
    /// Maximum number of quizzes of an organization within 24 hours.
    pub attempts_per_day: u32,
    /// Minutes for answering a quiz.
    pub quiz_minutes: u32,
}

/// Cancelled subscriptions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Billing {
    /// Number of days for which a cancelled organization can still be used.
    pub grace_days: u32,
}

/// Support requests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Support {
    /// E-mail address of support tickets; without it, operators only see them in the console.
    pub address: Option<String>,
    /// A further area to choose, by the name of the brand whose users can choose it.
    pub brand_areas: BTreeMap<String, String>,
}

/// Capture of API calls, which operators switch on by organization.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApiCapture {
    /// Whether it is available.
    pub enabled: bool,
    /// Retention of captured calls, in days.
    pub keep_days: u32,
}

impl Default for ApiCapture {
    fn default() -> Self {
        Self { enabled: false, keep_days: 14 }
    }
}

/// Calls to organizations' systems.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Webhooks {
    /// Private networks that may be called: addresses, or networks such as `10.2.0.0/16`. Public ones are always
    /// allowed.
    pub allowed_networks: Vec<Network>,
    /// Seconds for an endpoint's answer; after that, it is called again later.
    pub timeout_seconds: u32,
    /// Retention of sent events in the log, in days.
    pub keep_days: u32,
}

impl Default for Webhooks {
    fn default() -> Self {
        Self { allowed_networks: Vec::new(), timeout_seconds: 10, keep_days: 30 }
    }
}

/// Connections of organizations to their EHRs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Integrations {
    /// Private networks with EHRs: addresses, or networks such as `10.2.0.0/16`. Public ones are always allowed.
    pub allowed_networks: Vec<Network>,
    /// Seconds for an EHR's answer.
    pub timeout_seconds: u32,
    /// Folder with a subfolder for each organization (by its subdomain), in which HL7 v2 messages are exchanged as
    /// files.
    pub folder: Option<PathBuf>,
}

impl Default for Integrations {
    fn default() -> Self {
        Self { allowed_networks: Vec::new(), timeout_seconds: 15, folder: None }
    }
}

/// Signatures under documents.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Signatures {
    /// Address of a time stamping authority (RFC 3161), which confirms the time of each signature.
    pub timestamp_url: Option<Url>,
    /// Private networks in which it may be: addresses, or networks such as `10.2.0.0/16`. Public ones are always
    /// allowed.
    pub allowed_networks: Vec<Network>,
}

/// Messages that go to recipients' interfaces instead of their Direct mailboxes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Routing {
    /// Networks reached over a VPN: addresses, or networks such as `10.2.0.0/16`. Only messages over a VPN may go
    /// there.
    pub vpn_networks: Vec<Network>,
    /// Folder with `NAME.pem` for each certificate that rules name, and `default.pem`, our own with its key.
    pub certificates_folder: Option<PathBuf>,
    /// Seconds for an endpoint's answer.
    pub answer_seconds: u32,
}

impl Default for Routing {
    fn default() -> Self {
        Self { vpn_networks: Vec::new(), certificates_folder: None, answer_seconds: 60 }
    }
}

/// The malware scanner for files from outside, which scans them before they can be opened.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Malware {
    /// Address of ClamAV's daemon: the path of its socket, or `host:port`. Without it, files are not scanned.
    pub clamd: Option<String>,
    /// Allows production to use a scanner on another machine, although files go there unencrypted.
    pub allow_remote: bool,
    /// Seconds for scanning a file.
    pub timeout_seconds: u32,
    /// Maximum size of a scanned file; larger ones are quarantined.
    pub max_bytes: u64,
    /// Maximum number of files scanned at the same time.
    pub connections: u32,
}

impl Default for Malware {
    fn default() -> Self {
        Self { clamd: None, allow_remote: false, timeout_seconds: 120, max_bytes: 100 << 20, connections: 4 }
    }
}

impl Malware {
    /// Address of the scanner, if there is one.
    pub fn address(&self) -> Option<ScannerAddress> {
        self.clamd.as_deref().and_then(|clamd| clamd.parse().ok())
    }
}

/// Systems that send documents: HL7 v2 over MLLP, ITI-41 and XDR.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Interfaces {
    /// Listener of MLLP; off when empty.
    pub mllp_listen: Option<SocketAddr>,
    /// HTTPS listener for documents from systems with a certificate; off when empty. Other systems use the address of
    /// the web server.
    pub xdr_listen: Option<SocketAddr>,
    /// PEM files for both. Without them, MLLP is unencrypted, for use within a VPN only.
    pub tls_certificate_file: Option<PathBuf>,
    pub tls_key_file: Option<PathBuf>,
    pub max_message_bytes: u64,
    /// Maximum number of MLLP connections; a quarter is reserved for known systems.
    pub connections: usize,
    /// Maximum number of MLLP connections from an unknown address; twice as many from its network.
    pub connections_per_address: usize,
    /// Retention of received messages in their original form, in days; repetitions are recognized during this time.
    pub keep_days: u32,
}

impl Default for Interfaces {
    fn default() -> Self {
        Self {
            mllp_listen: None,
            xdr_listen: None,
            tls_certificate_file: None,
            tls_key_file: None,
            max_message_bytes: 40 << 20,
            connections: 200,
            connections_per_address: 20,
            keep_days: 30,
        }
    }
}

/// The chat with the operator's support, by Intercom. Its script is loaded from there and can read the screens, so it
/// is off unless the operator has an account and an agreement about patient data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SupportChat {
    /// The workspace; without it, there is no chat.
    pub app_id: Option<String>,
    /// Secret with which the service verifies users.
    pub identity_secret: Option<String>,
    pub identity_secret_file: Option<PathBuf>,
    pub identity_secret_command: Option<Vec<String>>,
    /// Hosts without chat.
    pub excluded_hosts: Vec<String>,
    /// User names without chat, such as the operator's own.
    pub excluded_users: Vec<String>,
}

impl Default for SupportChat {
    fn default() -> Self {
        Self {
            app_id: None,
            identity_secret: None,
            identity_secret_file: None,
            identity_secret_command: None,
            excluded_hosts: vec!["localhost".into(), "127.0.0.1".into()],
            excluded_users: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Direct {
    /// An organization's domain is `{subDomain}.direct.{host}`.
    pub host: String,
    /// Minutes within which a processed notice (and a dispatched one, if requested) must arrive.
    pub notice_timeout_minutes: u32,
    /// Rejects mail whose inner headers do not match its envelope; otherwise only logs it.
    pub reject_tampering: bool,
    /// Allows certificate and CRL addresses in private networks.
    pub allow_private_networks: bool,
    /// Days before the expiry of a certificate at which the next one is issued.
    pub renew_days_before: u32,
    /// Lifetime of an issued certificate.
    pub certificate_days: u32,
    /// Retention of received mail in its original form, beside its message, in days.
    pub keep_received_days: u32,
    /// The same for mail that could not be opened or is not trusted.
    pub keep_refused_days: u32,
    /// Seconds until undelivered mail is tried again; doubled with each attempt, up to 120 times as long.
    pub retry_seconds: u32,
    /// Addresses that contain this text can be sent to under a plan without sending; empty for none.
    pub test_marker: String,
    /// Direct domains of prescription networks, including their subdomains.
    pub prescription_domains: Vec<String>,
}

impl Direct {
    /// Placeholder until a domain is configured; nobody can own it.
    const PLACEHOLDER: &str = "carepost.example";

    /// Whether no domain is configured yet.
    pub fn is_unnamed(&self) -> bool {
        self.host.is_empty() || self.host.eq_ignore_ascii_case(Self::PLACEHOLDER)
    }

    /// Whether an address of this domain belongs to a prescription network.
    pub fn is_prescription_network(&self, domain: &str) -> bool {
        let domain = domain.to_ascii_lowercase();
        self.prescription_domains.iter().any(|known| {
            let below = domain.strip_suffix(&known.trim().to_ascii_lowercase());
            below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Smtp {
    pub listen: SocketAddr,
    /// The name in greetings and EHLO.
    pub hostname: String,
    /// PEM files for STARTTLS; if empty, a self-signed certificate is created.
    pub tls_certificate_file: Option<PathBuf>,
    pub tls_key_file: Option<PathBuf>,
    /// `host:port` for all outgoing mail to domains that are not hosted here.
    pub smart_host: Option<String>,
    /// `host:port` of the listener for mail to hosted domains; if empty, this node's own.
    pub hosted_route: Option<String>,
    /// Refuses to send or receive mail without TLS.
    pub require_tls: bool,
    /// TLS requirement for mail servers of partners' domains, regardless of their published policy.
    pub partner_tls: BTreeMap<String, PartnerTls>,
    pub max_message_bytes: u64,
    /// Maximum number of incoming connections; a quarter is reserved for senders whose mail was opened before.
    pub connections: usize,
    /// Maximum number of incoming connections from one other address; twice as many from its network.
    pub connections_per_address: usize,
    /// Networks without separate limits: other nodes, relays, load balancers.
    pub own_networks: Vec<Network>,
    /// Maximum bytes per day of mail that waits to be opened or could not be, from one network and for one
    /// organization.
    pub unopened_bytes_per_sender: u64,
    pub unopened_bytes_per_recipient: u64,
}

/// Transport encryption of mail to a partner's domain; the message itself is always encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartnerTls {
    /// If the server offers it.
    Opportunistic,
    /// Always, without verifying the certificate.
    Encrypted,
    /// Always, with a certificate that matches the name and is trusted by this machine.
    Verified,
}

/// E-mails to people, such as invitations.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Email {
    /// Sender of e-mails: an address, or `Name <address>`.
    pub from: String,
    /// The mail server. Without one nothing is sent; in demo mode, a mailbox shows the e-mails.
    pub server: Option<EmailServer>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmailServer {
    pub host: String,
    /// If empty, 587 with STARTTLS, 465 with TLS and 25 without.
    pub port: Option<u16>,
    #[serde(default)]
    pub encryption: Encryption,
    pub user: Option<String>,
    pub password: Option<String>,
    pub password_file: Option<PathBuf>,
    pub password_command: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encryption {
    /// STARTTLS, which is required.
    #[default]
    Starttls,
    /// TLS from the first byte.
    Tls,
    /// Unencrypted, for a server on the same machine.
    None,
}

/// Web services for fax.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fax {
    /// Address of WestFax, such as a gateway in the operator's network; if empty, the service itself.
    pub westfax_url: Option<Url>,
    /// The same for eFax Corporate.
    pub efax_url: Option<Url>,
}

/// The directory of the health information network, from which entries are imported.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Carequality {
    /// Base address of its FHIR R4 server; without one, only demo mode can import.
    pub directory_url: Option<Url>,
    /// Token for the directory (`Authorization: Bearer`).
    pub directory_token: Option<String>,
    pub directory_token_file: Option<PathBuf>,
    pub directory_token_command: Option<Vec<String>>,
}

/// The registry of National Provider Identifiers, for numbers that are not in an imported list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Npi {
    /// The address of the NPPES API, such as `https://npiregistry.cms.hhs.gov/api/`.
    pub registry_url: Option<Url>,
}

/// The service with which the operator writes to its customers (Intercom's REST API, version 2).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CustomerMessaging {
    /// Address of the service; if empty, its public address.
    pub url: Option<Url>,
    /// Token for the service (`Authorization: Bearer`); without one, nothing is sent.
    pub access_token: Option<String>,
    pub access_token_file: Option<PathBuf>,
    pub access_token_command: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dns {
    /// Publishes CERT records of hosted domains; off when empty.
    pub listen: Option<SocketAddr>,
    /// Name server to query; the system's if empty.
    pub nameserver: Option<SocketAddr>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    /// Listener of `/metrics`, which needs no sign-in; off when empty.
    pub listen: Option<SocketAddr>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Workers {
    /// Workers that open received mail.
    pub receiving: usize,
    /// Workers that deliver messages and faxes.
    pub delivering: usize,
    /// Workers that send notices to senders, and e-mails to people.
    pub notices: usize,
    /// Workers that convert files.
    pub conversion: usize,
    /// Workers that read the patients of received documents; if 0, a document is read when it is opened.
    pub reading: usize,
    /// Workers that open mail of senders whose certificates have to be fetched.
    pub anonymous: usize,
    /// Workers that call organizations' systems.
    pub webhooks: usize,
    /// Workers for everything else.
    pub chores: usize,
    /// Maximum share of each kind for one organization, in percent.
    pub organization_percent: u8,
    /// Maximum share of each kind for one outside domain or service, in percent.
    pub partner_percent: u8,
    /// Interval at which workers look for due steps without being woken.
    pub poll_milliseconds: u64,
    /// Time for which a step stays with a worker that no longer answers.
    pub lease_seconds: u32,
    /// Maximum bytes of messages in concurrent cryptographic work.
    pub crypto_memory_bytes: u64,
    /// Retention of attempts of steps, in days.
    pub keep_attempts_days: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// A filter such as `info` or `carepost=debug,info`.
    pub filter: String,
    pub json: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mode: Mode::Demo,
            roles: vec![NodeRole::Web, NodeRole::Smtp, NodeRole::Dns, NodeRole::Worker],
            node_name: None,
            monitoring_url: None,
            data_dir: "data".into(),
            http: Http::default(),
            database: Database::default(),
            blobs: Blobs::default(),
            keys: Keys::default(),
            audit: Audit::default(),
            session: Session::default(),
            registration: Registration::default(),
            proofing: Proofing::default(),
            billing: Billing::default(),
            support: Support::default(),
            support_chat: SupportChat::default(),
            direct: Direct::default(),
            smtp: Smtp::default(),
            email: Email::default(),
            fax: Fax::default(),
            webhooks: Webhooks::default(),
            integrations: Integrations::default(),
            signatures: Signatures::default(),
            routing: Routing::default(),
            interfaces: Interfaces::default(),
            malware: Malware::default(),
            carequality: Carequality::default(),
            npi: Npi::default(),
            customer_messaging: CustomerMessaging::default(),
            api_capture: ApiCapture::default(),
            dns: Dns::default(),
            workers: Workers::default(),
            metrics: Metrics::default(),
            log: Log::default(),
            file: None,
        }
    }
}

impl Default for Http {
    fn default() -> Self {
        Self {
            listen: ([127, 0, 0, 1], 8080).into(),
            public_url: Url::parse("http://127.0.0.1:8080").expect("a valid address"),
            tls_certificate_file: None,
            tls_key_file: None,
            trusted_proxies: Vec::new(),
            connections: 8192,
            connections_per_address: 128,
        }
    }
}

impl Default for Session {
    fn default() -> Self {
        Self {
            access_token_seconds: 600,
            idle_minutes: 15,
            absolute_hours: 12,
            lockout_after: 3,
            lockout_minutes: 10,
            require_second_factor: None,
            allow_private_sign_in: None,
            breached_passwords: None,
        }
    }
}

impl Default for Proofing {
    fn default() -> Self {
        Self { attempts_per_day: 3, quiz_minutes: 10 }
    }
}

impl Default for Billing {
    fn default() -> Self {
        Self { grace_days: 30 }
    }
}

impl Default for Direct {
    fn default() -> Self {
        Self {
            host: Self::PLACEHOLDER.into(),
            notice_timeout_minutes: 60,
            reject_tampering: true,
            allow_private_networks: false,
            renew_days_before: 30,
            certificate_days: 365,
            keep_received_days: 30,
            keep_refused_days: 2,
            retry_seconds: 60,
            test_marker: String::new(),
            prescription_domains: Vec::new(),
        }
    }
}

impl Default for Smtp {
    fn default() -> Self {
        Self {
            listen: ([127, 0, 0, 1], 2525).into(),
            hostname: "localhost".into(),
            tls_certificate_file: None,
            tls_key_file: None,
            smart_host: None,
            hosted_route: None,
            require_tls: false,
            partner_tls: BTreeMap::new(),
            max_message_bytes: 64 << 20,
            connections: 400,
            connections_per_address: 10,
            own_networks: ["127.0.0.0/8", "::1"]
                .map(|network| Network::try_from(network.to_owned()).expect("a network"))
                .to_vec(),
            unopened_bytes_per_sender: 256 << 20,
            unopened_bytes_per_recipient: 1 << 30,
        }
    }
}

impl Default for Email {
    fn default() -> Self {
        Self { from: "Carepost <no-reply@carepost.example>".into(), server: None }
    }
}

impl Default for Workers {
    fn default() -> Self {
        Self {
            receiving: 8,
            delivering: 16,
            notices: 8,
            conversion: 2,
            reading: 1,
            anonymous: 4,
            webhooks: 8,
            chores: 4,
            organization_percent: 50,
            partner_percent: 25,
            poll_milliseconds: 1000,
            lease_seconds: 60,
            crypto_memory_bytes: 256 << 20,
            keep_attempts_days: 90,
        }
    }
}

impl Default for Log {
    fn default() -> Self {
        // Migrations would log two lines each.
        Self { filter: "info,sea_orm_migration=warn".into(), json: false }
    }
}
