//! The e-mail with a code that confirms a change.

use email::Email;
use serde::Serialize;

#[derive(Serialize)]
pub struct ConfirmationCode {
    pub first_name: String,
    pub code: String,
    pub minutes: i64,
}

impl Email for ConfirmationCode {
    const TEMPLATE: &'static str = "confirmation_code";
}
