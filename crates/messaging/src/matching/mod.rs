//! Which of the organization's known patients a patient is, by a probabilistic match (Fellegi and Sunter, 1969).
//!
//! Known are the patients whom settled messages name: those that were processed or sent ([`memory`]). Candidates share a
//! token with the patient: names that sound alike with the birth date, names that sound alike, an identifier, a telephone
//! number, an address ([`values`]). Each is compared field by field ([`compare`]); values that stand for "not known" count
//! neither for nor against anybody.

pub mod compare;
pub mod http;
pub mod link;
pub mod memory;
pub mod search;
pub mod values;

#[cfg(test)]
mod labelled;
