//! Organizations: the list and the edit page with its Details, Primary Contact and Info.

pub mod http;
pub mod info;
pub mod mail;
pub mod overview;
pub mod qhin;
pub mod queries;
pub mod rules;
pub mod search;
pub mod types;
