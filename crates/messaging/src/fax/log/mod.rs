//! The fax log of an organization: calls that it made and faxes that came.

pub mod http;
pub mod queries;
pub mod types;
