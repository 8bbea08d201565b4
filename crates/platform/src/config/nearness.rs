//! Connections that leave this machine unprotected. Production refuses them unless a setting allows each.

use super::ScannerAddress;
use super::{Config, ConfigError, Mode};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use std::{net::IpAddr, str::FromStr};

impl Config {
    /// Whether the connection to the database is protected against reading and impersonation.
    pub fn is_database_safe(&self) -> bool {
        let url = self.database.url.as_deref().filter(|url| url.starts_with("postgres"));
        // An invalid URL is reported when the database is opened.
        let Some(Ok(options)) = url.map(PgConnectOptions::from_str) else { return true };
        let is_near = options.get_socket().is_some() || is_this_machine(options.get_host());
        is_near || matches!(options.get_ssl_mode(), PgSslMode::VerifyCa | PgSslMode::VerifyFull)
    }

    /// Whether files reach the malware scanner without leaving this machine.
    pub fn is_scanner_near(&self) -> bool {
        let Some(ScannerAddress::Tcp(place)) = self.malware.address() else { return true };
        place.rsplit_once(':').is_some_and(|(host, _)| is_this_machine(host))
    }

    /// Settings that allow unprotected connections, in plain words.
    pub fn concessions(&self) -> Vec<&'static str> {
        let all = [
            (
                !self.is_database_safe(),
                "The database is on another machine without sslmode=verify-full: what goes there and comes back can be \
                 read, and something else can answer (database.allow_plain)",
            ),
            (
                !self.is_scanner_near(),
                "The malware scanner is on another machine: files go there unencrypted (malware.allow_remote)",
            ),
        ];
        let holds = |(is_so, words): (bool, _)| (is_so && self.mode == Mode::Production).then_some(words);
        all.into_iter().filter_map(holds).collect()
    }

    pub(super) fn refuse_unprotected(&self) -> Result<(), ConfigError> {
        let refuse = |text: &str| Err(ConfigError(text.into()));
        if self.mode != Mode::Production {
            return Ok(());
        }
        if !self.is_database_safe() && !self.database.allow_plain {
            return refuse(
                "database.url names another machine without sslmode=verify-full: put ?sslmode=verify-full&sslrootcert=FILE \
                 at its end, or set database.allow_plain = true where the way there is protected otherwise",
            );
        }
        if !self.is_scanner_near() && !self.malware.allow_remote {
            return refuse(
                "malware.clamd names another machine, and files go there unencrypted: run clamd on this one, or set \
                 malware.allow_remote = true where the way there is protected otherwise",
            );
        }
        Ok(())
    }
}

fn is_this_machine(host: &str) -> bool {
    // The folder of a socket also counts as a host.
    host == "localhost"
        || host.starts_with('/')
        || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn production(change: impl FnOnce(&mut Config)) -> Config {
        let mut config = Config { mode: Mode::Production, ..Config::default() };
        config.keys.master_key = Some("07".repeat(32));
        config.http.public_url = "https://care.example".parse().expect("a URL");
        config.direct.host = "clinic.example".into();
        change(&mut config);
        config
    }

    fn with_database(url: &str) -> Config {
        production(|config| config.database.url = Some(url.into()))
    }

    #[test]
    fn a_database_on_another_machine_must_be_judged() {
        assert!(Config::default().is_database_safe());
        for url in [
            "sqlite:///var/lib/carepost/carepost.db",
            "postgres://carepost@localhost/carepost",
            "postgres://carepost@[::1]:5433/carepost",
            "postgres://%2Frun%2Fpostgresql/carepost",
            "postgres:///carepost?host=/run/postgresql",
            "postgres://db.example/carepost?sslmode=verify-full&sslrootcert=ca.pem",
            "postgres://db.example/carepost?sslmode=verify-ca&sslrootcert=ca.pem",
        ] {
            let config = with_database(url);
            assert!(config.is_database_safe() && config.check().is_ok(), "{url}");
        }
        for url in [
            "postgres://db.example/carepost",
            "postgres:///carepost?host=db.example",
            "postgresql://10.0.0.7/carepost?sslmode=require",
        ] {
            let mut config = with_database(url);
            let words = config.check().expect_err("it is refused").to_string();
            assert!(words.contains("?sslmode=verify-full&sslrootcert=FILE"), "{words}");
            config.database.allow_plain = true;
            assert!(config.check().is_ok(), "{url}");
            assert_eq!(config.concessions().len(), 1);
            config.mode = Mode::Demo;
            config.database.allow_plain = false;
            assert!(config.check().is_ok() && config.concessions().is_empty(), "{url}");
        }
    }

    #[test]
    fn files_go_to_a_scanner_on_this_machine_alone_unless_it_is_allowed() {
        let with_scanner = |place: &str| production(|config| config.malware.clamd = Some(place.into()));
        for near in ["/run/clamav/clamd.ctl", "127.0.0.1:3310", "[::1]:3310", "localhost:3310"] {
            let config = with_scanner(near);
            assert!(config.check().is_ok() && config.concessions().is_empty(), "{near}");
        }
        for far in ["10.0.0.7:3310", "clamd.example:3310", "[2001:db8::7]:3310"] {
            let mut config = with_scanner(far);
            let words = config.check().expect_err("it is refused").to_string();
            assert!(words.contains("malware.allow_remote = true"), "{words}");
            config.malware.allow_remote = true;
            assert!(config.check().is_ok());
            assert_eq!(config.concessions().len(), 1);
        }
    }
}
