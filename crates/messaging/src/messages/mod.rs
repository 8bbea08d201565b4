//! One message: reading it and what staff do with it.

pub mod bulk;
pub mod http;
pub mod kinds;
pub mod list;
pub mod names;
pub mod patients;
mod process;
pub mod queries;
pub mod rules;
pub mod view;
