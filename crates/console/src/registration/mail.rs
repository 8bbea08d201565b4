//! The e-mail that asks for a confirmation.

use email::Email;
use serde::Serialize;

#[derive(Serialize)]
pub struct ConfirmRegistration {
    pub first_name: String,
    pub organization: String,
    #[serde(skip)]
    pub token: String,
}

impl Email for ConfirmRegistration {
    const TEMPLATE: &'static str = "registration";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Confirm the registration", format!("/account/register/confirm#{}", self.token)))
    }
}
