//! The e-mails with a code.

use email::Email;
use serde::Serialize;

#[derive(Serialize)]
pub struct SignInCode {
    pub first_name: String,
    pub code: String,
    pub minutes: i64,
}

impl Email for SignInCode {
    const TEMPLATE: &'static str = "sign_in_code";
}

#[derive(Serialize)]
pub struct ConfirmationCode {
    pub first_name: String,
    pub code: String,
    pub minutes: i64,
}

impl Email for ConfirmationCode {
    const TEMPLATE: &'static str = "confirmation_code";
}
