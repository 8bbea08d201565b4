//! Organizations: the list and the edit page with its Details and Primary Contact.

pub mod http;
pub mod mail;
pub mod queries;
pub mod rules;
