//! What happened to the messages of an organization: written with the act, read as recent activity and as a report.

pub mod http;
pub mod queries;
mod report;
pub mod types;
