//! Criteria of a search.

use crate::{
    entry::Kind,
    names::{key, words},
};
use platform::{
    Result,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
};

/// Most characters of a field.
const TEXT_LIMIT: usize = 255;

/// The criteria as typed.
#[derive(Default)]
pub struct Typed<'a> {
    pub first_name: &'a str,
    pub last_name: &'a str,
    pub organization_name: &'a str,
    pub city: &'a str,
    pub state: &'a str,
    pub zip: &'a str,
}

/// The criteria as they are compared. Each text is a prefix; empty ones match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Criteria {
    pub first: String,
    pub last: String,
    pub city: String,
    /// Two letters.
    pub state: String,
    pub zip: String,
    /// Prefixes of words in the name of the organization or clinic.
    pub words: Vec<String>,
}

impl Criteria {
    /// Checks and normalizes the typed criteria.
    ///
    /// # Errors
    /// Fields that are too long or not of their kind; nothing, or nothing but punctuation, in all of them.
    pub fn read(typed: Typed) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let all = [
            ("firstName", typed.first_name),
            ("lastName", typed.last_name),
            ("organizationName", typed.organization_name),
            ("city", typed.city),
            ("state", typed.state),
            ("zip", typed.zip),
        ];
        for (field, text) in all {
            errors.require(text.chars().count() <= TEXT_LIMIT, field, DEFAULT_FIELD_ERROR);
        }
        let state = typed.state.trim().to_uppercase();
        let is_state =
            state.is_empty() || (state.len() == 2 && state.bytes().all(|b| b.is_ascii_uppercase()));
        errors.require(is_state, "state", DEFAULT_FIELD_ERROR);
        let zip: String = typed.zip.chars().filter(|c| !" -_".contains(*c)).collect();
        let is_zip = zip.len() <= 9 && zip.bytes().all(|b| b.is_ascii_digit());
        errors.require(is_zip, "zip", DEFAULT_FIELD_ERROR);
        errors.check()?;
        let criteria = Self {
            first: key(typed.first_name),
            last: key(typed.last_name),
            city: key(typed.city),
            state,
            zip,
            words: words(typed.organization_name),
        };
        if criteria == Self::default() {
            return Err(platform::Error::BadRequest("Please fill in at least one field.".into()));
        }
        Ok(criteria)
    }

    /// Whether entries of the kind can match: an organization has no first or last name.
    pub fn can_be(&self, kind: Kind) -> bool {
        kind == Kind::Provider || (self.first.is_empty() && self.last.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_criteria_is_refused() {
        assert!(Criteria::read(Typed::default()).is_err());
        assert!(Criteria::read(Typed { last_name: " ' ", zip: "_____", ..Typed::default() }).is_err());
        assert!(Criteria::read(Typed { last_name: "O'", ..Typed::default() }).is_ok());
    }

    #[test]
    fn a_state_has_two_letters_and_a_zip_digits() {
        assert!(Criteria::read(Typed { state: "or", ..Typed::default() }).is_ok_and(|c| c.state == "OR"));
        assert!(Criteria::read(Typed { state: "Oregon", ..Typed::default() }).is_err());
        assert!(
            Criteria::read(Typed { zip: "97201-0418", ..Typed::default() })
                .is_ok_and(|c| c.zip == "972010418")
        );
        assert!(Criteria::read(Typed { zip: "9720%", ..Typed::default() }).is_err());
    }
}
