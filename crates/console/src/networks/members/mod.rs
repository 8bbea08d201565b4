//! The organizations of a network and its administrators.

pub mod http;
mod queries;
