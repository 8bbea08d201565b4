//! A file with a hole for its signature.

use crate::Problem;
use sha2::{Digest, Sha256};
use std::ops::Range;

/// A file that ends in an update with a hole for the signature.
#[derive(Clone, Debug)]
pub struct Prepared {
    pdf: Vec<u8>,
    /// The hexadecimal string, with its brackets.
    hole: Range<usize>,
}

impl Prepared {
    pub(crate) fn new(pdf: Vec<u8>, hole: Range<usize>) -> Self {
        Self { pdf, hole }
    }

    /// A file that another process prepared, checked against the file before: it begins with the same bytes, and the
    /// hole is empty and behind them.
    pub fn of_parts(before: &[u8], pdf: Vec<u8>, hole: Range<usize>) -> Option<Self> {
        let is_behind = pdf.starts_with(before) && hole.start >= before.len();
        let inside = pdf.get(hole.clone())?.strip_prefix(b"<")?.strip_suffix(b">")?;
        (is_behind && !inside.is_empty() && inside.iter().all(|byte| *byte == b'0'))
            .then_some(Self { pdf, hole })
    }

    /// The file with its hole.
    pub fn into_parts(self) -> (Vec<u8>, Range<usize>) {
        (self.pdf, self.hole)
    }

    /// SHA-256 of everything but the hole.
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.pdf.get(..self.hole.start).unwrap_or_default());
        hash.update(self.pdf.get(self.hole.end..).unwrap_or_default());
        hash.finalize().into()
    }

    /// The file with the signature (DER) in its hole.
    pub fn finish(mut self, signature: &[u8]) -> Result<Vec<u8>, Problem> {
        let hex: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
        let room = self.pdf.get_mut(self.hole.start + 1..self.hole.end - 1).ok_or(Problem::NoRoom)?;
        room.get_mut(..hex.len()).ok_or(Problem::NoRoom)?.copy_from_slice(hex.as_bytes());
        Ok(self.pdf)
    }
}
