//! Entries of an organization in the directory of the Carequality network.

#[doc(hidden)]
pub mod fhir;
pub mod http;
pub mod oids;
mod queries;
mod rules;
mod source;
pub mod sync;
pub mod types;
