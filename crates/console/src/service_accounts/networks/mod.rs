//! The one service account of a network.

pub mod http;
mod queries;
