//! Events of the messages of an organization: written with the action, read as recent activity and as a report.

pub mod http;
pub mod queries;
mod report;
pub mod types;
