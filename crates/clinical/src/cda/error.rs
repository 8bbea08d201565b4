//! The error of the reader.

/// Why a file could not be read as a CDA document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CdaError {
    /// More than [`super::MAX_BYTES`] bytes or [`super::MAX_NODES`] XML nodes.
    #[error("the document is too large")]
    TooLarge,
    /// Elements are nested deeper than [`super::MAX_DEPTH`].
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
