//! The questions of setup, and the settings of their answers.

use crate::setup::file::list;
use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml_edit::Value;

/// Answers from options or a file; missing ones are asked for, or stay as configured.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Answers {
    /// Address of the web app, as people type it: https://carepost.clinic.example
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
    /// Listener of the web server: 0.0.0.0:443, or 127.0.0.1:8080 behind a proxy
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Certificate of the web server (PEM); empty if a proxy terminates TLS
    #[arg(long, value_name = "FILE")]
    pub tls_certificate: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub tls_key: Option<String>,
    /// Trusted proxies for X-Forwarded-For and X-Forwarded-Host, separated by commas
    #[arg(long, value_name = "NETWORKS")]
    pub trusted_proxies: Option<String>,
    /// Folder of the embedded database and of documents
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<String>,
    /// postgres://…; empty for the embedded database
    #[arg(long, value_name = "URL")]
    pub database_url: Option<String>,
    /// Bucket of an S3-compatible store for documents; empty for a folder
    #[arg(long, value_name = "NAME")]
    pub s3_bucket: Option<String>,
    #[arg(long, value_name = "URL")]
    pub s3_endpoint: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub s3_region: Option<String>,
    #[arg(long, value_name = "ID")]
    pub s3_access_key_id: Option<String>,
    /// File with the secret access key
    #[arg(long, value_name = "FILE")]
    pub s3_secret_access_key_file: Option<String>,
    /// Mail server for e-mail to people
    #[arg(long, value_name = "HOST")]
    pub mail_host: Option<String>,
    #[arg(long, value_name = "PORT")]
    pub mail_port: Option<String>,
    /// starttls, tls or none
    #[arg(long, value_name = "KIND")]
    pub mail_encryption: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub mail_user: Option<String>,
    /// File with the password of the mail server
    #[arg(long, value_name = "FILE")]
    pub mail_password_file: Option<String>,
    /// Sender of e-mails: "Carepost <no-reply@clinic.example>"
    #[arg(long, value_name = "ADDRESS")]
    pub mail_from: Option<String>,
    /// Recipient of a test e-mail; by default, the first operator
    #[arg(long, value_name = "ADDRESS")]
    pub test_mail_to: Option<String>,
    /// Domain of Direct addresses, which end in direct.HOST
    #[arg(long, value_name = "HOST")]
    pub direct_host: Option<String>,
    /// Listener for partners' mail: 0.0.0.0:25
    #[arg(long, value_name = "ADDRESS")]
    pub smtp_listen: Option<String>,
    /// Name of this server in DNS, to which partners send mail
    #[arg(long, value_name = "HOST")]
    pub smtp_hostname: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub smtp_tls_certificate: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub smtp_tls_key: Option<String>,
    /// DNS listener for the Direct domain (0.0.0.0:53); empty if other name servers answer
    #[arg(long, value_name = "ADDRESS")]
    pub dns_listen: Option<String>,
    /// Name server to query; empty for the system's
    #[arg(long, value_name = "ADDRESS")]
    pub nameserver: Option<String>,
    /// Listener for HL7 v2 over MLLP (0.0.0.0:2575); empty for none
    #[arg(long, value_name = "ADDRESS")]
    pub mllp_listen: Option<String>,
    /// Listener for documents from systems with a certificate (0.0.0.0:8443); empty for the web server only
    #[arg(long, value_name = "ADDRESS")]
    pub xdr_listen: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub interface_tls_certificate: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub interface_tls_key: Option<String>,
    /// Certificate of your own authority (PEM); empty for the built-in one
    #[arg(long, value_name = "FILE")]
    pub authority_certificate: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub authority_key: Option<String>,
    /// Address of ClamAV's daemon, which scans files from outside for malware: /run/clamav/clamd.ctl or scanner:3310;
    /// empty for no scans
    #[arg(long, value_name = "ADDRESS")]
    pub clamd: Option<String>,
    /// Name of your service, shown at the top of every page and in e-mails
    #[arg(long, value_name = "NAME")]
    pub brand_name: Option<String>,
    /// Colour of buttons and links: #0B6570
    #[arg(long, value_name = "COLOUR")]
    pub brand_color: Option<String>,
    /// E-mail address of the first operator; empty for a sign-in link
    #[arg(long, value_name = "ADDRESS")]
    pub operator_email: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub operator_first_name: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub operator_last_name: Option<String>,
    /// File with the password of the first operator
    #[arg(long, value_name = "FILE")]
    pub operator_password_file: Option<String>,
}

impl Answers {
    /// The answers of a file, overridden by those of the options.
    pub fn with_file(self, file: Option<&Path>) -> Result<toml::Table> {
        let mut all = match file {
            None => toml::Table::new(),
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .with_context(|| format!("{} cannot be read", file.display()))?;
                let known = texts(&text).and_then(|table| Ok(table.try_into::<Self>()?));
                toml::Table::try_from(
                    known.with_context(|| format!("{} is not a file of answers", file.display()))?,
                )?
            }
        };
        all.extend(toml::Table::try_from(self)?);
        Ok(all)
    }
}

/// A table in which numbers may be texts: a port may be written either way.
fn texts(text: &str) -> Result<toml::Table> {
    let mut table: toml::Table = text.parse()?;
    for (_, value) in &mut table {
        if let toml::Value::Integer(number) = value {
            *value = number.to_string().into();
        }
    }
    Ok(table)
}

/// Form of an answer in the configuration file.
#[derive(Clone, Copy)]
pub enum Kind {
    Text,
    Number,
    List,
    /// A file or a folder: the service starts in another folder than setup, so the path is made absolute.
    Path,
    /// A text that may contain a password: it goes into a separate file with this name, to which the key with `_file`
    /// refers.
    Secret(&'static str),
}

/// A question about one setting.
pub struct Question {
    /// Name of the option.
    pub answer: &'static str,
    pub key: &'static str,
    pub ask: &'static str,
    pub kind: Kind,
    /// Suggestion if nothing is set.
    pub proposal: &'static str,
    /// Only asked if this key has a value.
    pub only_with: Option<&'static str>,
}

const fn ask(answer: &'static str, key: &'static str, ask: &'static str) -> Question {
    Question { answer, key, ask, kind: Kind::Text, proposal: "", only_with: None }
}

impl Question {
    const fn kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    const fn propose(self, proposal: &'static str) -> Self {
        Self { proposal, ..self }
    }

    const fn only_with(self, key: &'static str) -> Self {
        Self { only_with: Some(key), ..self }
    }

    /// The value for the file; `None` for an empty answer.
    ///
    /// # Errors
    /// If a number is invalid, or a path cannot be made absolute.
    pub fn value(&self, text: &str) -> Result<Option<Value>> {
        Ok(match (text.trim(), self.kind) {
            ("", _) => None,
            (text, Kind::Number) => {
                let number: i64 = text.parse().with_context(|| format!("{text} is not a number"))?;
                Some(number.into())
            }
            (text, Kind::List) => Some(list(text)),
            (text, Kind::Path) => {
                let path = std::path::absolute(text)
                    .with_context(|| format!("{text} cannot be a file or a folder"))?;
                Some(path.display().to_string().into())
            }
            (text, Kind::Text | Kind::Secret(_)) => Some(text.into()),
        })
    }
}

pub const PUBLIC_URL: &[Question] = &[
    ask("public-url", "http.public_url", "Address of the web app, such as https://carepost.clinic.example"),
    ask("direct-host", "direct.host", "Your domain for Direct addresses, such as clinic.example"),
    ask(
        "listen",
        "http.listen",
        "Listener of the web server (127.0.0.1:8080 behind a proxy, else 0.0.0.0:443)",
    )
    .propose("127.0.0.1:8080"),
    ask(
        "tls-certificate",
        "http.tls_certificate_file",
        "File with its certificate (empty if a proxy terminates TLS)",
    )
    .kind(Kind::Path),
    ask("tls-key", "http.tls_key_file", "File with the key of the certificate")
        .kind(Kind::Path)
        .only_with("http.tls_certificate_file"),
    ask("trusted-proxies", "http.trusted_proxies", "Addresses of proxies in front of it (empty for none)")
        .kind(Kind::List),
    ask(
        "nameserver",
        "dns.nameserver",
        "Name server to query, such as 192.0.2.53:53 (empty for the system's)",
    ),
];

pub const STORAGE: &[Question] = &[
    ask("data-dir", "data_dir", "Folder of the embedded database and of documents")
        .kind(Kind::Path)
        .propose("data"),
    ask("database-url", "database.url", "Address of a PostgreSQL database (empty for the embedded one)")
        .kind(Kind::Secret("database.url")),
    ask(
        "s3-bucket",
        "blobs.s3.bucket",
        "Bucket of an S3-compatible store for documents (empty for a folder)",
    ),
    ask("s3-endpoint", "blobs.s3.endpoint", "Address of that store (empty for AWS)")
        .only_with("blobs.s3.bucket"),
    ask("s3-region", "blobs.s3.region", "Region").propose("us-east-1").only_with("blobs.s3.bucket"),
    ask("s3-access-key-id", "blobs.s3.access_key_id", "Access key id").only_with("blobs.s3.bucket"),
    ask("s3-secret-access-key-file", "blobs.s3.secret_access_key_file", "File with the secret access key")
        .kind(Kind::Path)
        .only_with("blobs.s3.bucket"),
];

pub const MAIL: &[Question] = &[
    ask(
        "mail-host",
        "email.server.host",
        "Mail server for invitations, codes and news (empty to do this later)",
    ),
    ask("mail-encryption", "email.server.encryption", "Encryption: starttls, tls or none")
        .propose("starttls")
        .only_with("email.server.host"),
    ask("mail-port", "email.server.port", "Port (empty for the default)")
        .kind(Kind::Number)
        .only_with("email.server.host"),
    ask("mail-user", "email.server.user", "User name (empty for none)").only_with("email.server.host"),
    ask("mail-password-file", "email.server.password_file", "File with the password")
        .kind(Kind::Path)
        .only_with("email.server.user"),
    ask("mail-from", "email.from", "Sender of e-mails, such as Carepost <no-reply@clinic.example>")
        .only_with("email.server.host"),
];

pub const DIRECT: &[Question] = &[
    ask("smtp-hostname", "smtp.hostname", "Name of this server in DNS, such as mail.clinic.example"),
    ask("smtp-listen", "smtp.listen", "Listener for partners' mail").propose("0.0.0.0:25"),
    ask(
        "smtp-tls-certificate",
        "smtp.tls_certificate_file",
        "File with the certificate for that name (empty for a self-signed one)",
    )
    .kind(Kind::Path),
    ask("smtp-tls-key", "smtp.tls_key_file", "File with the key of the certificate")
        .kind(Kind::Path)
        .only_with("smtp.tls_certificate_file"),
    ask(
        "dns-listen",
        "dns.listen",
        "DNS listener for the domain, such as 0.0.0.0:53 (empty if other name servers answer)",
    ),
];

pub const MALWARE: &[Question] = &[ask(
    "clamd",
    "malware.clamd",
    "Address of ClamAV's daemon, such as /run/clamav/clamd.ctl or scanner:3310 (empty for no scans)",
)];

pub const INTERFACES: &[Question] = &[
    ask(
        "mllp-listen",
        "interfaces.mllp_listen",
        "Listener for HL7 v2 over MLLP, such as 0.0.0.0:2575 (empty for none)",
    ),
    ask(
        "interface-tls-certificate",
        "interfaces.tls_certificate_file",
        "File with its certificate (empty if systems use a VPN)",
    )
    .kind(Kind::Path),
    ask("interface-tls-key", "interfaces.tls_key_file", "File with the key of the certificate")
        .kind(Kind::Path)
        .only_with("interfaces.tls_certificate_file"),
    ask(
        "xdr-listen",
        "interfaces.xdr_listen",
        "Listener for XDR from systems with a certificate, such as 0.0.0.0:8443 (empty for none)",
    )
    .only_with("interfaces.tls_certificate_file"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_file_of_answers_and_unknown_ones_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("answers.toml");
        std::fs::write(
            &file,
            "public-url = \"https://a.example\"\nbrand-name = \"Bluestem\"\nmail-port = 587\n",
        )
        .expect("a file");
        let flags = Answers { public_url: Some("https://b.example".into()), ..Answers::default() };
        let all = flags.with_file(Some(&file)).expect("answers");
        assert_eq!(all["public-url"].as_str(), Some("https://b.example"));
        assert_eq!(all["brand-name"].as_str(), Some("Bluestem"));
        assert_eq!(all["mail-port"].as_str(), Some("587"));
        std::fs::write(&file, "publik-url = \"https://a.example\"\n").expect("a file");
        assert!(Answers::default().with_file(Some(&file)).is_err());
    }

    #[test]
    fn every_file_is_named_from_the_root_whatever_setup_was_told() {
        let here = std::env::current_dir().expect("a folder");
        let all = [PUBLIC_URL, STORAGE, MALWARE, MAIL, DIRECT, INTERFACES];
        let files: Vec<_> = all
            .into_iter()
            .flatten()
            .filter(|question| question.key.ends_with("_file") || question.key.ends_with("_dir"))
            .collect();
        assert!(files.len() >= 9, "{}", files.len());
        for question in files {
            let value = |text: &str| {
                let value = question.value(text).expect("a path");
                value.and_then(|value| value.as_str().map(str::to_owned))
            };
            let expected = here.join("tls/clinic.pem").display().to_string();
            assert_eq!(value("tls/clinic.pem"), Some(expected), "{}", question.key);
            assert_eq!(value("/etc/tls/clinic.pem").as_deref(), Some("/etc/tls/clinic.pem"));
            assert_eq!(value(" "), None);
        }
    }

    #[test]
    fn every_question_has_an_answer_by_a_flag() {
        use clap::Args;
        let flags = Answers::augment_args(clap::Command::new("setup"));
        let known: Vec<_> = flags.get_arguments().filter_map(|flag| flag.get_long()).collect();
        for question in [PUBLIC_URL, STORAGE, MALWARE, MAIL, DIRECT, INTERFACES].into_iter().flatten() {
            assert!(known.contains(&question.answer), "{}", question.answer);
        }
        let help = |name: &str| {
            let flag = flags.get_arguments().find(|flag| flag.get_long() == Some(name));
            flag.and_then(|flag| flag.get_help()).map(ToString::to_string).unwrap_or_default()
        };
        assert!(help("clamd").contains("malware") && !help("clamd").contains("every page"));
        assert!(help("brand-name").contains("top of every page"));
    }
}
