//! Names as a search compares them.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Bytes of a name, a word, and the words of one name that are compared. PostgreSQL refuses a row of an index that is
/// longer than 2,704 bytes, and an index holds three names and the words; 255 letters of some scripts are 1,020 bytes.
const NAME: usize = 255;
const WORD: usize = 64;
const WORDS: usize = 640;

/// Lower case without accents and signs: `O'Brien-Lörk, Jr.` becomes `obrien lork jr`. What is very long is cut.
pub fn key(text: &str) -> String {
    cut(&plain(text), NAME).trim_end().into()
}

/// The different words of a text, by the alphabet. What is very long is cut.
pub fn words(text: &str) -> Vec<String> {
    let plain = plain(text);
    let mut words: Vec<String> =
        cut(&plain, WORDS).split_whitespace().map(|word| cut(word, WORD).into()).collect();
    words.sort();
    words.dedup();
    words
}

fn plain(text: &str) -> String {
    let plain = text.nfkd().filter(|c| !is_combining_mark(*c) && !"'’`.".contains(*c));
    let spaced: String = plain.map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    spaced.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
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
