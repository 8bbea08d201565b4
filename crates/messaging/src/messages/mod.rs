//! One message: reading it and what staff do with it.

pub mod bulk;
pub mod colleagues;
pub mod disclosures;
pub mod http;
pub mod jobs;
pub mod kinds;
pub mod list;
pub mod names;
pub mod notes;
pub mod passes;
pub mod patients;
pub mod plans;
pub(crate) mod process;
pub mod queries;
pub mod reindex;
mod restore;
pub mod rules;
pub mod view;
