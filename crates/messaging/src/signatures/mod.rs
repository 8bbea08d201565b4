//! Signatures of colleagues under the documents of a message. A signature contains the hashes of the signed files, and
//! never leaves the organization.

mod http;
mod mail;
mod queries;
mod settle;
mod types;

pub use http::api;
