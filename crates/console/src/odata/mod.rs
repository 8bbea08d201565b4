//! `/odata`: messages with their files, conversions and events as OData 4 entity sets, for grids and reporting tools. Here,
//! and nowhere else, records have whole numbers. What is understood is a documented part of OData ([`parser`]); the rest
//! is refused by its name.

mod filter;
mod http;
pub mod parser;

pub use http::api;
