//! Configuration: defaults, then one TOML file, then the environment (`CAREPOST_HTTP__LISTEN=…`).
//! Unknown keys are errors; secrets may be read from files, or be what a command writes.

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
    /// Sample data, shown accounts, generated keys, a banner on every page.
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

/// The whole configuration. Each section says its defaults in its `Default`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub mode: Mode,
    /// What this node does; everything by default.
    pub roles: Vec<NodeRole>,
    /// What operators call this node; by default the host name of its machine.
    pub node_name: Option<String>,
    /// The page of the service that watches the installation.
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
    /// The file that it was read from.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// Where a setting stands.
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
    /// The address that users type. `https` switches secure cookies and HSTS on.
    pub public_url: Url,
    /// PEM files; without them the server speaks plain HTTP (behind a proxy, or on loopback).
    pub tls_certificate_file: Option<PathBuf>,
    pub tls_key_file: Option<PathBuf>,
    /// Proxies whose `X-Forwarded-For` is believed: addresses, or networks such as `10.0.0.0/8`.
    pub trusted_proxies: Vec<Network>,
    /// Connections at the same time; a quarter is kept for addresses from which somebody is signed in.
    pub connections: usize,
    /// Connections from one address from which nobody is signed in; four times as many from its network.
    pub connections_per_address: usize,
}

/// A network, or one address as a network of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Network(IpNet);

impl Network {
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    /// Its address, and how many leading bits of it count.
    pub fn prefix(&self) -> (IpAddr, u8) {
        (self.0.network(), self.0.prefix_len())
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let one = || text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
        text.parse::<IpNet>().or_else(|_| one()).map(Self).map_err(|_| format!("{text} is no network"))
    }
}

impl From<Network> for String {
    /// A single address without the length, as people enter it.
    fn from(Network(net): Network) -> Self {
        if net.prefix_len() == net.max_prefix_len() { net.addr().to_string() } else { net.to_string() }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Session {
    pub access_token_seconds: u32,
    /// Sign-off without activity; at most 30 minutes.
    pub idle_minutes: u32,
    pub absolute_hours: u32,
    /// Failed sign-ins after which an account is locked.
    pub lockout_after: u32,
    pub lockout_minutes: u32,
    /// Everybody needs a second step to sign in; when empty, in production.
    pub require_second_factor: Option<bool>,
    /// Sign-in providers of organizations may stand in private networks, without TLS too; when empty, in demo mode
    /// only.
    pub allow_private_sign_in: Option<bool>,
    /// A list of passwords that became known elsewhere: SHA-1 hashes in order, a line each.
    pub breached_passwords: Option<PathBuf>,
}

/// Practices that register themselves.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Registration {
    /// When empty, in demo mode only.
    pub enabled: Option<bool>,
}

/// How an administrator proves to be who they say.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Proofing {
    /// Quizzes that an organization is given within 24 hours.
    pub attempts_per_day: u32,
    /// Within which a quiz must be answered.
    pub quiz_minutes: u32,
}

/// What follows from a cancelled subscription.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Billing {
    /// Days for which a cancelled organization can still be used.
    pub grace_days: u32,
}

/// What people ask the operators for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Support {
    /// Where support tickets are mailed to; without it operators find them in the console alone.
    pub address: Option<String>,
    /// One more area to choose, by the name of the brand whose people are offered it.
    pub brand_areas: BTreeMap<String, String>,
}

/// Capture of API calls, which operators switch on by organization.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApiCapture {
    /// Whether it is offered at all.
    pub enabled: bool,
    /// Days for which captured calls are kept.
    pub keep_days: u32,
}

impl Default for ApiCapture {
    fn default() -> Self {
        Self { enabled: false, keep_days: 14 }
    }
}

/// Calls to the systems of organizations.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Webhooks {
    /// Private networks that may be called: addresses, or networks such as `10.2.0.0/16`. Public ones always may.
    pub allowed_networks: Vec<Network>,
    /// Within which an endpoint has to answer; otherwise it is called again later.
    pub timeout_seconds: u32,
    /// Days for which the log keeps what was sent.
    pub keep_days: u32,
}

impl Default for Webhooks {
    fn default() -> Self {
        Self { allowed_networks: Vec::new(), timeout_seconds: 10, keep_days: 30 }
    }
}

/// Messages that go to interfaces of recipients instead of their Direct mailboxes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Routing {
    /// Networks that are reached over a VPN: addresses, or networks such as `10.2.0.0/16`. Only what is sent over a VPN goes
    /// there.
    pub vpn_networks: Vec<Network>,
    /// Holds `NAME.pem` for each certificate that rules name, and `default.pem`, our own with its key.
    pub certificates_folder: Option<PathBuf>,
    /// Within which an endpoint has to answer.
    pub answer_seconds: u32,
}

impl Default for Routing {
    fn default() -> Self {
        Self { vpn_networks: Vec::new(), certificates_folder: None, answer_seconds: 60 }
    }
}

/// The scanner that files from outside are shown to before anybody can open them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Malware {
    /// Where ClamAV's daemon listens: the path of its socket, or `host:port`. Without it files are not scanned.
    pub clamd: Option<String>,
    /// In production it may stand on another machine, although what is scanned goes there unencrypted.
    pub allow_remote: bool,
    /// Within which a file has to be scanned.
    pub timeout_seconds: u32,
    /// Largest file that the scanner is shown; larger ones are kept in quarantine.
    pub max_bytes: u64,
    /// Files that are scanned at the same time.
    pub connections: u32,
}

impl Default for Malware {
    fn default() -> Self {
        Self { clamd: None, allow_remote: false, timeout_seconds: 120, max_bytes: 100 << 20, connections: 4 }
    }
}

impl Malware {
    /// Where the scanner is, if there is one.
    pub fn address(&self) -> Option<ScannerAddress> {
        self.clamd.as_deref().and_then(|clamd| clamd.parse().ok())
    }
}

/// Systems that send documents here: HL7 v2 over MLLP, ITI-41 and XDR.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Interfaces {
    /// Where MLLP is spoken; off when empty.
    pub mllp_listen: Option<SocketAddr>,
    /// Where documents are taken over HTTPS from systems that show a certificate; off when empty. Others use the address of
    /// the web server.
    pub xdr_listen: Option<SocketAddr>,
    /// PEM files for both. Without them MLLP goes unencrypted: through a VPN only.
    pub tls_certificate_file: Option<PathBuf>,
    pub tls_key_file: Option<PathBuf>,
    pub max_message_bytes: u64,
    /// MLLP connections at the same time; a quarter is kept for systems that are known.
    pub connections: usize,
    /// MLLP connections from one address that is not known; twice as many from its network.
    pub connections_per_address: usize,
    /// Days for which a message is kept as it came, and known when it comes again.
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

/// The chat with the operator's support, by Intercom. Its script comes from there and can read the screens, so there is
/// none unless the operator has an account and an agreement about patient data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SupportChat {
    /// The workspace; without it there is no chat.
    pub app_id: Option<String>,
    /// With it the service knows that nobody pretends to be somebody else.
    pub identity_secret: Option<String>,
    pub identity_secret_file: Option<PathBuf>,
    pub identity_secret_command: Option<Vec<String>>,
    /// Hosts at which there is no chat.
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
    /// Minutes within which a processed (and, where asked for, a dispatched) notice must come.
    pub notice_timeout_minutes: u32,
    /// Reject mail whose inner headers do not fit its envelope; otherwise only log it.
    pub reject_tampering: bool,
    /// Allow certificate and CRL addresses that point into private networks.
    pub allow_private_networks: bool,
    /// Days before the end of a certificate at which the next one is issued.
    pub renew_days_before: u32,
    /// Lifetime of an issued certificate.
    pub certificate_days: u32,
    /// Days for which a received mail is kept as it came, beside the message that was made of it.
    pub keep_received_days: u32,
    /// The same for mail that could not be opened or is not trusted.
    pub keep_refused_days: u32,
    /// Time until mail that could not be handed over is tried again; it doubles with each attempt, up to 120 times it.
    pub retry_seconds: u32,
    /// Addresses that hold this text can be sent to under a plan without sending; none when empty.
    pub test_marker: String,
    /// Direct domains of networks that carry prescriptions, with all below them.
    pub prescription_domains: Vec<String>,
}

impl Direct {
    /// Stands for a domain until somebody names theirs; nobody can own it.
    const PLACEHOLDER: &str = "carepost.example";

    /// Whether nobody has named a domain yet.
    pub fn is_unnamed(&self) -> bool {
        self.host.is_empty() || self.host.eq_ignore_ascii_case(Self::PLACEHOLDER)
    }

    /// Whether an address of this domain is one of a prescription network.
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
    /// PEM files for STARTTLS; a self-signed certificate is made when empty.
    pub tls_certificate_file: Option<PathBuf>,
    pub tls_key_file: Option<PathBuf>,
    /// `host:port` that takes all outgoing mail for domains that are not hosted here.
    pub smart_host: Option<String>,
    /// `host:port` of the listener that takes mail for hosted domains; this node's own when empty.
    pub hosted_route: Option<String>,
    /// Neither send nor take mail without TLS.
    pub require_tls: bool,
    /// What is asked of the mail servers of a partner's domain, whatever it publishes.
    pub partner_tls: BTreeMap<String, PartnerTls>,
    pub max_message_bytes: u64,
    /// Incoming connections at the same time; a quarter is kept for senders whose mail was opened before.
    pub connections: usize,
    /// Incoming connections from one address whose mail was not; twice as many from its network.
    pub connections_per_address: usize,
    /// Networks without limits of their own: other nodes, relays, load balancers.
    pub own_networks: Vec<Network>,
    /// Bytes of mail within a day that waits to be opened or could not be, from one network and for one organization.
    pub unopened_bytes_per_sender: u64,
    pub unopened_bytes_per_recipient: u64,
}

/// How mail to a partner's domain is encrypted on its way; the message itself always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartnerTls {
    /// Where it is offered.
    Opportunistic,
    /// Always; the certificate is not judged.
    Encrypted,
    /// Always, with a certificate that fits the name and that this machine trusts.
    Verified,
}

/// E-mail to people, such as invitations.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Email {
    /// Whom e-mails come from: an address, or `Name <address>`.
    pub from: String,
    /// The mail server that takes them. Without one nothing is sent; in demo mode a mailbox shows them.
    pub server: Option<EmailServer>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmailServer {
    pub host: String,
    /// 587 with STARTTLS, 465 with TLS and 25 without when empty.
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
    /// The connection is encrypted after its first words, or not used.
    #[default]
    Starttls,
    /// From its first byte.
    Tls,
    /// For a server on the same machine.
    None,
}

/// Fax services on the web.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fax {
    /// Where WestFax is reached, such as a gateway of the own network; the service itself when empty.
    pub westfax_url: Option<Url>,
    /// The same for eFax Corporate.
    pub efax_url: Option<Url>,
}

/// The directory of the health information network, from which entries are imported.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Carequality {
    /// The base address of its FHIR R4 server; without one nothing can be imported, but in demo mode.
    pub directory_url: Option<Url>,
    /// What the directory asks of its clients (`Authorization: Bearer`).
    pub directory_token: Option<String>,
    pub directory_token_file: Option<PathBuf>,
    pub directory_token_command: Option<Vec<String>>,
}

/// The registry of National Provider Identifiers, asked for numbers that no imported list holds.
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
    /// Where the service is reached; its own address when empty.
    pub url: Option<Url>,
    /// What the service asks of its clients (`Authorization: Bearer`); without one nothing is sent.
    pub access_token: Option<String>,
    pub access_token_file: Option<PathBuf>,
    pub access_token_command: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dns {
    /// Publishes CERT records of hosted domains; off when empty.
    pub listen: Option<SocketAddr>,
    /// Name server to ask; the system's when empty.
    pub nameserver: Option<SocketAddr>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    /// Where `/metrics` answers, without a sign-in; off when empty.
    pub listen: Option<SocketAddr>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Workers {
    /// Workers that open received mail.
    pub receiving: usize,
    /// Workers that hand messages and faxes over.
    pub delivering: usize,
    /// Workers that send notices to senders, and e-mails to people.
    pub notices: usize,
    /// Workers that convert files.
    pub conversion: usize,
    /// Workers that read the patients of documents that arrived; with none of them a document is read when it is opened.
    pub reading: usize,
    /// Workers that open mail of senders whose certificates have to be fetched.
    pub anonymous: usize,
    /// Workers that call the systems of organizations.
    pub webhooks: usize,
    /// Workers for all else.
    pub chores: usize,
    /// How much of each kind one organization may hold.
    pub organization_percent: u8,
    /// How much of each kind the work for one outside domain or service may hold.
    pub partner_percent: u8,
    /// How often workers look for due steps when nothing wakes them.
    pub poll_milliseconds: u64,
    /// How long a step belongs to a worker that no longer answers.
    pub lease_seconds: u32,
    /// Bytes of messages whose cryptography may run at the same time.
    pub crypto_memory_bytes: u64,
    /// How many days operators can see the attempts of a step.
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
        // Migrations would write two lines each.
        Self { filter: "info,sea_orm_migration=warn".into(), json: false }
    }
}
