//! The single service account of a network.

pub mod http;
mod queries;
