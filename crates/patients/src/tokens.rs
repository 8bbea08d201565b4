//! Tokens for finding patients: blocking keys of the matcher, and typed searches.

use crate::{
    model::Patient,
    values::{TELEPHONE, Values, sound},
};
use std::collections::BTreeSet;
use store::{keys::DataKey, search};

/// Longest prefix of a name with a token; longer input is cut to it.
const PREFIX_MAX: usize = 6;
const PREFIX_MIN: usize = 2;
/// Letters of each name in a pair token.
const PAIRED: usize = 3;
/// Shortest name in which one typing error is tolerated.
const FORGIVEN_MIN: usize = 4;
/// Letters of a name in which typing errors are tolerated.
const FORGIVEN_MAX: usize = 12;
/// Most words of a name with tokens.
const WORDS_MAX: usize = 9;

const PREFIX: &str = "patient name";
const PAIR: &str = "patient names";
const SLIP: &str = "patient name misspelled";
const SOUND: &str = "patient name sound";
const BORN: &str = "patient birth date";
const TELEPHONE_END: &str = "telephone end";
const DIGITS: &str = "identifier digits";
/// Fewest digits of a record number that are indexed without its letters: "19932" of "LFM-19932".
const DIGITS_MIN: usize = 4;

/// Words of a patient's name in the forms people type: "Hye-jin" as "hye" and "jin" or "hyejin", "O'Rourke" as
/// "orourke" or "rourke".
pub fn name_words(patient: &Patient) -> Vec<String> {
    let name = patient.display_name();
    let mut words = search::words(&[&name, &typed(&name), &typed(&name).replace('-', "")]);
    words.truncate(WORDS_MAX);
    words
}

/// A typed name with its apostrophes removed.
pub fn typed(text: &str) -> String {
    text.replace(['\'', '’', '`'], "")
}

/// All tokens of a patient.
pub fn of(key: &DataKey, said: &Patient) -> BTreeSet<Vec<u8>> {
    let values = Values::of(said);
    let mut tokens: BTreeSet<(&'static str, String)> = values.passes();
    let words = name_words(said);
    for word in &words {
        tokens.extend(prefixes(word).map(|prefix| (PREFIX, prefix)));
        tokens.extend(slips(word).into_iter().map(|slip| (SLIP, slip)));
        tokens.insert((SOUND, sound(word)));
    }
    for (at, one) in words.iter().enumerate() {
        tokens.extend(words[at + 1..].iter().filter_map(|other| pair(one, other)).map(|pair| (PAIR, pair)));
    }
    tokens.extend(values.ids.iter().filter_map(|id| digits(&id.number)).map(|digits| (DIGITS, digits)));
    tokens.extend(said.birth_date.map(|born| (BORN, born.to_string())));
    tokens.extend(values.telephone.iter().map(|number| (TELEPHONE_END, number[3..].to_owned())));
    tokens.into_iter().map(|(purpose, text)| key.token(purpose, &text)).collect()
}

fn head(word: &str, letters: usize) -> String {
    word.chars().take(letters).collect()
}

fn prefixes(word: &str) -> impl Iterator<Item = String> {
    (PREFIX_MIN..=PREFIX_MAX.min(word.chars().count())).map(|letters| head(word, letters))
}

/// The word, and the word without each of its letters: words that differ by one letter have one of these in common.
fn slips(word: &str) -> BTreeSet<String> {
    let letters: Vec<char> = word.chars().take(FORGIVEN_MAX).collect();
    if letters.len() < FORGIVEN_MIN || letters.iter().any(char::is_ascii_digit) {
        return BTreeSet::new();
    }
    let without = |at: usize| letters.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| *c).collect();
    (0..letters.len()).map(without).chain([letters.iter().collect()]).collect()
}

/// The beginnings of two words together, in either order.
fn pair(one: &str, other: &str) -> Option<String> {
    let is_long = |word: &str| word.chars().count() >= PAIRED;
    let [one, other] = [one, other].map(|word| (is_long(word), head(word, PAIRED)));
    (one.0 && other.0).then(|| format!("{}|{}", (&one.1).min(&other.1), (&one.1).max(&other.1)))
}

/// The token of a typed prefix of a name.
pub(crate) fn of_prefix(key: &DataKey, word: &str) -> Vec<u8> {
    key.token(PREFIX, &head(word, PREFIX_MAX))
}

/// The token of two typed names; none if one is too short.
pub(crate) fn of_pair(key: &DataKey, one: &str, other: &str) -> Option<Vec<u8>> {
    pair(one, other).map(|pair| key.token(PAIR, &pair))
}

/// The tokens of names that sound like a word or differ by one letter.
pub(crate) fn alike(key: &DataKey, word: &str) -> Vec<Vec<u8>> {
    let slips = slips(word).into_iter().map(|slip| key.token(SLIP, &slip));
    let sound = sound(word);
    let sound = (sound.chars().count() > 1).then(|| key.token(SOUND, &sound));
    slips.chain(sound).collect()
}

pub(crate) fn of_birth_date(key: &DataKey, born: chrono::NaiveDate) -> Vec<u8> {
    key.token(BORN, &born.to_string())
}

/// The tokens of a typed number: an identifier, or the end of a telephone number.
pub(crate) fn of_number(key: &DataKey, number: &str) -> Vec<Vec<u8>> {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let id = crate::values::identifier(number).map(|id| key.token(crate::values::IDENTIFIER, &id));
    let telephone = crate::values::telephone(number).map(|number| key.token(TELEPHONE, &number));
    let end = (digits.len() == 7).then(|| key.token(TELEPHONE_END, &digits));
    let bare = number.chars().all(|c| !c.is_alphabetic()).then(|| self::digits(number)).flatten();
    let bare = bare.map(|digits| key.token(DIGITS, &digits));
    id.into_iter().chain(telephone).chain(end).chain(bare).collect()
}

/// The digits of a record number, if there are enough.
pub(crate) fn digits(number: &str) -> Option<String> {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    (digits.len() >= DIGITS_MIN).then_some(digits)
}

/// Whether a word of a name differs from a typed one by at most one letter, or sounds like it.
pub(crate) fn is_alike(name: &str, typed: &str) -> bool {
    let is_slip = typed.chars().count() >= FORGIVEN_MIN && strsim::osa_distance(name, typed) <= 1;
    is_slip || (typed.chars().count() > 2 && sound(typed).chars().count() > 1 && sound(name) == sound(typed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_by_one_letter_share_a_token_and_others_do_not() {
        for (one, other) in
            [("tenney", "tenny"), ("okafor", "okafro"), ("pruitt", "priutt"), ("lind", "lund")]
        {
            assert!(!slips(one).is_disjoint(&slips(other)), "{one} {other}");
            assert!(is_alike(one, other), "{one} {other}");
        }
        assert!(slips("tenney").is_disjoint(&slips("okafor")));
        assert!(slips("lee").is_empty() && !is_alike("tenney", "okafor"));
    }

    #[test]
    fn two_names_are_looked_for_in_either_order() {
        assert_eq!(pair("tenney", "marisol"), pair("mar", "ten"));
        assert_eq!(pair("li", "marisol"), None);
    }
}
