//! Parsing of a typed search for a patient: "Last, First 3/14/61", a record number, a birth date, a telephone number.

use crate::{
    dates::{births, parts},
    face::Face,
    tokens::{self, is_alike},
    values::{Values, identifier, telephone},
};
use chrono::NaiveDate;
use store::search;

/// Most words of a search.
const WORDS_MAX: usize = 6;

/// Search criteria, all of which must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Words of the name, as prefixes.
    pub words: Vec<String>,
    /// Alternative birth dates; empty if none was typed.
    pub births: Vec<NaiveDate>,
    /// Record numbers and telephone numbers.
    pub numbers: Vec<Number>,
    /// Gender code: M, F or UN.
    pub gender: Option<String>,
}

/// A typed number, and the dates that its digits may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    pub text: String,
    pub births: Vec<NaiveDate>,
}

/// Quality of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// A name sounds similar or has a typing error.
    Alike,
    Exact,
}

impl Asked {
    /// Parses a typed line, relative to today.
    pub fn read(text: &str, today: NaiveDate) -> Self {
        let digits = text.chars().filter(char::is_ascii_digit).count();
        let is_one_number = !text.contains(char::is_alphabetic) && matches!(digits, 10 | 11);
        let parts = if is_one_number && parts(text).iter().all(Result::is_err) {
            vec![Err(text.trim())]
        } else {
            parts(text)
        };
        let mut asked = Self::default();
        for part in parts {
            match part {
                Ok(date) => asked.births.extend(births(&date, today)),
                Err(word) if word.contains(|c: char| c.is_ascii_digit()) => {
                    let text = word.trim_matches(|c: char| !c.is_alphanumeric() && !"(+".contains(c));
                    asked.numbers.push(Number { text: text.to_owned(), births: births(text, today) });
                }
                Err(word) => asked.words.extend(search::words(&[&tokens::typed(word)])),
            }
        }
        asked.words.truncate(WORDS_MAX);
        asked.numbers.truncate(WORDS_MAX);
        asked
    }

    /// A number without another meaning.
    pub fn number(text: String) -> Number {
        Number { text, births: Vec::new() }
    }

    /// Whether there are no criteria that can find anybody.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.births.is_empty() && self.numbers.is_empty()
    }

    /// Quality of the match; none if a criterion does not match.
    pub fn fit(&self, face: &Face) -> Option<Fit> {
        let is_of_gender = |gender: &String| face.patient.gender.as_ref() == Some(gender);
        let is_born = self.births.is_empty() || is_born(face, &self.births);
        let has_numbers = self.numbers.iter().all(|number| number.is_of(face));
        if !is_born || !has_numbers || !self.gender.as_ref().is_none_or(is_of_gender) {
            return None;
        }
        face.variants().filter_map(|patient| self.fit_of_name(&tokens::name_words(&patient))).max()
    }

    fn fit_of_name(&self, names: &[String]) -> Option<Fit> {
        let of_word = |word: &String| {
            if names.iter().any(|name| name.starts_with(word.as_str())) {
                Some(Fit::Exact)
            } else {
                names.iter().any(|name| is_alike(name, word)).then_some(Fit::Alike)
            }
        };
        self.words.iter().map(of_word).try_fold(Fit::Exact, |least, fit| Some(least.min(fit?)))
    }
}

fn is_born(face: &Face, births: &[NaiveDate]) -> bool {
    let others = face.others_of(crate::compare::Field::BirthDate).filter_map(|born| born.parse().ok());
    face.patient.birth_date.into_iter().chain(others).any(|born| births.contains(&born))
}

impl Number {
    fn is_of(&self, face: &Face) -> bool {
        let values = Values::of(&face.patient);
        let others = |field| face.others_of(field);
        let id = identifier(&self.text);
        let is_id = id.as_ref().is_some_and(|id| {
            values.ids.iter().any(|known| known.number == *id)
                || others(crate::compare::Field::PatientId)
                    .any(|other| identifier(other).as_ref() == Some(id))
        });
        let bare =
            self.text.chars().all(|c| !c.is_alphabetic()).then(|| tokens::digits(&self.text)).flatten();
        let is_bare = bare.is_some() && values.ids.iter().any(|known| tokens::digits(&known.number) == bare);
        is_id
            || is_bare
            || self.is_telephone(face, &values)
            || (!self.births.is_empty() && is_born(face, &self.births))
    }

    fn is_telephone(&self, face: &Face, values: &Values) -> bool {
        let digits: String = self.text.chars().filter(char::is_ascii_digit).collect();
        if !matches!(digits.len(), 7 | 10 | 11) {
            return false;
        }
        let others = face.others_of(crate::compare::Field::Telephone).filter_map(telephone);
        let ends = |known: String| known.ends_with(&digits[digits.len().saturating_sub(10)..]);
        values.telephone.clone().into_iter().chain(others).any(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{face::Statement, model::Patient};
    use chrono::DateTime;
    use store::entities::patient_source::SourceKind;
    use uuid::Uuid;

    fn today() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 28).expect("a date")
    }

    fn marisol() -> Face {
        let some = |text: &str| Some(text.to_owned());
        let said = Patient {
            patient_id: some("LFM-08842"),
            first_name: some("Marisol"),
            last_name: some("Tenney-Reyes"),
            birth_date: NaiveDate::from_ymd_opt(1961, 3, 14),
            telephone: some("5550100142"),
            ..Patient::default()
        };
        let at = DateTime::UNIX_EPOCH;
        Face::of(&[Statement {
            source_id: Uuid::nil(),
            kind: SourceKind::Sent,
            at,
            said,
            other_names: Vec::new(),
        }])
    }

    #[test]
    fn a_patient_is_found_by_name_date_record_number_and_telephone_in_one_line() {
        let fit = |typed: &str| Asked::read(typed, today()).fit(&marisol());
        for typed in [
            "Tenney, Marisol 3/14/61",
            "mari ten",
            "reyes",
            "lfm08842",
            "08842",
            "LFM-08842 tenney",
            "3-14-1961",
            "03141961",
            "(555) 010-0142",
            "0100142",
            "+1 555 010 0142",
        ] {
            assert_eq!(fit(typed), Some(Fit::Exact), "{typed}");
        }
        let named = |first: &str, last: &str| {
            let some = |text: &str| Some(text.to_owned());
            let said = Patient { first_name: some(first), last_name: some(last), ..Patient::default() };
            let at = DateTime::UNIX_EPOCH;
            Face::of(&[Statement {
                source_id: Uuid::nil(),
                kind: SourceKind::Sent,
                at,
                said,
                other_names: Vec::new(),
            }])
        };
        let joined = named("Hye-jin", "O'Rourke");
        for typed in ["O'R", "o'ro", "ORourke", "o’rourke hyejin", "rourke", "hye-jin", "jin"] {
            assert_eq!(Asked::read(typed, today()).fit(&joined), Some(Fit::Exact), "{typed}");
        }
        for typed in ["Teney", "marisool tenney", "tenni"] {
            assert_eq!(fit(typed), Some(Fit::Alike), "{typed}");
        }
        for typed in ["Tenney 3/15/61", "LFM-0884", "okafor", "tenney okafor", "5550100143"] {
            assert_eq!(fit(typed), None, "{typed}");
        }
        assert!(Asked::read(" , ", today()).is_empty());
    }
}
