//! The spellings of an identifier. Without a database.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use uuid::Uuid;

/// Length of 16 bytes in base64.
const SHORT: usize = 22;

/// Parses an identifier in the spellings of partners and tools: with and without hyphens, in braces, as `urn:uuid:`,
/// or in base64 for URLs. `None` for other texts.
pub fn uuid_of(text: &str) -> Option<Uuid> {
    let text = text.trim();
    if let Ok(found) = Uuid::try_parse(text) {
        return Some(found);
    }
    if text.len() != SHORT {
        return None;
    }
    Uuid::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

/// The ids of a pasted list: trimmed, without line breaks and empty ones.
pub fn listed<'a>(ids: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let ids = ids.into_iter().flat_map(|text| text.split(','));
    let plain = ids.map(|id| id.replace(['\r', '\n'], "").trim().to_owned());
    plain.filter(|id| !id.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_known_in_every_spelling() {
        let id = Uuid::parse_str("01935a4e-7c1b-7d2e-9f00-5b8f2a3c4d5e").unwrap();
        for spelling in [
            id.to_string(),
            id.to_string().to_uppercase(),
            id.simple().to_string(),
            id.braced().to_string(),
            id.urn().to_string(),
            format!(" {id}\n"),
            BASE64_URL_SAFE_NO_PAD.encode(id.as_bytes()),
        ] {
            assert_eq!(uuid_of(&spelling), Some(id), "{spelling}");
        }
        for other in
            ["", "12", "01935a4e-7c1b-7d2e-9f00-5b8f2a3c4d5", "<01935a4e@carepost.example>", &"!".repeat(22)]
        {
            assert_eq!(uuid_of(other), None, "{other}");
        }
    }

    /// ADA-R-284 ADA-R-285 ADA-R-286
    #[test]
    fn ids_are_divided_by_commas_without_line_breaks_and_trimmed() {
        assert_eq!(listed([" a ,b\r\n, c\nd,,", "e"]), ["a", "b", "cd", "e"]);
    }
}
