//! HL7 Clinical Document Architecture, Release 2, as profiled by C-CDA.
//!
//! [`parse`] reads the header (CDA R2 section 4.2) and the body (4.3) into [`ClinicalDocument`]; [`render`] produces
//! one safe HTML page, and [`outline`] the structure behind the CDA Explorer. [`wrap`] puts a file of another
//! format into a document.
//!
//! The reader is lenient: a document that misses mandatory parts or has unknown ones yields the readable parts,
//! and a file that is not well-formed XML is repaired if that is safe; [`ClinicalDocument::notice`] describes the
//! repair. A document type is ignored and its entities are never expanded. What cannot be repaired, or is built to exhaust
//! memory, yields a typed [`CdaError`]; [`parse_or_text`] then gives its text, for people to read.

mod body;
mod encoding;
mod entries;
mod files;
mod header;
mod measures;
mod model;
mod names;
pub mod narrative;
mod news;
pub mod outline;
mod parse;
pub mod render;
mod repair;
mod standing;
mod write;
mod xml;

pub use model::{
    Address, Body, ClinicalDocument, Code, Confidentiality, EmbeddedFile, Encounter, Entries, Entry, Gender,
    InstanceId, Measure, Media, Organization, Participant, Patient, PersonName, Role, Section, Telecom,
    Timestamp, Unstructured, is_foreign_number, us_number,
};
pub use news::compare;
pub use parse::{MAX_BYTES, MAX_DEPTH, MAX_NODES, parse, parse_or_text, parse_with_entries};
pub use write::{Wrapped, wrap};

/// Why a file could not be read as a CDA document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CdaError {
    /// More than [`MAX_BYTES`] bytes or [`MAX_NODES`] XML nodes.
    #[error("the document is too large")]
    TooLarge,
    /// Elements are nested deeper than [`MAX_DEPTH`].
    #[error("the document is nested too deeply")]
    TooDeep,
    /// The file is not XML, not even after repairs; the position counts from 1.
    #[error("the document is not well-formed XML (line {line}, column {column})")]
    NotXml {
        /// Line of the first mistake.
        line: u32,
        /// Column of the first mistake.
        column: u32,
    },
    /// The structure had to be guessed, and text would be lost.
    #[error("the structure of the document is damaged")]
    Damaged,
    /// The file is XML, but its root element is not `ClinicalDocument`.
    #[error("the root element is not ClinicalDocument")]
    NotCda {
        /// Local name of the root element found.
        root: String,
    },
}
