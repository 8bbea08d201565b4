//! One message: reading it and what staff do with it.

pub mod http;
pub mod kinds;
pub mod list;
pub mod patients;
pub mod queries;
pub mod rules;
pub mod view;
