//! The e-mail with the code of a second step.

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
