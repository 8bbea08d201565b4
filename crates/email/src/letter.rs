//! What an e-mail is before it travels.

use serde::{Deserialize, Serialize};
use store::entities::brand;

/// One kind of e-mail: what its templates show.
pub trait Email: Serialize {
    /// Its folder under `templates/email`.
    const TEMPLATE: &'static str;

    /// The button at its end: what it says, and the path that it opens.
    fn button(&self) -> Option<(&'static str, String)> {
        None
    }
}

/// Whom an e-mail is for.
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

/// The look of an e-mail.
#[derive(Serialize)]
pub(crate) struct Look {
    name: String,
    color: String,
}

/// The step of a brand's colours that carries white writing.
const BUTTON_STEP: usize = 7;
const OWN_COLOR: &str = "#0b636b";

impl Look {
    /// Without a brand.
    pub(crate) fn own() -> Self {
        Self { name: "Carepost".into(), color: OWN_COLOR.into() }
    }

    pub(crate) fn of(brand: &brand::Model) -> Self {
        let color = brand.colors.0.get(BUTTON_STEP).map_or(OWN_COLOR, String::as_str);
        Self { name: brand.display_name.clone(), color: color.to_owned() }
    }
}
