//! E-mails with links that open an account.

use email::Email;
use serde::Serialize;

#[derive(Serialize)]
pub struct PasswordReset {
    pub first_name: String,
    pub user_name: String,
    #[serde(skip)]
    pub token: String,
}

impl Email for PasswordReset {
    const TEMPLATE: &'static str = "password_reset";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Set a new password", set_password(&self.token)))
    }
}

#[derive(Serialize)]
pub struct Invitation {
    pub first_name: String,
    pub user_name: String,
    pub organization: Option<String>,
    #[serde(skip)]
    pub token: String,
}

impl Email for Invitation {
    const TEMPLATE: &'static str = "invitation";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Choose a password", set_password(&self.token)))
    }
}

/// The token is in the fragment, which browsers do not send to servers.
fn set_password(token: &str) -> String {
    format!("/account/password#{token}")
}
