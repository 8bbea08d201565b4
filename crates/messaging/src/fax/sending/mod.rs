//! Sending by fax: from which number, to which recipients, how it goes, and sending again.

pub mod http;
pub mod queries;
