//! The e-mail with a ticket for the operators.

use email::Email;
use serde::Serialize;

#[derive(Serialize)]
pub struct SupportTicket {
    pub subject_line: String,
    pub area: String,
    pub severity: &'static str,
    pub details: String,
    pub full_name: String,
    pub user_name: String,
    pub user_id: String,
    pub organization: String,
    pub host: String,
}

impl Email for SupportTicket {
    const TEMPLATE: &'static str = "support_ticket";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Open support tickets", "/admin/supporttickets".into()))
    }
}

/// A severity in words.
pub fn severity(level: i32) -> &'static str {
    match level {
        1 => "1, not operational",
        2 => "2, feature not working as expected",
        3 => "3, enhancement request",
        _ => "4, question",
    }
}
