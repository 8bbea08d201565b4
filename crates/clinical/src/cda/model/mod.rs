//! Data model of a CDA document. It knows nothing of the readers and writers.

mod data_types;
mod document;
mod entries;
pub(super) mod narrative;
mod people;

pub use data_types::{
    Address, Code, InstanceId, PersonName, Telecom, Timestamp, is_foreign_number, us_number,
};
pub use document::{Body, ClinicalDocument, Confidentiality, EmbeddedFile, Media, Section, Unstructured};
pub use entries::{Entries, Entry, Measure};
pub use people::{Encounter, Gender, Organization, Participant, Patient, Role};
