//! Configuration: defaults, then one TOML file, then the environment (`CAREPOST_HTTP__LISTEN=…`).
//! Unknown keys are errors; secrets may be read from files.

use figment::{
    Figment,
    providers::{Env, Format, Serialized, Toml},
};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    str::FromStr,
};
use url::Url;

/// Environment variables of that prefix that are not settings of the server.
const NOT_SETTINGS: &[&str] = &["TEST_DATA", "TEST_POSTGRES", "TEST_SEED", "CONFIG", "URL"];

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
    pub support_chat: SupportChat,
    pub direct: Direct,
    pub smtp: Smtp,
    pub email: Email,
    pub fax: Fax,
    pub dns: Dns,
    pub workers: Workers,
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
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let one = || text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
        text.parse::<IpNet>().or_else(|_| one()).map(Self).map_err(|_| format!("{text} is no network"))
    }
}

impl From<Network> for String {
    fn from(network: Network) -> Self {
        network.0.to_string()
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// `sqlite://…` or `postgres://…`; a SQLite file in the data folder when empty.
    pub url: Option<String>,
    /// A file that holds the URL, so that its password stays out of the environment.
    pub url_file: Option<PathBuf>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Blobs {
    /// Local folder; `blobs` in the data folder when empty.
    pub path: Option<PathBuf>,
    /// S3-compatible storage instead of a folder.
    pub s3: Option<S3>,
    /// Free bytes on the disks of database and documents below which nothing is taken in.
    pub keep_free_bytes: u64,
}

impl Default for Blobs {
    fn default() -> Self {
        Self { path: None, s3: None, keep_free_bytes: 256 << 20 }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct S3 {
    pub endpoint: Option<String>,
    pub region: String,
    pub bucket: String,
    pub access_key_id: Option<String>,
    pub secret_access_key: Option<String>,
    pub secret_access_key_file: Option<PathBuf>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keys {
    /// 32 bytes in hex or base64. In demo mode one is generated into the data folder.
    pub master_key: Option<String>,
    pub master_key_file: Option<PathBuf>,
    /// The key that is being replaced: what it sealed can still be read.
    pub previous_master_key: Option<String>,
    pub previous_master_key_file: Option<PathBuf>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Audit {
    /// Where the heads of the audit trail are kept; in the data folder or, with S3, in the bucket when empty.
    pub heads_file: Option<PathBuf>,
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

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dns {
    /// Publishes CERT records of hosted domains; off when empty.
    pub listen: Option<SocketAddr>,
    /// Name server to ask; the system's when empty.
    pub nameserver: Option<SocketAddr>,
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
    /// Workers that open mail of senders whose certificates have to be fetched.
    pub anonymous: usize,
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
            support_chat: SupportChat::default(),
            direct: Direct::default(),
            smtp: Smtp::default(),
            email: Email::default(),
            fax: Fax::default(),
            dns: Dns::default(),
            workers: Workers::default(),
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
            host: "carepost.example".into(),
            notice_timeout_minutes: 60,
            reject_tampering: true,
            allow_private_networks: false,
            renew_days_before: 30,
            certificate_days: 365,
            keep_received_days: 30,
            keep_refused_days: 2,
            retry_seconds: 60,
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
            anonymous: 4,
            chores: 4,
            organization_percent: 50,
            partner_percent: 25,
            poll_milliseconds: 1000,
            lease_seconds: 60,
            crypto_memory_bytes: 256 << 20,
        }
    }
}

impl Workers {
    fn check(&self) -> Result<(), ConfigError> {
        let refuse = |text: String| Err(ConfigError(text));
        let counts = [
            ("receiving", self.receiving),
            ("delivering", self.delivering),
            ("notices", self.notices),
            ("conversion", self.conversion),
            ("anonymous", self.anonymous),
            ("chores", self.chores),
        ];
        for (name, count) in counts {
            if !(1..=MOST_WORKERS).contains(&count) {
                return refuse(format!("workers.{name} must be between 1 and {MOST_WORKERS}"));
            }
        }
        let percents = [("organization", self.organization_percent), ("partner", self.partner_percent)];
        for (name, percent) in percents {
            if !(1..=100).contains(&percent) {
                return refuse(format!("workers.{name}_percent must be between 1 and 100"));
            }
        }
        if self.poll_milliseconds == 0 {
            return refuse("workers.poll_milliseconds must be at least 1".into());
        }
        if self.crypto_memory_bytes < 1 << 20 {
            return refuse("workers.crypto_memory_bytes must be at least 1048576 (1 MiB)".into());
        }
        Ok(())
    }
}

/// More workers of a kind than this would only wait for each other.
const MOST_WORKERS: usize = 1000;

impl Default for Log {
    fn default() -> Self {
        // Migrations would write two lines each.
        Self { filter: "info,sea_orm_migration=warn".into(), json: false }
    }
}

/// A configuration that cannot be used, in plain words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

impl Config {
    /// Reads defaults < file < environment.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let Some(file) = file else { return Self::merge(None) };
        if !file.is_file() {
            return Err(ConfigError(format!("the configuration file {} does not exist", file.display())));
        }
        let mut config = Self::merge(Some(Figment::from(Toml::file_exact(file))))?;
        config.file = Some(std::path::absolute(file).unwrap_or_else(|_| file.to_owned()));
        Ok(config)
    }

    /// As [`Self::load`], for the text that a file is to have.
    pub fn load_text(text: &str, file: &Path) -> Result<Self, ConfigError> {
        let mut config = Self::merge(Some(Figment::from(Toml::string(text))))?;
        config.file = Some(file.to_owned());
        Ok(config)
    }

    /// Where the value of a key such as `http.public_url` comes from.
    pub fn source_of(&self, key: &str) -> Source {
        let variable = format!("CAREPOST_{}", key.replace('.', "__").to_uppercase());
        if std::env::var_os(variable).is_some() {
            return Source::Environment;
        }
        let stands_there = |file: &PathBuf| Figment::from(Toml::file_exact(file)).find_value(key).is_ok();
        if self.file.as_ref().is_some_and(stands_there) { Source::File } else { Source::Default }
    }

    fn merge(file: Option<Figment>) -> Result<Self, ConfigError> {
        let mut figment = Figment::from(Serialized::defaults(Self::default()));
        if let Some(file) = file {
            figment = figment.merge(file);
        }
        let environment = Env::prefixed("CAREPOST_").ignore(NOT_SETTINGS).split("__");
        let mut config: Self =
            figment.merge(environment).extract().map_err(|e| ConfigError(format!("configuration: {e}")))?;
        config.read_secret_files()?;
        config.check()?;
        Ok(config)
    }

    /// The address of the database.
    pub fn database_url(&self) -> String {
        self.database
            .url
            .clone()
            .unwrap_or_else(|| format!("sqlite://{}", self.data_dir.join("carepost.db").display()))
    }

    pub fn blob_dir(&self) -> PathBuf {
        self.blobs.path.clone().unwrap_or_else(|| self.data_dir.join("blobs"))
    }

    pub fn has_role(&self, role: NodeRole) -> bool {
        self.roles.contains(&role)
    }

    /// E-mails stay here and everybody may read them: with sample data, as long as no mail server takes them.
    pub fn has_demo_mailbox(&self) -> bool {
        self.mode == Mode::Demo && self.email.server.is_none()
    }

    /// Cookies may only travel over TLS.
    pub fn is_https(&self) -> bool {
        self.http.public_url.scheme() == "https"
    }

    /// Whether everybody needs a second step to sign in.
    pub fn requires_second_factor(&self) -> bool {
        self.session.require_second_factor.unwrap_or(self.mode == Mode::Production)
    }

    /// Whether sign-in providers may stand in private networks.
    pub fn allows_private_sign_in(&self) -> bool {
        self.session.allow_private_sign_in.unwrap_or(self.mode == Mode::Demo)
    }

    /// Whether practices may register themselves.
    pub fn registers_practices(&self) -> bool {
        self.registration.enabled.unwrap_or(self.mode == Mode::Demo)
    }

    /// The workspace of the support chat, where there is a chat at the address of this installation.
    pub fn support_chat(&self) -> Option<&str> {
        let host = self.http.public_url.host_str().unwrap_or_default();
        let is_excluded = self.support_chat.excluded_hosts.iter().any(|h| h.eq_ignore_ascii_case(host));
        self.support_chat.app_id.as_deref().filter(|id| !id.is_empty() && !is_excluded)
    }

    /// The Direct domain of an organization.
    pub fn direct_domain(&self, sub_domain: &str) -> String {
        format!("{sub_domain}.direct.{}", self.direct.host).to_lowercase()
    }

    /// Whether nobody between this machine and its database can read or pretend to be it.
    pub fn is_database_safe(&self) -> bool {
        let url = self.database.url.as_deref().filter(|url| url.starts_with("postgres"));
        // What cannot be read is told by whoever opens it.
        let Some(Ok(options)) = url.map(PgConnectOptions::from_str) else { return true };
        let is_near = options.get_socket().is_some() || is_this_machine(options.get_host());
        is_near || matches!(options.get_ssl_mode(), PgSslMode::VerifyCa | PgSslMode::VerifyFull)
    }

    /// The effective configuration as TOML with secrets masked.
    pub fn masked_toml(&self) -> String {
        let mut shown = self.clone();
        let mask = |secret: &mut Option<String>| {
            if secret.is_some() {
                *secret = Some("********".into());
            }
        };
        mask(&mut shown.keys.master_key);
        mask(&mut shown.keys.previous_master_key);
        mask(&mut shown.support_chat.identity_secret);
        if let Some(s3) = &mut shown.blobs.s3 {
            mask(&mut s3.secret_access_key);
        }
        if let Some(server) = &mut shown.email.server {
            mask(&mut server.password);
        }
        if let Some(url) = &mut shown.database.url {
            *url = without_password(url);
        }
        toml::to_string_pretty(&shown).unwrap_or_else(|e| format!("# cannot be shown: {e}"))
    }

    fn read_secret_files(&mut self) -> Result<(), ConfigError> {
        read_secret("keys.master_key", &mut self.keys.master_key, &self.keys.master_key_file)?;
        let previous = &mut self.keys.previous_master_key;
        read_secret("keys.previous_master_key", previous, &self.keys.previous_master_key_file)?;
        read_secret("database.url", &mut self.database.url, &self.database.url_file)?;
        if let Some(s3) = &mut self.blobs.s3 {
            read_secret("blobs.s3.secret_access_key", &mut s3.secret_access_key, &s3.secret_access_key_file)?;
        }
        let chat = &mut self.support_chat;
        read_secret("support_chat.identity_secret", &mut chat.identity_secret, &chat.identity_secret_file)?;
        if let Some(server) = &mut self.email.server {
            read_secret("email.server.password", &mut server.password, &server.password_file)?;
        }
        Ok(())
    }

    /// A limit of zero would stop everything that it limits.
    fn check_limits(&self) -> Result<(), ConfigError> {
        let limits = [
            ("session.absolute_hours", u64::from(self.session.absolute_hours)),
            ("session.lockout_after", u64::from(self.session.lockout_after)),
            ("session.lockout_minutes", u64::from(self.session.lockout_minutes)),
            ("direct.notice_timeout_minutes", u64::from(self.direct.notice_timeout_minutes)),
            ("direct.certificate_days", u64::from(self.direct.certificate_days)),
            ("smtp.max_message_bytes", self.smtp.max_message_bytes),
        ];
        match limits.iter().find(|(_, value)| *value == 0) {
            Some((name, _)) => Err(ConfigError(format!("{name} must be at least 1"))),
            None => Ok(()),
        }
    }

    /// Refuses what cannot work; [`Self::load`] has asked already.
    pub fn check(&self) -> Result<(), ConfigError> {
        let refuse = |text: &str| Err(ConfigError(text.into()));
        if self.mode == Mode::Production && self.keys.master_key.is_none() {
            return refuse("production mode needs keys.master_key or keys.master_key_file (32 random bytes)");
        }
        if self.mode == Mode::Production && !self.is_https() {
            return refuse(
                "production mode needs an http.public_url that begins with https: passwords and patients' documents \
                 travel to that address",
            );
        }
        if self.session.idle_minutes == 0 || self.session.idle_minutes > 30 {
            return refuse("session.idle_minutes must be between 1 and 30");
        }
        if !matches!(self.http.public_url.scheme(), "http" | "https") {
            return Err(ConfigError(format!(
                "http.public_url must begin with https:// (or http://), not {}:",
                self.http.public_url.scheme()
            )));
        }
        for (name, host) in [("direct.host", &self.direct.host), ("smtp.hostname", &self.smtp.hostname)] {
            if !is_host_name(host) {
                return Err(ConfigError(format!(
                    "{name} must be a host name such as mail.example.org, not {host:?}"
                )));
            }
        }
        self.check_limits()?;
        if self.session.access_token_seconds < 60 {
            return refuse("session.access_token_seconds must be at least 60");
        }
        if self.proofing.attempts_per_day == 0 || self.proofing.quiz_minutes == 0 {
            return refuse("proofing.attempts_per_day and proofing.quiz_minutes must be at least 1");
        }
        if self.workers.lease_seconds == 0 || self.direct.retry_seconds == 0 {
            return refuse("workers.lease_seconds and direct.retry_seconds must be at least 1");
        }
        let limits = [self.http.connections, self.http.connections_per_address];
        if limits
            .into_iter()
            .chain([self.smtp.connections, self.smtp.connections_per_address])
            .any(|n| n == 0)
        {
            return refuse("the limits on connections of http and smtp must be at least 1");
        }
        self.workers.check()?;
        if self.direct.renew_days_before >= self.direct.certificate_days {
            return refuse("direct.certificate_days must be more than direct.renew_days_before");
        }
        if self.roles == [NodeRole::Dns] && self.dns.listen.is_none() {
            return refuse("a node of the role dns alone needs dns.listen");
        }
        if self.roles.is_empty() {
            return refuse("roles must name at least one of web, smtp, dns, worker");
        }
        if let Some(server) = &self.email.server
            && server.user.is_some() != server.password.is_some()
        {
            return refuse("email.server.user and email.server.password belong together");
        }
        if self.http.tls_certificate_file.is_some() != self.http.tls_key_file.is_some() {
            return refuse("http.tls_certificate_file and http.tls_key_file belong together");
        }
        if self.smtp.tls_certificate_file.is_some() != self.smtp.tls_key_file.is_some() {
            return refuse("smtp.tls_certificate_file and smtp.tls_key_file belong together");
        }
        Ok(())
    }
}

/// Labels of letters, digits and hyphens (RFC 1123 2.1), also one alone.
fn is_host_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

fn is_this_machine(host: &str) -> bool {
    // A folder with a socket is a host too.
    host == "localhost"
        || host.starts_with('/')
        || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A password may stand before the host or among the options.
fn without_password(url: &str) -> String {
    const MASK: &str = "********";
    let Ok(mut parsed) = Url::parse(url) else { return MASK.into() };
    let is_option = parsed.query_pairs().any(|(name, _)| name == "password");
    if parsed.password().is_none() && !is_option {
        return url.into();
    }
    if parsed.password().is_some() && parsed.set_password(Some(MASK)).is_err() {
        return MASK.into();
    }
    if is_option {
        let pairs: Vec<_> = parsed.query_pairs().into_owned().collect();
        let shown = pairs.iter().map(|(name, value)| (name, if name == "password" { MASK } else { value }));
        parsed.query_pairs_mut().clear().extend_pairs(shown);
    }
    parsed.into()
}

fn read_secret(name: &str, value: &mut Option<String>, file: &Option<PathBuf>) -> Result<(), ConfigError> {
    let Some(path) = file else { return Ok(()) };
    if value.is_some() {
        return Err(ConfigError(format!("{name} and {name}_file exclude each other")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        let reason = match error.kind() {
            std::io::ErrorKind::InvalidData => "it holds raw bytes; write them as hex or base64".to_owned(),
            _ => error.to_string(),
        };
        ConfigError(format!("{name}_file {} cannot be read: {reason}", path.display()))
    })?;
    *value = Some(text.trim().to_owned());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_work_is_refused_by_its_name() {
        let refused = |change: fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            config.check().expect_err("a configuration that cannot work").to_string()
        };
        assert!(Config::default().check().is_ok());
        let ftp = refused(|config| config.http.public_url = "ftp://files.example".parse().expect("a URL"));
        assert_eq!(ftp, "http.public_url must begin with https:// (or http://), not ftp:");
        for (wrong, names) in [
            (refused(|config| config.direct.host = "https://mail.example".into()), "direct.host"),
            (refused(|config| config.smtp.hostname = "mail_1.example".into()), "smtp.hostname"),
            (
                refused(|config| config.smtp.max_message_bytes = 0),
                "smtp.max_message_bytes must be at least 1",
            ),
            (refused(|config| config.session.lockout_after = 0), "session.lockout_after must be at least 1"),
            (refused(|config| config.workers.notices = 0), "workers.notices must be between 1 and 1000"),
            (refused(|config| config.workers.partner_percent = 0), "workers.partner_percent"),
        ] {
            assert!(wrong.starts_with(names), "{wrong}");
        }
    }

    #[test]
    fn a_database_on_another_machine_must_be_judged() {
        let is_safe = |url: &str| {
            let database = Database { url: Some(url.into()), ..Database::default() };
            Config { database, ..Config::default() }.is_database_safe()
        };
        assert!(Config::default().is_database_safe());
        for url in [
            "sqlite:///var/lib/carepost/carepost.db",
            "postgres://carepost@localhost/carepost",
            "postgres://carepost@[::1]:5433/carepost",
            "postgres://%2Frun%2Fpostgresql/carepost",
            "postgres:///carepost?host=/run/postgresql",
            "postgres://db.example/carepost?sslmode=verify-full&sslrootcert=ca.pem",
        ] {
            assert!(is_safe(url), "{url}");
        }
        for url in [
            "postgres://db.example/carepost",
            "postgres:///carepost?host=db.example",
            "postgresql://10.0.0.7/carepost?sslmode=require",
        ] {
            assert!(!is_safe(url), "{url}");
        }
    }
}
