//! Coded entries of a section as a list.

use serde::{Deserialize, Serialize};

use super::data_types::Timestamp;

/// Coded entries as a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entries {
    /// Headings of the non-empty columns.
    pub heads: Vec<String>,
    /// The entries in document order.
    pub rows: Vec<Entry>,
    /// Number of entries beyond the limit.
    pub left_out: usize,
}

/// One entry.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Text of each column, with line feeds between lines.
    pub cells: Vec<String>,
    /// Code of the procedure or measurement, normally LOINC.
    pub code: Option<String>,
    /// `High`, `Low` or `Abnormal`, by the sender's interpretation, otherwise by the reference range.
    pub flag: Option<String>,
    /// The measured value, if it is a number.
    pub measure: Option<Measure>,
    /// Whether it is new compared with another document, if they were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_new: Option<bool>,
    /// Keys for finding it in another document, until they are compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_by: Vec<String>,
}

/// A measured number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Measure {
    /// The number.
    pub value: f64,
    /// Its unit (UCUM), as written.
    pub unit: Option<String>,
    /// Lower limit of the reference range.
    pub low: Option<f64>,
    /// Upper limit of the reference range.
    pub high: Option<f64>,
    /// When it was measured (HL7 TS, as written).
    pub time: Option<Timestamp>,
}
