//! Sending by fax: from which number, to which recipients, how it goes, and sending again.

pub mod cancel;
mod conclusion;
pub mod http;
pub mod queries;
pub mod steps;
pub mod types;
