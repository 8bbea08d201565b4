//! The fax log of an organization: outgoing calls and received faxes.

pub mod http;
pub mod queries;
pub mod types;
