//! E-mails that answer a registration.

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

/// Sent to somebody with an existing account; only they learn of it, not the person who registered.
#[derive(Serialize)]
pub struct AlreadyRegistered {
    pub first_name: String,
}

impl Email for AlreadyRegistered {
    const TEMPLATE: &'static str = "registration_known";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Sign in", "/account/login".into()))
    }
}
