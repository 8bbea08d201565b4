//! The accounts of an organization at fax providers: one of each kind.

pub mod http;
pub mod queries;
pub mod services;
pub mod types;

use ::accounts::profile::features;
use chrono::Duration;
use platform::{App, Result, config::Mode, fields::FieldErrors};
use sea_orm::Iterable;
use serde::{Deserialize, Serialize};
use store::{
    entities::fax_account::{self, AccountSettings, ProviderKind},
    keys::DataKey,
};
use uuid::Uuid;

/// The name of a provider for people.
pub fn provider_name(kind: ProviderKind) -> &'static str {
    kind.label()
}

/// The feature without which an organization gets no account at WestFax.
const WESTFAX: &str = "WestFaxInterface";

/// The kinds of accounts available to an organization. Numbers within the installation belong to the first organization
/// that claims them, so only demonstrations offer them.
pub async fn offered(app: &App, organization_id: Uuid) -> Result<Vec<ProviderKind>> {
    let features = features::enabled(app.store.db(), organization_id).await?;
    let is_offered = |kind: &ProviderKind| match kind {
        ProviderKind::Embedded => app.config.mode == Mode::Demo,
        ProviderKind::WestFax => features.contains(WESTFAX),
        ProviderKind::HylaFax | ProviderKind::EFax => true,
    };
    Ok(ProviderKind::iter().filter(is_offered).collect())
}

/// Whether only operators may set up the account: its server is reached from inside their network.
pub fn is_for_operators(kind: ProviderKind) -> bool {
    kind == ProviderKind::HylaFax
}

/// Whether the provider can notify us of a received fax.
pub fn calls_back(kind: ProviderKind) -> bool {
    kind != ProviderKind::Embedded
}

/// Time between two polls for received faxes.
pub fn poll_interval(kind: ProviderKind) -> Duration {
    Duration::seconds(match kind {
        ProviderKind::Embedded => 5,
        ProviderKind::HylaFax => 15,
        ProviderKind::WestFax | ProviderKind::EFax => 60,
    })
}

/// Time between two polls of a call in progress.
pub fn follow_interval(kind: ProviderKind) -> Duration {
    Duration::seconds(match kind {
        ProviderKind::Embedded => 1,
        ProviderKind::HylaFax => 2,
        ProviderKind::WestFax | ProviderKind::EFax => 15,
    })
}

/// The secrets of an account, stored sealed.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Secrets {
    /// Password, or the key of the application.
    pub password: String,
    /// The token in the callback URL by which the provider notifies us of a received fax.
    pub callback: String,
}

fn context(account_id: Uuid) -> String {
    format!("fax_account.secrets:{account_id}")
}

impl Secrets {
    pub fn open(key: &DataKey, row: &fax_account::Model) -> Result<Self> {
        match &row.sealed_secrets {
            None => Ok(Self::default()),
            Some(sealed) => Ok(key.open_json(&context(row.id), sealed)?),
        }
    }

    pub fn seal(&self, key: &DataKey, account_id: Uuid) -> Result<Vec<u8>> {
        Ok(key.seal_json(&context(account_id), self)?)
    }
}

/// Validates a form, with the password that would be used.
pub fn check(kind: ProviderKind, settings: &AccountSettings, password: &str) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let mut need = |field: &str, text: &str, sentence: &str| {
        errors.require(!text.is_empty(), field, sentence);
        errors.require(is_plain(text), field, platform::fields::DEFAULT_FIELD_ERROR);
    };
    match kind {
        ProviderKind::Embedded => {}
        ProviderKind::HylaFax => {
            need("userName", &settings.user_name, "Enter the user name.");
            need("server", &settings.server, "Enter the host and port of the server.");
        }
        ProviderKind::WestFax => {
            need("userName", &settings.user_name, "Enter the user name.");
            need("productId", &settings.product_id, "Enter the product id.");
        }
        ProviderKind::EFax => {
            need("userName", &settings.user_name, "Enter the user id.");
            need("appId", &settings.app_id, "Enter the application id.");
            errors.require(
                is_plain(&settings.group_name),
                "groupName",
                platform::fields::DEFAULT_FIELD_ERROR,
            );
        }
    }
    let has_port = settings.server.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !host.contains(['/', '@']) && port.parse::<u16>().is_ok_and(|p| p > 0)
    });
    if kind == ProviderKind::HylaFax && !settings.server.is_empty() {
        errors.require(has_port, "server", "Enter the server as host:port, such as fax.example:4559.");
    }
    let dials = settings.outside_line.chars().all(|c| c.is_ascii_digit() || ",*#".contains(c));
    errors.require(
        dials && settings.outside_line.len() <= 20,
        "outsideLine",
        "Enter only digits, *, # and commas for the outside line.",
    );
    let wants_password = matches!(kind, ProviderKind::WestFax | ProviderKind::EFax);
    errors.require(!password.is_empty() || !wants_password, "password", "Enter the password or key.");
    let is_usable = password.len() <= 500 && !password.chars().any(char::is_control);
    errors.require(is_usable, "password", platform::fields::DEFAULT_FIELD_ERROR);
    errors
}

/// Whether a text cannot break out of a protocol line.
fn is_plain(text: &str) -> bool {
    text.len() <= 200 && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hylafax(server: &str) -> AccountSettings {
        AccountSettings { server: server.into(), user_name: "carepost".into(), ..AccountSettings::default() }
    }

    #[test]
    fn a_hylafax_server_is_a_host_with_a_port_and_no_command() {
        let wrong = |server: &str| !check(ProviderKind::HylaFax, &hylafax(server), "").is_empty();
        assert!(!wrong("fax.example:4559") && !wrong("[::1]:4559"));
        let hostile = ["", "fax.example", "fax.example:0", "a@b:4559", "http://fax:4559", "fax:4559\r\nDELE"];
        assert!(hostile.into_iter().all(wrong));
    }

    #[test]
    fn accounts_of_services_need_their_password() {
        let settings =
            AccountSettings { user_name: "u".into(), product_id: "p".into(), ..Default::default() };
        assert!(check(ProviderKind::WestFax, &settings, "secret").is_empty());
        assert_eq!(check(ProviderKind::WestFax, &settings, "").0["password"], ["Enter the password or key."]);
    }
}
