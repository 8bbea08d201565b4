//! Sending by fax: numbers, recipients, progress, and sending again.

pub mod cancel;
mod conclusion;
pub mod http;
pub mod jobs;
pub mod queries;
pub mod steps;
pub mod types;
