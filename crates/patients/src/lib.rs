//! The patients of an organization: who they are, what was said of them by whom, and which two are one.
//!
//! A *source* ([`store::entities::patient_source`]) is what one message or person said. It is linked to one *patient*
//! ([`store::entities::patient`]), and what is shown of a patient, its *face* ([`face`]), is put together from its sources.
//! Merging moves links and copies nothing ([`decisions`]), so that it can be undone. Patients are found by sealed tokens
//! ([`tokens`]), by what people type ([`asked`]) and by what documents say ([`values`], [`compare`]: a probabilistic match
//! after Fellegi and Sunter, 1969); values that stand for "not known" count neither for nor against anybody.

pub mod asked;
pub mod compare;
pub mod dates;
pub mod decisions;
pub mod face;
pub mod http;
pub mod index;
pub mod model;
pub mod pairs;
pub mod rules;
pub mod search;
pub mod tokens;
pub mod types;
pub mod values;

#[cfg(test)]
mod labelled;

pub use http::api;
