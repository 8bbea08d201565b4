//! Colleagues are asked to sign the documents of a message. A signature names the bytes that it stands for; it never leaves
//! the organization.

mod http;
mod mail;
mod queries;
mod settle;
mod types;

pub use http::api;
