//! Organizations: the list and the edit page with its Details, Primary Contact and Info.

pub mod http;
pub mod info;
pub mod mail;
pub mod queries;
pub mod rules;
