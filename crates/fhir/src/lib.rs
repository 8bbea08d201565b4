//! FHIR R4 (US Core 6.1 and later) as a client of EHRs: patients, visits, orders, reviewers, and documents that are filed.
//!
//! Tenants, settings and a database are the caller's. What an EHR sends is patient data: it is in the values of [`model`],
//! never in a [`problem::Problem`], a log or a `Debug` text.

pub mod bundle;
pub mod client;
mod connection;
mod json;
pub mod keys;
mod matching;
pub mod model;
pub mod outcome;
pub mod practice;
pub mod problem;
pub mod read;
pub mod sign_in;
pub mod write;
