//! Tokens by which records are found again without opening anything.

use crate::details::Number;
use store::keys::DataKey;
use uuid::Uuid;

const RECORD: &str = "feed record";
const RECORD_NUMBER: &str = "feed record number";
const VISIT: &str = "feed visit";
const APPOINTMENT: &str = "feed appointment";
const PLACER: &str = "feed order placer";
const FILLER: &str = "feed order filler";

/// Tokens of the records of an EHR.
pub struct Keys<'a> {
    pub key: &'a DataKey,
    /// Stands for the authority of a number that names none.
    pub connection_id: Uuid,
}

impl Keys<'_> {
    pub fn record(&self, number: &Number) -> Vec<u8> {
        self.token(RECORD, number)
    }

    pub fn visit(&self, number: &Number) -> Vec<u8> {
        self.token(VISIT, number)
    }

    pub fn appointment(&self, number: &Number) -> Vec<u8> {
        self.token(APPOINTMENT, number)
    }

    /// The tokens of an order: of the placer's number, which is the one to keep, and of the filler's.
    pub fn order(&self, placer: Option<&Number>, filler: Option<&Number>) -> Vec<Vec<u8>> {
        let placer = placer.map(|number| self.token(PLACER, number));
        placer.into_iter().chain(filler.map(|number| self.token(FILLER, number))).collect()
    }

    fn token(&self, purpose: &str, number: &Number) -> Vec<u8> {
        let authority = match (number.oid.as_str(), number.authority.as_str()) {
            ("", "") => self.connection_id.to_string(),
            ("", name) => name.to_lowercase(),
            (oid, _) => oid.to_lowercase(),
        };
        self.key.token(purpose, &format!("{authority}|{}", number.number.to_uppercase()))
    }
}

/// The token of a record number of any authority, as people type it.
pub fn record_number(key: &DataKey, number: &str) -> Vec<u8> {
    let plain: String = number.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect();
    key.token(RECORD_NUMBER, &plain)
}
