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
//!
//! A module uses only modules of the rows above, and those to its left in its own row:
//!
//! | Floor | Modules |
//! |---|---|
//! | Data | `model`, `error`, `limits` |
//! | Helpers | `xml`, `encoding`, `repair`, `words`, `statement`, `topic`, `entry_keys` |
//! | Readers of parts | `names`, `header`, `narrative`, `files`, `values`, `measures`, `standing`, `entries`, `body` |
//! | Whole documents | `parse`, `write`, `render`, `outline`, `news` |

mod body;
mod encoding;
mod entries;
mod entry_keys;
mod error;
mod files;
mod header;
mod limits;
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
mod statement;
mod topic;
mod values;
mod words;
mod write;
mod xml;

pub use error::CdaError;
pub use limits::{MAX_BYTES, MAX_DEPTH, MAX_NODES};
pub use model::{
    Address, Body, ClinicalDocument, Code, Confidentiality, EmbeddedFile, Encounter, Entries, Entry, Gender,
    InstanceId, Measure, Media, Organization, Participant, Patient, PersonName, Role, Section, Telecom,
    Timestamp, Unstructured, is_foreign_number, us_number,
};
pub use news::compare;
pub use parse::{parse, parse_or_text, parse_with_entries};
pub use write::{Wrapped, wrap};
