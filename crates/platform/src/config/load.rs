//! Loading the configuration, and refusing invalid ones.

use super::*;
use figment::{
    Figment,
    providers::{Env, Format, Serialized, Toml},
};
use std::path::Path;

/// Environment variables with the prefix that are not settings of the server.
const NOT_SETTINGS: &[&str] = &["TEST_DATA", "TEST_POSTGRES", "TEST_SEED", "CONFIG", "URL"];

impl Workers {
    fn check(&self) -> Result<(), ConfigError> {
        let refuse = |text: String| Err(ConfigError(text));
        let counts = [
            ("receiving", self.receiving),
            ("delivering", self.delivering),
            ("notices", self.notices),
            ("conversion", self.conversion),
            ("anonymous", self.anonymous),
            ("webhooks", self.webhooks),
            ("chores", self.chores),
        ];
        for (name, count) in counts {
            if !(1..=MOST_WORKERS).contains(&count) {
                return refuse(format!("workers.{name} must be between 1 and {MOST_WORKERS}"));
            }
        }
        if self.reading > MOST_WORKERS {
            return refuse(format!("workers.reading must be between 0 and {MOST_WORKERS}"));
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

/// Maximum number of workers of a kind; more would only wait for each other.
const MOST_WORKERS: usize = 1000;

/// Maximum duration of a session, in hours: 30 days.
const MOST_HOURS: u32 = 720;

/// Error of a production installation without a master key.
pub const NO_MASTER_KEY: &str = "production mode needs a master key: keys.master_key, keys.master_key_file or keys.master_key_command (32 \
    random bytes), or keys.pkcs11";

/// An invalid configuration, in plain words.
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

    /// As [`Self::load`], for the future text of a file.
    pub fn load_text(text: &str, file: &Path) -> Result<Self, ConfigError> {
        let mut config = Self::merge(Some(Figment::from(Toml::string(text))))?;
        config.file = Some(file.to_owned());
        Ok(config)
    }

    /// Source of the value of a key such as `http.public_url`.
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
        config.read_secrets()?;
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

    /// E-mails stay here and everybody may read them: with sample data and without a mail server.
    pub fn has_demo_mailbox(&self) -> bool {
        self.mode == Mode::Demo && self.email.server.is_none()
    }

    /// Whether cookies are only sent over TLS.
    pub fn is_https(&self) -> bool {
        self.http.public_url.scheme() == "https"
    }

    /// Whether everybody needs a second step to sign in.
    pub fn requires_second_factor(&self) -> bool {
        self.session.require_second_factor.unwrap_or(self.mode == Mode::Production)
    }

    /// Whether sign-in providers may be in private networks.
    pub fn allows_private_sign_in(&self) -> bool {
        self.session.allow_private_sign_in.unwrap_or(self.mode == Mode::Demo)
    }

    /// Whether practices may register themselves.
    pub fn registers_practices(&self) -> bool {
        self.registration.enabled.unwrap_or(self.mode == Mode::Demo)
    }

    /// The workspace of the support chat, if the installation's host has a chat.
    pub fn support_chat(&self) -> Option<&str> {
        let host = self.http.public_url.host_str().unwrap_or_default();
        let is_excluded = self.support_chat.excluded_hosts.iter().any(|h| h.eq_ignore_ascii_case(host));
        self.support_chat.app_id.as_deref().filter(|id| !id.is_empty() && !is_excluded)
    }

    /// The Direct domain of an organization.
    pub fn direct_domain(&self, sub_domain: &str) -> String {
        format!("{sub_domain}.direct.{}", self.direct.host).to_lowercase()
    }

    /// The effective configuration as TOML with secrets masked.
    pub fn masked_toml(&self) -> String {
        let mut shown = self.clone();
        for secret in shown.secrets() {
            *secret = secret.take().map(|_| "********".into());
        }
        if let Some(url) = &mut shown.database.url {
            *url = without_password(url);
        }
        toml::to_string_pretty(&shown).unwrap_or_else(|e| format!("# cannot be shown: {e}"))
    }

    /// A limit of zero would stop all work that it limits.
    fn check_limits(&self) -> Result<(), ConfigError> {
        let limits = [
            ("session.absolute_hours", u64::from(self.session.absolute_hours)),
            ("session.lockout_after", u64::from(self.session.lockout_after)),
            ("session.lockout_minutes", u64::from(self.session.lockout_minutes)),
            ("direct.notice_timeout_minutes", u64::from(self.direct.notice_timeout_minutes)),
            ("direct.certificate_days", u64::from(self.direct.certificate_days)),
            ("smtp.max_message_bytes", self.smtp.max_message_bytes),
            ("interfaces.max_message_bytes", self.interfaces.max_message_bytes),
            ("interfaces.connections", self.interfaces.connections as u64),
            ("interfaces.connections_per_address", self.interfaces.connections_per_address as u64),
            ("interfaces.keep_days", u64::from(self.interfaces.keep_days)),
            ("webhooks.timeout_seconds", u64::from(self.webhooks.timeout_seconds)),
            ("integrations.timeout_seconds", u64::from(self.integrations.timeout_seconds)),
            ("malware.timeout_seconds", u64::from(self.malware.timeout_seconds)),
            ("malware.max_bytes", self.malware.max_bytes),
            ("malware.connections", u64::from(self.malware.connections)),
        ];
        match limits.iter().find(|(_, value)| *value == 0) {
            Some((name, _)) => Err(ConfigError(format!("{name} must be at least 1"))),
            None => Ok(()),
        }
    }

    /// Refuses an invalid configuration; [`Self::load`] calls it.
    pub fn check(&self) -> Result<(), ConfigError> {
        let refuse = |text: &str| Err(ConfigError(text.into()));
        let keys = &self.keys;
        if self.mode == Mode::Production && keys.master_key.is_none() && keys.pkcs11.is_none() {
            return refuse(NO_MASTER_KEY);
        }
        let twice = [
            keys.master_key.is_some() && keys.pkcs11.is_some(),
            keys.previous_master_key.is_some() && keys.previous_pkcs11.is_some(),
        ];
        if twice.contains(&true) {
            return refuse(
                "set only one of keys.master_key and keys.pkcs11, and only one of the previous keys",
            );
        }
        if self.mode == Mode::Production && !self.is_https() {
            return refuse(
                "production mode needs an http.public_url that begins with https: passwords and patients' documents \
                 travel to that address",
            );
        }
        if self.mode == Mode::Production && self.direct.is_unnamed() {
            return refuse(
                "production mode needs direct.host: set it to your own domain, such as carepost.clinic.org. Organizations \
                 get their Direct addresses and certificates below it",
            );
        }
        if self.session.absolute_hours > MOST_HOURS {
            return Err(ConfigError(format!("session.absolute_hours must be between 1 and {MOST_HOURS}")));
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
        self.refuse_unprotected()?;
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
        if self.api_capture.keep_days == 0 {
            return refuse("api_capture.keep_days must be at least 1");
        }
        if self.webhooks.keep_days == 0 {
            return refuse("webhooks.keep_days must be at least 1");
        }
        if !(1..=300).contains(&self.routing.answer_seconds) {
            return refuse("routing.answer_seconds must be between 1 and 300");
        }
        if let Some(clamd) = &self.malware.clamd
            && let Err(error) = clamd.parse::<ScannerAddress>()
        {
            return Err(ConfigError(format!("malware.clamd: {error}")));
        }
        self.workers.check()?;
        if self.direct.renew_days_before >= self.direct.certificate_days {
            return refuse("direct.certificate_days must be more than direct.renew_days_before");
        }
        if self.roles == [NodeRole::Dns] && self.dns.listen.is_none() {
            return refuse("a node with only the role dns needs dns.listen");
        }
        if self.roles.is_empty() {
            return refuse("roles must name at least one of web, smtp, dns, worker");
        }
        if self.support_chat.app_id.is_some() && self.support_chat.identity_secret.is_none() {
            return refuse(
                "support_chat.app_id needs support_chat.identity_secret: without it anybody could read the chats of another \
                 person",
            );
        }
        if let Some(server) = &self.email.server
            && server.user.is_some() != server.password.is_some()
        {
            return refuse("email.server.user and email.server.password must be set together");
        }
        if self.http.tls_certificate_file.is_some() != self.http.tls_key_file.is_some() {
            return refuse("http.tls_certificate_file and http.tls_key_file must be set together");
        }
        if self.smtp.tls_certificate_file.is_some() != self.smtp.tls_key_file.is_some() {
            return refuse("smtp.tls_certificate_file and smtp.tls_key_file must be set together");
        }
        let interfaces = &self.interfaces;
        if interfaces.tls_certificate_file.is_some() != interfaces.tls_key_file.is_some() {
            return refuse(
                "interfaces.tls_certificate_file and interfaces.tls_key_file must be set together",
            );
        }
        if interfaces.xdr_listen.is_some() && interfaces.tls_certificate_file.is_none() {
            return refuse(
                "interfaces.xdr_listen needs interfaces.tls_certificate_file: certificates need TLS",
            );
        }
        Ok(())
    }
}

/// One or more labels of letters, digits and hyphens (RFC 1123 2.1).
fn is_host_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

/// A password may be before the host or among the options.
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
            (
                refused(|config| config.session.absolute_hours = 721),
                "session.absolute_hours must be between 1 and 720",
            ),
            (refused(|config| config.session.lockout_after = 0), "session.lockout_after must be at least 1"),
            (refused(|config| config.workers.notices = 0), "workers.notices must be between 1 and 1000"),
            (refused(|config| config.workers.partner_percent = 0), "workers.partner_percent"),
        ] {
            assert!(wrong.starts_with(names), "{wrong}");
        }
    }

    /// MSG-R-296
    #[test]
    fn prescription_networks_are_known_by_domain_and_all_below_it() {
        let mut direct = Config::default().direct;
        direct.prescription_domains = vec!["Scripts.example".into()];
        assert!(direct.is_prescription_network("scripts.example"));
        assert!(direct.is_prescription_network("east.SCRIPTS.example"));
        assert!(!direct.is_prescription_network("notscripts.example"));
        assert!(!Config::default().direct.is_prescription_network("scripts.example"));
    }
}
