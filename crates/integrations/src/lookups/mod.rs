//! Lookups in the chart for staff: patients, visits, orders, reviewers, document types, facilities.

mod http;
mod rules;
pub mod types;
pub mod views;

pub use http::api;
