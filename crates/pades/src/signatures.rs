//! The signatures that a file has already.

use crate::{
    Problem,
    source::{Source, array},
};
use hayro_syntax::object::{Dict, Name};

/// Maximum nesting of fields.
const DEPTH_MAX: usize = 32;
/// Maximum number of fields that are looked at.
const FIELDS_MAX: usize = 100_000;

/// What the signatures of a file mean for another one.
#[derive(Default)]
pub struct Signatures {
    /// Whether there is one.
    pub exist: bool,
    looked_at: usize,
}

impl Signatures {
    /// Refuses a file in which a signature locks all fields or allows no changes.
    pub fn of(source: &Source) -> Result<Self, Problem> {
        let mut found = Self::default();
        let form = source.catalog()?.get::<Dict<'_>>("AcroForm");
        if let Some(form) = form {
            found.look_at(&form, "Fields", false, 0)?;
        }
        Ok(found)
    }

    fn look_at(&mut self, of: &Dict<'_>, key: &str, is_signature: bool, depth: usize) -> Result<(), Problem> {
        let Some(fields) = array(of, key) else { return Ok(()) };
        for field in fields.iter::<Dict<'_>>() {
            self.looked_at += 1;
            if depth >= DEPTH_MAX || self.looked_at > FIELDS_MAX {
                return Err(Problem::Broken);
            }
            // Fields in fields inherit their type.
            let kind = field.get::<Name<'_>>("FT");
            let is_signature = kind.map_or(is_signature, |kind| kind.as_str() == "Sig");
            if let Some(value) = field.get::<Dict<'_>>("V").filter(|_| is_signature) {
                self.exist = true;
                if closes(&field, &value) {
                    return Err(Problem::Certified);
                }
            }
            self.look_at(&field, "Kids", is_signature, depth + 1)?;
        }
        Ok(())
    }
}

/// Whether a signature certifies the file or locks all fields (ISO 32000-2 sections 12.7.5.5 and 12.8.2).
fn closes(field: &Dict<'_>, value: &Dict<'_>) -> bool {
    let is = |dict: &Dict<'_>, key: &str, word: &str| {
        dict.get::<Name<'_>>(key).is_some_and(|name| name.as_str() == word)
    };
    let lock = field.get::<Dict<'_>>("Lock");
    let references = array(value, "Reference");
    let mut references = references.iter().flat_map(|all| all.iter::<Dict<'_>>());
    lock.is_some_and(|lock| is(&lock, "Action", "All") || lock.contains_key("P"))
        || references.any(|one| {
            let locks_all =
                || one.get::<Dict<'_>>("TransformParams").is_some_and(|lock| is(&lock, "Action", "All"));
            is(&one, "TransformMethod", "DocMDP") || (is(&one, "TransformMethod", "FieldMDP") && locks_all())
        })
}
