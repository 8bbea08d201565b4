//! Kinds of e-mail, and rendered e-mails.

use serde::{Deserialize, Serialize};
use store::entities::brand;

/// A kind of e-mail; its fields are the values of its templates.
pub trait Email: Serialize {
    /// Its folder under `templates/email`.
    const TEMPLATE: &'static str;

    /// The button below the text: its label, and the path that it opens.
    fn button(&self) -> Option<(&'static str, String)> {
        None
    }
}

/// Recipient of an e-mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    pub name: String,
    pub address: String,
}

/// A rendered e-mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    pub to: Recipient,
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// Branding of an e-mail.
#[derive(Serialize)]
pub(crate) struct Branding {
    name: String,
    color: String,
}

/// Index of the shade among a brand's colours that white text is readable on.
const BUTTON_SHADE: usize = 7;
const OWN_COLOR: &str = "#0b636b";

impl Branding {
    /// For installations without brands.
    pub(crate) fn default_brand() -> Self {
        Self { name: "Carepost".into(), color: OWN_COLOR.into() }
    }

    pub(crate) fn of(brand: &brand::Model) -> Self {
        let color = brand.colors.0.get(BUTTON_SHADE).map_or(OWN_COLOR, String::as_str);
        Self { name: brand.display_name.clone(), color: color.to_owned() }
    }
}
