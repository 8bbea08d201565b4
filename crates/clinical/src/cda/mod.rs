//! HL7 Clinical Document Architecture, Release 2, as profiled by C-CDA.
//!
//! [`parse`] reads the header (CDA R2 section 4.2) and the body (4.3) into [`ClinicalDocument`]; [`render`] makes
//! one safe HTML page of it and [`outline`] the structure behind the CDA Explorer. [`wrap`] puts a file of another
//! format into a document.
//!
//! The reader is forgiving about content and strict about form: a document that misses mandatory parts or carries
//! unknown ones yields what could be read, while a file that is no well-formed XML, declares a DTD or is built to
//! exhaust memory yields a typed [`CdaError`].

mod model;
pub mod narrative;
pub mod outline;
mod parse;
pub mod render;
mod write;

pub use model::{
    Address, Body, ClinicalDocument, Code, Confidentiality, Encounter, Gender, InstanceId, Media,
    Organization, Participant, Patient, PersonName, Section, Telecom, Timestamp, Unstructured,
    is_foreign_number, us_number,
};
pub use parse::{MAX_BYTES, MAX_DEPTH, MAX_NODES, parse};
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
    /// The file declares a document type; entities are never expanded.
    #[error("the document declares a DTD, which is not allowed")]
    Dtd,
    /// The bytes are not text in the encoding that they claim.
    #[error("the character encoding of the document is not supported")]
    Encoding,
    /// The file is no well-formed XML; the position counts from 1.
    #[error("the document is not well-formed XML (line {line}, column {column})")]
    NotXml {
        /// Line of the first mistake.
        line: u32,
        /// Column of the first mistake.
        column: u32,
    },
    /// The file is XML, but its root element is no `ClinicalDocument`.
    #[error("the root element is not ClinicalDocument")]
    NotCda {
        /// Local name of the root element found.
        root: String,
    },
}
