//! Direct addresses: `local@domain` (Applicability Statement 1.1 to 1.3).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Longest local part and longest domain (RFC 5321 4.5.3.1), in bytes.
const MAX_LOCAL: usize = 64;
const MAX_DOMAIN: usize = 253;
const SPECIALS: &str = ".!#$_%&/`'|{}=?*+^~-";

/// A valid Direct address. The domain is in lower case, the local part as written. Two addresses are equal when they
/// name the same mailbox, ignoring case.
#[derive(Clone)]
pub struct DirectAddress {
    text: String,
    at: usize,
}

/// Why a text is not a Direct address. The messages are shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not of the form `local@domain`, or one of the halves is empty or too long.
    #[error("Direct Address must have the form name@domain.")]
    Shape,
    /// A character outside letters, digits and ``. ! # $ _ % & / ` ' | { } = ? * + ^ ~ -``.
    #[error("Direct Address contains invalid character.")]
    InvalidCharacter,
    /// Two periods in a row.
    #[error("Direct Address can't have consecutive period character.")]
    ConsecutivePeriods,
    /// A period first or last, in the address or in one of its halves.
    #[error("Direct Address can't start or end with period character.")]
    PeriodAtEdge,
}

impl DirectAddress {
    /// Reads `local@domain`; surrounding white space is ignored.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        check_characters(text)?;
        let (local, domain) = text.split_once('@').ok_or(AddressError::Shape)?;
        if local.is_empty() || domain.is_empty() || local.len() > MAX_LOCAL || domain.len() > MAX_DOMAIN {
            return Err(AddressError::Shape);
        }
        if !domain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-') {
            return Err(AddressError::InvalidCharacter);
        }
        Ok(Self { at: local.len(), text: format!("{local}@{}", domain.to_ascii_lowercase()) })
    }

    /// The part before the `@`, as it was written.
    pub fn local(&self) -> &str {
        &self.text[..self.at]
    }

    /// The Health Domain Name, in lower case.
    pub fn domain(&self) -> &str {
        &self.text[self.at + 1..]
    }

    /// The whole address, local part as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The address under which mailbox and certificate are looked up: lower case, and without a `+tag`.
    pub fn mailbox(&self) -> DirectAddress {
        let local = self.local().split('+').next().filter(|l| !l.is_empty()).unwrap_or(self.local());
        let local = local.to_ascii_lowercase();
        Self { at: local.len(), text: format!("{local}@{}", self.domain()) }
    }

    /// The DNS name under which the certificate of this address is published: the address without its tag, with `.`
    /// for `@` (RFC 4398 3.1).
    pub fn dns_name(&self) -> String {
        let mailbox = self.mailbox();
        format!("{}.{}", mailbox.local(), mailbox.domain())
    }

    /// Whether both name the same mailbox, tags aside.
    pub fn same_mailbox(&self, other: &DirectAddress) -> bool {
        self.mailbox() == other.mailbox()
    }
}

fn check_characters(text: &str) -> Result<(), AddressError> {
    if text.starts_with('.') || text.ends_with('.') || text.contains(".@") || text.contains("@.") {
        return Err(AddressError::PeriodAtEdge);
    }
    if text.contains("..") {
        return Err(AddressError::ConsecutivePeriods);
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || SPECIALS.contains(c);
    if text.split_once('@').is_none_or(|(l, d)| l.chars().all(allowed) && d.chars().all(allowed)) {
        return if text.chars().all(|c| allowed(c) || c == '@') {
            Ok(())
        } else {
            Err(AddressError::InvalidCharacter)
        };
    }
    Err(AddressError::InvalidCharacter)
}

impl PartialEq for DirectAddress {
    fn eq(&self, other: &Self) -> bool {
        self.text.eq_ignore_ascii_case(&other.text)
    }
}
impl Eq for DirectAddress {}
impl Hash for DirectAddress {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.to_ascii_lowercase().hash(state);
    }
}
impl PartialOrd for DirectAddress {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for DirectAddress {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.to_ascii_lowercase().cmp(&other.text.to_ascii_lowercase())
    }
}
impl fmt::Display for DirectAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
impl fmt::Debug for DirectAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.text)
    }
}
impl FromStr for DirectAddress {
    type Err = AddressError;
    fn from_str(text: &str) -> Result<Self, AddressError> {
        Self::parse(text)
    }
}
impl Serialize for DirectAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
impl<'de> Deserialize<'de> for DirectAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// An address with the name shown beside it: `"Dr Ada" <ada@direct.example>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mailbox {
    /// Display name, decoded; none when the header carried only the address.
    pub name: Option<String>,
    /// The address.
    pub address: DirectAddress,
}

impl Mailbox {
    /// A mailbox with a display name; an empty name counts as none.
    pub fn new(name: &str, address: DirectAddress) -> Self {
        Self { name: Some(name.trim().to_owned()).filter(|n| !n.is_empty()), address }
    }
}

impl From<DirectAddress> for Mailbox {
    fn from(address: DirectAddress) -> Self {
        Self { name: None, address }
    }
}

/// Parses a list of mailboxes from a form or header: separated by commas or semicolons, each an address or `Name
/// <address>`, names possibly quoted. Returns one entry per member, in order; a member that is not a Direct address
/// is an error with its text.
pub fn parse_mailboxes(list: &str) -> Vec<Result<Mailbox, (String, AddressError)>> {
    split_list(list).into_iter().map(|member| parse_mailbox(&member).map_err(|e| (member, e))).collect()
}

fn parse_mailbox(member: &str) -> Result<Mailbox, AddressError> {
    match member.rsplit_once('<') {
        Some((name, rest)) => {
            let address = DirectAddress::parse(rest.strip_suffix('>').ok_or(AddressError::Shape)?)?;
            Ok(Mailbox::new(&name.trim().trim_matches('"').replace("\\\"", "\""), address))
        }
        None => DirectAddress::parse(member).map(Mailbox::from),
    }
}

fn split_list(list: &str) -> Vec<String> {
    let (mut members, mut current, mut quoted, mut escaped) = (Vec::new(), String::new(), false, false);
    for c in list.chars() {
        if (c == ',' || c == ';') && !quoted {
            members.push(std::mem::take(&mut current));
            continue;
        }
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = c == '\\' && !escaped;
        current.push(c);
    }
    members.push(current);
    members.into_iter().map(|m| m.trim().to_owned()).filter(|m| !m.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addr(text: &str) -> DirectAddress {
        DirectAddress::parse(text).unwrap()
    }

    #[test]
    fn an_address_is_a_local_part_and_a_health_domain() {
        let a = addr(" Ada.King@Direct.Example ");
        assert_eq!((a.local(), a.domain()), ("Ada.King", "direct.example"));
    }

    #[test]
    fn letters_in_capitals_name_the_same_mailbox() {
        assert_eq!(addr("ADA@DIRECT.EXAMPLE"), addr("ada@direct.example"));
    }

    #[test]
    fn a_tagged_address_is_looked_up_without_its_tag() {
        assert_eq!(addr("Ada+Lab@direct.example").mailbox().as_str(), "ada@direct.example");
        assert_eq!(addr("ada+lab@direct.example").dns_name(), "ada.direct.example");
        assert!(addr("ada+lab@direct.example").same_mailbox(&addr("ADA@direct.example")));
    }

    #[test]
    fn each_kind_of_bad_address_has_its_sentence() {
        let say = |t: &str| DirectAddress::parse(t).unwrap_err().to_string();
        for bad in [
            "a b@direct.example",
            "a,b@direct.example",
            "a@b@direct.example",
            "ä@direct.example",
            "a@dir_ect.example",
        ] {
            assert_eq!(say(bad), "Direct Address contains invalid character.", "{bad}");
        }
        for bad in ["a..b@direct.example", "a@direct..example"] {
            assert_eq!(say(bad), "Direct Address can't have consecutive period character.", "{bad}");
        }
        for bad in [".a@direct.example", "a@direct.example.", "a.@direct.example", "a@.direct.example"] {
            assert_eq!(say(bad), "Direct Address can't start or end with period character.", "{bad}");
        }
        for bad in ["ada", "@direct.example", "ada@", ""] {
            assert_eq!(DirectAddress::parse(bad), Err(AddressError::Shape), "{bad}");
        }
    }

    #[test]
    fn all_listed_special_characters_are_allowed_in_the_local_part() {
        addr("a.!#$_%&/`'|{}=?*+^~-z@direct.example");
    }

    #[test]
    fn lists_are_read_with_names_quotes_and_both_separators() {
        let list = parse_mailboxes("\"King, Ada\" <ada@direct.example>; bob@direct.example, not an address");
        assert_eq!(list[0].as_ref().unwrap().name.as_deref(), Some("King, Ada"));
        assert_eq!(list[1].as_ref().unwrap().address, addr("bob@direct.example"));
        assert_eq!(list[2], Err(("not an address".to_owned(), AddressError::InvalidCharacter)));
        assert_eq!(list.len(), 3);
    }
}
