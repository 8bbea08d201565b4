//! Names as a search compares them.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Lower case without accents and signs: `O'Brien-Lörk, Jr.` becomes `obrien lork jr`.
pub fn key(text: &str) -> String {
    let plain = text.nfkd().filter(|c| !is_combining_mark(*c) && !"'’`.".contains(*c));
    let spaced: String = plain.map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    spaced.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The different words of a text, by the alphabet.
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = key(text).split(' ').filter(|w| !w.is_empty()).map(Into::into).collect();
    words.sort();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_accents_and_signs() {
        assert_eq!(key("  O'Brien-Lörk,  Jr. "), "obrien lork jr");
        assert_eq!(key("ST. MARY’S"), "st marys");
        assert_eq!(key("100% _ \\"), "100");
        assert_eq!(key("'"), "");
        assert_eq!(words("Portland Family Medicine of Portland"), ["family", "medicine", "of", "portland"]);
    }
}
