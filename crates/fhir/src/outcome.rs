//! OperationOutcome: the codes of its issues, and nothing else of it.

use crate::json::{list, text};
use serde_json::Value;
use std::fmt;

/// Code of an issue (value set issue-type). A closed list, since servers also write patient data into free texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct IssueCode(&'static str);

const CODES: [&str; 31] = [
    "invalid",
    "structure",
    "required",
    "value",
    "invariant",
    "security",
    "login",
    "unknown",
    "expired",
    "forbidden",
    "suppressed",
    "processing",
    "not-supported",
    "duplicate",
    "multiple-matches",
    "not-found",
    "deleted",
    "too-long",
    "code-invalid",
    "extension",
    "too-costly",
    "business-rule",
    "conflict",
    "transient",
    "lock-error",
    "no-store",
    "exception",
    "timeout",
    "incomplete",
    "throttled",
    "informational",
];

/// Codes kept of one answer.
const CODES_MAX: usize = 8;

impl IssueCode {
    /// The code of this text; `None` if FHIR has no such code.
    pub fn of(text: &str) -> Option<Self> {
        CODES.iter().find(|code| **code == text).map(|code| Self(code))
    }

    /// The code as FHIR writes it.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for IssueCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The codes of an OperationOutcome, each once; none of anything else.
pub fn codes(outcome: &Value) -> Vec<IssueCode> {
    if text(outcome, "resourceType") != Some("OperationOutcome") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for code in list(outcome, "issue").filter_map(|issue| IssueCode::of(text(issue, "code")?)) {
        if !found.contains(&code) && found.len() < CODES_MAX {
            found.push(code);
        }
    }
    found
}
