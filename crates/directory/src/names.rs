//! Normalized names for search.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Most bytes of a key, of a word, and of all words of one name. PostgreSQL limits an index row to 2,704 bytes, and one
/// index holds three keys and the words; 255 letters of some scripts are 1,020 bytes.
const NAME: usize = 255;
const WORD: usize = 64;
const WORDS: usize = 640;

/// Lower case without accents and punctuation: `O'Brien-Lörk, Jr.` becomes `obrien lork jr`. Long names are truncated.
pub fn key(text: &str) -> String {
    truncate(&plain(text), NAME).trim_end().into()
}

/// The distinct words of a text in alphabetical order. Long texts are truncated.
pub fn words(text: &str) -> Vec<String> {
    let plain = plain(text);
    let mut words: Vec<String> =
        truncate(&plain, WORDS).split_whitespace().map(|word| truncate(word, WORD).into()).collect();
    words.sort();
    words.dedup();
    words
}

fn plain(text: &str) -> String {
    let plain = text.nfkd().filter(|c| !is_combining_mark(*c) && !"'’`.".contains(*c));
    let spaced: String = plain.map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    spaced.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn truncate(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_accents_and_punctuation() {
        assert_eq!(key("  O'Brien-Lörk,  Jr. "), "obrien lork jr");
        assert_eq!(key("ST. MARY’S"), "st marys");
        assert_eq!(key("100% _ \\"), "100");
        assert_eq!(key("'"), "");
        assert_eq!(words("Portland Family Medicine of Portland"), ["family", "medicine", "of", "portland"]);
    }
}
