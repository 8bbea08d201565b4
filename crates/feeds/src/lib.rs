//! Patients, visits and orders that an EHR reports by HL7 v2, for an organization whose EHR speaks nothing else.
//!
//! An event ([`exchange::receive::hospital`]) that was made durable is applied ([`Feed`]) in one transaction, in any order
//! and any number of times. Each record of the EHR is a statement about one patient of the index ([`patients::index`]).
//! What was told is looked up in the form in which other EHRs answer ([`fhir::model`]).

mod details;
mod events;
mod feed;
mod keys;
pub mod lookup;
mod merges;
mod orders;
mod people;
mod visits;

pub use feed::{Feed, Reception};
pub use lookup::{Addressee, Missing, addressee, find_patients, is_fed, last_told, orders, patient, visits};
