//! Entries of an organization in the directory of the Carequality network.

pub mod http;
pub mod oids;
mod queries;
mod rules;
pub mod types;
