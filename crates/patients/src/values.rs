//! The comparable values of a patient, and the tokens for finding candidates.

use crate::model::{Patient, PatientIdentifier};
use chrono::{Datelike, NaiveDate};
use rphonetic::{DoubleMetaphone, Encoder};
use std::collections::BTreeSet;
use store::{keys::DataKey, search::folded};

/// Placeholders for an unknown name.
const NO_NAMES: &[&str] = &[
    "anonymous",
    "anon",
    "baby",
    "babyboy",
    "babygirl",
    "bb",
    "bg",
    "boy",
    "female",
    "girl",
    "infant",
    "male",
    "newborn",
    "nn",
    "none",
    "patient",
    "person",
    "test",
    "testpatient",
    "trauma",
    "twin",
    "unidentified",
    "unk",
    "unknown",
    "xx",
    "xxx",
    "xxxx",
];
/// First names that are placeholders with the last name "Doe".
const DOES: &[&str] = &["john", "jane", "jon", "johnny", "janie"];
const NO_ADDRESSES: &[&str] =
    &["unknown", "homeless", "none", "general delivery", "no fixed address", "undomiciled", "address"];
/// Most identifiers of a patient that are compared.
const IDS_MAX: usize = 10;
/// Most characters of a name that are compared; the cost is their product.
const NAME_MAX: usize = 100;
/// Words of a name used to find candidates.
const WORDS_MAX: usize = 3;
const TITLES: &[&str] = &["mr", "mrs", "ms", "dr"];
/// Generational suffixes with their normalized form.
const SUFFIXES: &[(&str, &str)] = &[
    ("jr", "jr"),
    ("sr", "sr"),
    ("ii", "ii"),
    ("2nd", "ii"),
    ("iii", "iii"),
    ("3rd", "iii"),
    ("iv", "iv"),
    ("4th", "iv"),
];
/// Prefixes of the name of an unnamed newborn: "Infant of Ruth", "Baby Girl B".
const NEWBORNS: &[&str] = &["baby", "babyboy", "babygirl", "bb", "bg", "infant", "nb", "newborn"];

/// Purposes of tokens that are also used by searches.
pub(crate) const IDENTIFIER: &str = "identifier";
pub(crate) const TELEPHONE: &str = "telephone";

/// The comparable values of a patient.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    pub last: Vec<String>,
    pub first: Vec<String>,
    pub middle: Vec<String>,
    /// Such as "jr".
    pub suffix: Option<String>,
    pub born: Option<NaiveDate>,
    pub gender: Option<char>,
    pub ids: BTreeSet<Id>,
    /// The organization's own identifier.
    pub own_id: Option<String>,
    pub telephone: Option<String>,
    /// Number and first word of the street.
    pub street: Option<(String, String)>,
    /// Five digits of the postal code, or otherwise the name of the town.
    pub place: Option<String>,
}

/// An identifier, reduced to letters and digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id {
    pub number: String,
    /// OID of the authority; empty if unknown, as in scans.
    pub root: String,
}

impl Id {
    fn of(id: &PatientIdentifier) -> Option<Self> {
        Some(Self { number: identifier(&id.id)?, root: id.root.trim().to_owned() })
    }

    /// Whether both are the same number of the same authority, as far as known.
    pub fn is_same(&self, other: &Self) -> bool {
        let may_be_one_house = self.root.is_empty() || other.root.is_empty() || self.root == other.root;
        self.number == other.number && may_be_one_house
    }
}

impl Values {
    pub fn of(patient: &Patient) -> Self {
        let (mut first, mut last) = (name(&patient.first_name), name(&patient.last_name));
        let is_nobody = last == ["doe"] && first.first().is_none_or(|name| DOES.contains(&name.as_str()));
        if is_nobody {
            (first, last) = (Vec::new(), Vec::new());
        }
        let own_id = patient.patient_id.as_deref().and_then(identifier);
        let others: Vec<Id> = patient.patient_ids.iter().filter_map(Id::of).collect();
        // The authority is known from the other identifiers, if a document stated it.
        let own = own_id.iter().filter(|own| others.iter().all(|id| id.number != **own));
        let own = own.map(|number| Id { number: number.clone(), root: String::new() });
        let place = patient.postal_code.as_deref().and_then(postal_code);
        Self {
            middle: name(&patient.middle_name),
            born: patient.birth_date.filter(is_born),
            gender: patient.gender.as_deref().and_then(gender),
            suffix: suffix(patient),
            ids: own.chain(others.clone()).take(IDS_MAX).collect(),
            own_id,
            telephone: patient.telephone.as_deref().and_then(telephone),
            street: patient.street_address1.as_deref().and_then(street),
            place: place.or_else(|| town(patient.city.as_deref()?)),
            first,
            last,
        }
    }

    /// Whether it is sufficient to identify a person.
    pub fn is_somebody(&self) -> bool {
        let is_named = !self.last.is_empty();
        (is_named && (!self.first.is_empty() || self.born.is_some())) || !self.ids.is_empty()
    }

    /// Blocking tokens shared by possible duplicates, one kind per pass.
    pub fn tokens(&self, key: &DataKey) -> BTreeSet<Vec<u8>> {
        self.passes().into_iter().map(|(pass, text)| key.token(pass, &text)).collect()
    }

    pub(crate) fn passes(&self) -> BTreeSet<(&'static str, String)> {
        let [first, last] = [&self.first, &self.last].map(|words| sounds(words));
        let mut passes = BTreeSet::new();
        if let Some(born) = self.born {
            passes.extend(
                first.iter().chain(&last).map(|sound| ("name and birth date", format!("{sound}|{born}"))),
            );
        }
        for (one, other) in last.iter().flat_map(|one| first.iter().map(move |other| (one, other))) {
            // In either order, because forms swap them.
            passes.insert(("names", format!("{}|{}", one.min(other), one.max(other))));
        }
        passes.extend(self.ids.iter().map(|id| (IDENTIFIER, id.number.clone())));
        passes.extend(self.telephone.iter().map(|number| (TELEPHONE, number.clone())));
        if let (Some((number, word)), Some(place)) = (&self.street, &self.place) {
            passes.insert(("address", format!("{number}|{word}|{place}")));
        }
        passes
    }
}

/// Phonetic code of a word.
pub fn sound(word: &str) -> String {
    // Non-ASCII words are their own code.
    let code = if word.is_ascii() { DoubleMetaphone::default().encode(word) } else { String::new() };
    if code.is_empty() { word.to_owned() } else { code }
}

fn sounds(words: &[String]) -> BTreeSet<String> {
    let long = |word: &&String| word.chars().count() > 2;
    let chosen: Vec<_> = if words.iter().any(|word| long(&word)) {
        words.iter().filter(long).collect()
    } else {
        words.iter().collect()
    };
    chosen.into_iter().take(WORDS_MAX).map(|word| sound(word)).collect()
}

fn name(text: &Option<String>) -> Vec<String> {
    let text: String = text.iter().flat_map(|text| text.chars()).take(NAME_MAX).collect();
    let folded = folded(&text).replace(['\'', '’', '`', '.'], "");
    let words: Vec<String> = folded
        // Digits count: "Roe 2" and "Roe 3" are not the same name.
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !TITLES.contains(word) && suffix_of(word).is_none())
        .map(str::to_owned)
        .collect();
    if is_newborn(&words) {
        return Vec::new();
    }
    // "Baby Boy A", "Unknown 17": the rest does not identify the person.
    let is_counter = |word: &str| word.chars().count() == 1 || word.chars().all(|c| c.is_ascii_digit());
    let is_nobody = folded.trim() == "n/a"
        || words.iter().any(|word| NO_NAMES.contains(&word.as_str()))
            && words.iter().all(|word| NO_NAMES.contains(&word.as_str()) || is_counter(word));
    if is_nobody { Vec::new() } else { words }
}

/// Whether a name is that of a newborn: "Infant of Ruth" and "Baby Boy Ruth" name the mother.
fn is_newborn(words: &[String]) -> bool {
    let is = |at: usize, among: &[&str]| words.get(at).is_some_and(|word| among.contains(&word.as_str()));
    is(0, NEWBORNS) && is(1, &["of", "boy", "girl", "male", "female"])
}

/// The suffix in one of the names.
fn suffix(patient: &Patient) -> Option<String> {
    let names = [&patient.last_name, &patient.first_name, &patient.middle_name];
    let text = names.map(|name| name.as_deref().unwrap_or_default()).join(" ");
    let folded = folded(&text);
    // A middle initial is not a number: "I" and "V" are excluded above.
    let mut words = folded.split(|c: char| !c.is_alphanumeric());
    words.find_map(suffix_of).map(str::to_owned)
}

fn suffix_of(word: &str) -> Option<&'static str> {
    SUFFIXES.iter().find(|(written, _)| *written == word).map(|(_, suffix)| *suffix)
}

/// Whether a birth date is plausible. Forms without an entered date contain the first day of a century.
fn is_born(born: &NaiveDate) -> bool {
    let is_filler = matches!((born.month(), born.day()), (1, 1)) && matches!(born.year(), 1900 | 1901 | 1800);
    (1880..=2200).contains(&born.year()) && !is_filler
}

fn gender(code: &str) -> Option<char> {
    match code.trim().chars().next()?.to_ascii_uppercase() {
        known @ ('F' | 'M') => Some(known),
        _ => None,
    }
}

fn is_one_letter(text: &str) -> bool {
    text.chars().all(|c| text.starts_with(c))
}

pub(crate) fn identifier(text: &str) -> Option<String> {
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect();
    let digits: String = plain.chars().filter(char::is_ascii_digit).collect();
    let is_good = (3..=64).contains(&plain.chars().count()) && !digits.is_empty();
    (is_good && !(digits.len() > 1 && is_one_letter(&digits)) && digits != "123456789").then_some(plain)
}

pub(crate) fn telephone(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let start = digits.len().checked_sub(10)?;
    let number = &digits[start..];
    (!is_one_letter(number) && !is_one_letter(&number[3..]) && number != "1234567890")
        .then(|| number.to_owned())
}

fn street(text: &str) -> Option<(String, String)> {
    let folded = folded(text);
    if NO_ADDRESSES.iter().any(|none| folded.contains(none)) {
        return None;
    }
    let mut words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let number = words.next().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let word =
        words.find(|word| !matches!(*word, "n" | "s" | "e" | "w" | "north" | "south" | "east" | "west"))?;
    Some((number.to_owned(), word.to_owned()))
}

fn postal_code(text: &str) -> Option<String> {
    let code: String = text.chars().filter(char::is_ascii_alphanumeric).take(5).collect();
    (code.len() >= 4 && !is_one_letter(&code)).then(|| code.to_ascii_lowercase())
}

fn town(text: &str) -> Option<String> {
    let town = folded(text).split_whitespace().collect::<Vec<_>>().join(" ");
    (!town.is_empty() && !NO_ADDRESSES.contains(&town.as_str())).then_some(town)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(first: &str, last: &str) -> Patient {
        Patient { first_name: Some(first.into()), last_name: Some(last.into()), ..Patient::default() }
    }

    #[test]
    fn what_stands_for_not_known_is_left_out() {
        let nobody = Patient {
            birth_date: NaiveDate::from_ymd_opt(1900, 1, 1),
            gender: Some("UN".into()),
            patient_id: Some("000-00-0000".into()),
            telephone: Some("555 555 5555".into()),
            street_address1: Some("Unknown".into()),
            postal_code: Some("00000".into()),
            ..named("Baby Boy A", "Unknown")
        };
        assert_eq!(Values::of(&nobody), Values::default());
        for (first, last) in [
            ("Jane", "Doe"),
            ("BABY GIRL", "N.N."),
            ("Test", "Patient"),
            ("", "unk"),
            ("Trauma", "Unknown 17"),
        ] {
            assert!(!Values::of(&named(first, last)).is_somebody(), "{first} {last}");
        }
        let doe = Values::of(&named("Marisol", "Doe"));
        assert_eq!((doe.first, doe.last), (vec!["marisol".into()], vec!["doe".into()]));
        let boy = Values::of(&Patient {
            birth_date: NaiveDate::from_ymd_opt(2026, 3, 4),
            ..named("Baby Boy", "Tenney")
        });
        assert!(boy.first.is_empty() && boy.is_somebody(), "the last name of a newborn is known");
        for mother in ["Infant of Ruth", "BABY GIRL RUTH", "newborn male"] {
            assert!(Values::of(&named(mother, "Tenney")).first.is_empty(), "{mother}");
        }
    }

    #[test]
    fn digits_of_names_and_written_numbers_of_sons_count() {
        let [one, other] = ["Roe 2", "Roe 3"].map(|last| Values::of(&named("Ana", last)).last);
        assert_ne!(one, other);
        let [written, roman] = ["Pruitt 3rd", "Pruitt III"].map(|last| Values::of(&named("Carl", last)));
        assert_eq!(written, roman);
        assert_eq!(written.suffix.as_deref(), Some("iii"));
    }

    #[test]
    fn names_that_are_written_differently_share_a_pass() {
        let pairs = [
            (named("Jon", "Smith"), named("John", "Smyth")),
            (named("José", "O’Brien"), named("Jose", "OBRIEN")),
            (named("Pruitt", "Desmond"), named("Desmond", "Pruitt")),
            (named("Ana", "García-López"), named("Ana", "Lopez")),
        ];
        for (one, other) in pairs {
            let [one, other] = [one, other].map(|patient| Values::of(&patient).passes());
            assert!(!one.is_disjoint(&other), "{one:?} {other:?}");
        }
        let [one, other] = [named("Bridget", "Okafor"), named("Desmond", "Pruitt")]
            .map(|patient| Values::of(&patient).passes());
        assert!(one.is_disjoint(&other));
    }
}
