//! The accounts of an organization at fax providers: one of each kind.

pub mod http;
pub mod queries;
pub mod services;

use platform::{App, Error, Result, config::Mode, fields::FieldErrors};
use serde::{Deserialize, Serialize};
use store::{entities::fax_account, keys::DataKey};
use utoipa::ToSchema;
use uuid::Uuid;

/// Who makes the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// Between numbers of this installation, without a telephone line.
    Embedded,
    /// Modems of the own house, behind HylaFAX.
    HylaFax,
    WestFax,
    EFax,
}

impl ProviderKind {
    pub const ALL: [Self; 4] = [Self::Embedded, Self::HylaFax, Self::WestFax, Self::EFax];

    /// As it stands in the database and on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::HylaFax => "hylafax",
            Self::WestFax => "westfax",
            Self::EFax => "efax",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Embedded => "Within this installation",
            Self::HylaFax => "HylaFAX",
            Self::WestFax => "WestFax",
            Self::EFax => "eFax",
        }
    }

    /// Whether accounts of this kind can be made here. Numbers of the installation belong to whoever says so first, so
    /// they exist in demonstrations only.
    pub fn is_offered(self, app: &App) -> bool {
        match self {
            Self::Embedded => app.config.mode == Mode::Demo,
            Self::HylaFax | Self::WestFax | Self::EFax => true,
        }
    }

    /// Whether only operators may say where it is: the server is reached from inside their network.
    pub fn is_for_operators(self) -> bool {
        self == Self::HylaFax
    }

    /// Whether somebody outside can tell that a fax came.
    pub fn calls_back(self) -> bool {
        self != Self::Embedded
    }

    /// Seconds between two looks for received faxes, and between two looks at a fax under way.
    pub fn rhythm(self) -> (i64, i64) {
        match self {
            Self::Embedded => (5, 1),
            Self::HylaFax => (15, 2),
            Self::WestFax | Self::EFax => (60, 15),
        }
    }
}

/// What is known of an account beside its secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AccountSettings {
    /// `host:port` of HylaFAX.
    pub server: String,
    /// HylaFAX and WestFax; at eFax the user id.
    pub user_name: String,
    /// eFax: the id of the application.
    pub app_id: String,
    /// WestFax: the product whose numbers are used.
    pub product_id: String,
    /// What gets an outside line, such as `9,`.
    pub outside_line: String,
}

/// What is sealed.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Secrets {
    /// Password, or the key of the application.
    pub password: String,
    /// Ends the address at which the provider may say that a fax came.
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

pub fn kind_of(row: &fax_account::Model) -> Result<ProviderKind> {
    ProviderKind::from_word(&row.provider).ok_or_else(|| Error::internal("an unknown fax provider"))
}

pub fn settings_of(row: &fax_account::Model) -> AccountSettings {
    serde_json::from_value(row.settings.clone()).unwrap_or_default()
}

/// Checks what a form says, with the password that would be used.
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
        "An outside line is reached by digits, *, # and commas.",
    );
    let wants_password = matches!(kind, ProviderKind::WestFax | ProviderKind::EFax);
    errors.require(!password.is_empty() || !wants_password, "password", "Enter the password or key.");
    let is_usable = password.len() <= 500 && !password.chars().any(char::is_control);
    errors.require(is_usable, "password", platform::fields::DEFAULT_FIELD_ERROR);
    errors
}

/// Nothing in it can break out of a line of a protocol.
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
