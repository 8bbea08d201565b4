//! The patients of an organization: their identities, the sources of their data, and duplicates.
//!
//! A *source* ([`store::entities::patient_source`]) is a statement of one message or person. It is linked to one
//! *patient* ([`store::entities::patient`]), whose displayed values, the *face* ([`face`]), are computed from its
//! sources. Merging moves links and copies nothing ([`decisions`]), so that it can be undone. Patients are found by
//! sealed tokens ([`tokens`]), from typed searches ([`asked`]) and from documents ([`values`], [`compare`]: a
//! probabilistic match after Fellegi and Sunter, 1969); placeholder values such as "unknown" count neither for nor
//! against a match.

pub mod asked;
pub mod compare;
pub mod dates;
pub mod decisions;
pub mod face;
pub mod http;
pub mod index;
pub mod model;
pub mod pairs;
pub mod record_numbers;
pub mod rules;
pub mod search;
pub mod tokens;
pub mod types;
pub mod values;

#[cfg(test)]
mod labelled;

pub use http::api;
