//! `/odata`: messages with their files, conversions and events as OData 4 entity sets, for grids and reporting tools.
//! Only here, records have whole numbers. A documented part of OData is supported ([`parser`]); anything else is
//! refused by name.

mod filter;
mod http;
pub mod parser;

pub use http::api;
