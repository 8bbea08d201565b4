//! Organizations: the list and the edit page with its Details and Primary Contact.

mod activation;
pub mod http;
pub mod mail;
pub mod queries;
pub mod rules;

pub use activation::{ACTIVATION_WORKFLOW, CREATE_RECORDS_ADDRESS, ISSUE_CERTIFICATE};
