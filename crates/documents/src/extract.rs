//! Who a document is about, as far as that can be read from it. The result is a suggestion for a person to confirm.

use chrono::NaiveDate;
use clinical::cda::{ClinicalDocument, Gender};
use serde::{Deserialize, Serialize};

/// What was read about the patient; what was not found stays empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtractedPatient {
    /// First name.
    pub first_name: Option<String>,
    /// Middle name or initial.
    pub middle_name: Option<String>,
    /// Last name.
    pub last_name: Option<String>,
    /// Day of birth.
    pub birth_date: Option<NaiveDate>,
    /// Gender.
    pub gender: Option<Gender>,
    /// Page that the details were read from, counted from 1; empty for structured documents.
    pub page: Option<u32>,
}

impl ExtractedPatient {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self == &Self { page: self.page, ..Self::default() }
    }
}

/// Takes the patient of a CDA document.
pub fn from_cda(document: &ClinicalDocument) -> ExtractedPatient {
    let Some(patient) = &document.patient else {
        return ExtractedPatient::default();
    };
    ExtractedPatient {
        first_name: patient.name.first.clone(),
        middle_name: patient.name.middle.clone(),
        last_name: patient.name.last.clone(),
        birth_date: patient.birth_date,
        gender: patient.gender,
        page: None,
    }
}

/// Reads patient details from the text of pages, by the labels that clinics print: Patient, Name, DOB, Sex and their
/// kin. The page that tells most wins, the first of several. Prose is not interpreted: without a label, and without
/// a value that looks like one, nothing is guessed.
pub fn from_text(pages: &[String]) -> ExtractedPatient {
    let mut best = ExtractedPatient::default();
    for (index, page) in pages.iter().enumerate() {
        let mut found = from_page(page);
        found.page = Some(index as u32 + 1);
        if facts(&found) > facts(&best) {
            best = found;
        }
    }
    best
}

fn facts(patient: &ExtractedPatient) -> usize {
    usize::from(patient.last_name.is_some())
        + usize::from(patient.birth_date.is_some())
        + usize::from(patient.gender.is_some())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    /// "Patient name": what follows is a name in any usual form.
    Name,
    /// "Patient" or "Name": what follows may as well be something else.
    WeakName,
    FirstName,
    MiddleName,
    LastName,
    BirthDate,
    Sex,
    /// Ends the value before it.
    Other,
}

/// Longer labels come before those that they begin with.
const LABELS: &[(&str, Label)] = &[
    ("patient's name", Label::Name),
    ("patient name", Label::Name),
    ("name of patient", Label::Name),
    ("pt name", Label::Name),
    ("first name", Label::FirstName),
    ("given name", Label::FirstName),
    ("middle name", Label::MiddleName),
    ("last name", Label::LastName),
    ("family name", Label::LastName),
    ("surname", Label::LastName),
    ("date of birth", Label::BirthDate),
    ("birth date", Label::BirthDate),
    ("birthdate", Label::BirthDate),
    ("d.o.b.", Label::BirthDate),
    ("dob", Label::BirthDate),
    ("sex at birth", Label::Sex),
    ("birth sex", Label::Sex),
    ("sex", Label::Sex),
    ("gender", Label::Sex),
    ("patient id", Label::Other),
    ("patient", Label::WeakName),
    ("name", Label::WeakName),
    ("re", Label::WeakName),
    ("date of visit", Label::Other),
    ("date of service", Label::Other),
    ("visit date", Label::Other),
    ("referred by", Label::Other),
    ("referring", Label::Other),
    ("ordering", Label::Other),
    ("provider", Label::Other),
    ("physician", Label::Other),
    ("telephone", Label::Other),
    ("phone", Label::Other),
    ("address", Label::Other),
    ("account", Label::Other),
    ("insurance", Label::Other),
    ("collected", Label::Other),
    ("received", Label::Other),
    ("reported", Label::Other),
    ("specimen", Label::Other),
    ("mrn", Label::Other),
    ("ssn", Label::Other),
    ("age", Label::Other),
    ("date", Label::Other),
];

/// A label on a line: where it stands and where its value begins.
#[derive(Debug, Clone, Copy)]
struct Found {
    label: Label,
    start: usize,
    value: usize,
    /// A colon follows.
    colon: bool,
}

fn from_page(page: &str) -> ExtractedPatient {
    let mut patient = ExtractedPatient::default();
    let lines: Vec<&str> = page.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    for (index, line) in lines.iter().enumerate() {
        let labels = labels(line);
        for (at, found) in labels.iter().enumerate() {
            let end = labels.get(at + 1).map_or(line.len(), |next| next.start);
            let here = clean(&line[found.value..end]);
            let below = lines.get(index + 1).copied().filter(|_| end == line.len() && here.is_empty());
            let below = below.filter(|line| self::labels(line).first().is_none_or(|found| found.start > 0));
            note(&mut patient, *found, if here.is_empty() { below.unwrap_or_default() } else { here });
        }
    }
    patient
}

/// Keeps the first value of each kind: what is repeated further down belongs to somebody else more often.
fn note(patient: &mut ExtractedPatient, found: Found, value: &str) {
    match found.label {
        Label::Name | Label::WeakName if patient.last_name.is_none() => {
            let sure = found.label == Label::Name || found.colon;
            if let Some(name) = name(value, sure) {
                (patient.first_name, patient.middle_name, patient.last_name) = name;
            }
        }
        Label::FirstName if patient.first_name.is_none() => patient.first_name = one_name(value),
        Label::MiddleName if patient.middle_name.is_none() => patient.middle_name = one_name(value),
        Label::LastName if patient.last_name.is_none() => patient.last_name = one_name(value),
        Label::BirthDate if patient.birth_date.is_none() => patient.birth_date = date(value),
        Label::Sex if patient.gender.is_none() => patient.gender = gender(value),
        _ => {}
    }
}

/// All labels of a line, from left to right.
fn labels(line: &str) -> Vec<Found> {
    // Offsets are those of the line only while lower case keeps the length.
    let lower = line.to_ascii_lowercase();
    let mut out = Vec::new();
    let mut at = 0;
    while at < lower.len() {
        match lower.is_char_boundary(at).then(|| label_at(&lower, at)).flatten() {
            Some(found) => {
                at = found.value.max(at + 1);
                out.push(found);
            }
            None => at += 1,
        }
    }
    out
}

fn label_at(lower: &str, at: usize) -> Option<Found> {
    let before = lower[..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '\'' | '-' | '.' | '/' | ',')) {
        return None;
    }
    let (words, label) = LABELS.iter().find(|(words, _)| lower[at..].starts_with(words))?;
    let after = &lower[at + words.len()..];
    if after.chars().next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '\'' | '-' | '/' | ',' | '.'))
    {
        return None;
    }
    let colon = after.trim_start().starts_with(':');
    // In running text a single word is no label.
    let alone =
        at == 0 || colon || lower[..at].ends_with(['\t', '|', '(', ';']) || lower[..at].ends_with("  ");
    let weak = matches!(label, Label::WeakName | Label::Other) || *words == "sex" || *words == "gender";
    let plain_words = matches!(*words, "name" | "re" | "date" | "age" | "received" | "reported");
    if (plain_words && !(colon || after.trim().is_empty() && at == 0))
        || (weak && !alone && !words_follow_value(lower, at))
    {
        return None;
    }
    let skipped = after.len() - after.trim_start_matches([' ', '\t', ':', '#']).len();
    Some(Found { label: *label, start: at, value: at + words.len() + skipped, colon })
}

/// Table cells lose their borders in text: "Patient TENNEY, MARISOL J Sex Female". A label may follow a value that
/// is a name in capitals, a date or a number.
fn words_follow_value(lower: &str, at: usize) -> bool {
    let before = lower[..at].trim_end();
    lower.starts_with("patient") || before.ends_with(|c: char| c.is_ascii_digit())
}

fn clean(value: &str) -> &str {
    value.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ':' | '#' | '|' | ';' | '_' | '(' | ')' | ',')
    })
}

type Name = (Option<String>, Option<String>, Option<String>);

const NO_NAMES: &[&str] = &[
    "information",
    "name",
    "details",
    "demographics",
    "instructions",
    "education",
    "history",
    "summary",
    "care",
    "clinic",
    "center",
    "hospital",
    "health",
    "medical",
    "unknown",
    "report",
    "id",
    "visit",
    "portal",
    "date",
];

/// `Last, First Middle`, or where the label leaves no doubt `First Middle Last`.
fn name(value: &str, sure: bool) -> Option<Name> {
    // Wide gaps and brackets end the name.
    let value = value.split("   ").next()?.split(['(', '|', '\t', ';']).next()?.trim();
    match value.split_once(',') {
        Some((last, rest)) => {
            let (last, rest) = (words(last)?, words(rest)?);
            let (first, middle) = rest.split_first()?;
            Some((Some(first.clone()), joined(middle), joined(&last)))
        }
        None if sure => {
            let words = words(value)?;
            let [first, middle @ .., last] = &words[..] else { return None };
            Some((Some(first.clone()), joined(middle), Some(last.clone())))
        }
        None => None,
    }
}

/// One to three words that could be names; titles and generations are dropped.
fn words(text: &str) -> Option<Vec<String>> {
    const DROPPED: &[&str] = &["mr", "mrs", "ms", "miss", "dr", "jr", "sr", "ii", "iii", "iv"];
    let bare = |word: &str| word.trim_end_matches('.').to_lowercase();
    let words: Vec<_> =
        text.split_whitespace().filter(|word| !DROPPED.contains(&bare(word).as_str())).collect();
    let plausible = |word: &&str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-' | '.'))
            && !NO_NAMES.contains(&bare(word).as_str())
    };
    let good = (1..=4).contains(&words.len()) && words.iter().all(plausible);
    good.then(|| words.into_iter().map(capitalized).collect())
}

fn one_name(value: &str) -> Option<String> {
    joined(&words(value)?)
}

fn joined(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| words.join(" "))
}

/// `TENNEY` becomes `Tenney`, `O'BRIEN-LEE` becomes `O'Brien-Lee`; mixed case stays as written.
fn capitalized(word: &str) -> String {
    let word = word.trim_end_matches('.');
    if word.chars().any(char::is_lowercase) {
        return word.to_owned();
    }
    let mut start = true;
    let case = |c: char| {
        let out: String = if start { c.to_uppercase().collect() } else { c.to_lowercase().collect() };
        start = !c.is_alphabetic();
        out
    };
    word.chars().map(case).collect()
}

/// A date with a four-digit year at the start of the value. Two digits do not tell 1926 from 2026.
fn date(value: &str) -> Option<NaiveDate> {
    let tokens: Vec<&str> = value.split_whitespace().take(3).collect();
    let first = tokens.first()?.trim_end_matches([',', ';', ')']);
    let formats = ["%m/%d/%Y", "%m-%d-%Y", "%Y-%m-%d", "%m.%d.%Y", "%Y/%m/%d", "%d-%b-%Y"];
    let short = formats.iter().find_map(|format| NaiveDate::parse_from_str(first, format).ok());
    let words = tokens.join(" ");
    let words = words.trim_end_matches([',', ';', ')', '.']);
    let long = ["%B %d, %Y", "%B %d %Y", "%d %B %Y"];
    let long = || long.iter().find_map(|format| NaiveDate::parse_from_str(words, format).ok());
    let credible = |date: &NaiveDate| (1880..=2100).contains(&chrono::Datelike::year(date));
    short.filter(credible).or_else(long).filter(credible)
}

fn gender(value: &str) -> Option<Gender> {
    let word = value.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty())?;
    match word.to_lowercase().as_str() {
        "m" | "male" => Some(Gender::Male),
        "f" | "female" => Some(Gender::Female),
        "un" | "x" | "other" | "nonbinary" | "undifferentiated" => Some(Gender::Undifferentiated),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ExtractedPatient {
        from_text(&[text.to_owned()])
    }

    fn patient(
        first: &str,
        middle: &str,
        last: &str,
        born: &str,
        gender: Option<Gender>,
    ) -> ExtractedPatient {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        ExtractedPatient {
            first_name: some(first),
            middle_name: some(middle),
            last_name: some(last),
            birth_date: born.parse().ok(),
            gender,
            page: Some(1),
        }
    }

    #[test]
    fn labels_with_colons_are_read() {
        let found = read("Patient Name: Desmond A. Pruitt   DOB: 11/08/1957   Sex: M   MRN: 8842");
        assert_eq!(found, patient("Desmond", "A", "Pruitt", "1957-11-08", Some(Gender::Male)));
    }

    #[test]
    fn table_cells_without_borders_are_read() {
        let text = "Patient TENNEY, MARISOL J Date of birth 03/14/1961\nSex Female MRN (TVC) TVC-0048213\n";
        assert_eq!(read(text), patient("Marisol", "J", "Tenney", "1961-03-14", Some(Gender::Female)));
    }

    #[test]
    fn values_below_their_labels_are_read() {
        let text = "Patient name\nO'BRIEN-LEE, SIOBHAN\n\nDate of birth\nMarch 4, 1950\n\nGender\nFemale\n";
        assert_eq!(read(text), patient("Siobhan", "", "O'Brien-Lee", "1950-03-04", Some(Gender::Female)));
    }

    #[test]
    fn names_in_parts_are_read() {
        let found =
            read("Last name: de la Cruz\nLast name: Okafor\nFirst name: Chidi\nBirth date: 1979-01-30");
        assert_eq!(found, patient("Chidi", "", "Okafor", "1979-01-30", None));
    }

    #[test]
    fn prose_and_headings_are_not_taken_for_names() {
        for text in [
            "Patient Information\nName and address on file.",
            "The patient reports improvement, Dr. Lee agrees.",
            "Patient is a 65-year-old woman, sex life unremarkable.",
            "Patient education, Diet and exercise",
            "Name: 12345",
        ] {
            assert!(read(text).is_empty(), "{text:?} gave {:?}", read(text));
        }
    }

    #[test]
    fn two_digit_years_and_impossible_days_are_not_guessed() {
        assert_eq!(read("DOB: 03/14/61").birth_date, None);
        assert_eq!(read("DOB: 02/30/1961").birth_date, None);
        assert_eq!(read("DOB: 03/14/0061").birth_date, None);
    }

    #[test]
    fn the_page_that_tells_most_wins() {
        let pages =
            ["Fax cover\nTo: Front desk", "Patient: Pruitt, Desmond\nDOB 11/08/1957", "Patient: Roe, Jane"];
        let found = from_text(&pages.map(str::to_owned));
        assert_eq!((found.page, found.last_name.as_deref()), (Some(2), Some("Pruitt")));
        assert_eq!(from_text(&[]), ExtractedPatient::default());
    }

    #[test]
    fn text_in_any_script_does_not_break_the_reader() {
        for text in ["Patient: 山田, 太郎", "İİİ Patient name: İpek, Ayşe", "DOB: ١٢/٠٣", "ẞ sex: ", ":::"]
        {
            _ = read(text);
        }
        assert_eq!(read("İİ  Patient name: Yılmaz, Ayşe").last_name.as_deref(), Some("Yılmaz"));
    }
}
