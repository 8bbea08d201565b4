//! Reads the patient of a document. The result is a suggestion that a person confirms.

use std::ops::Range;

use chrono::NaiveDate;
use clinical::cda::{ClinicalDocument, Gender, us_number};
use serde::{Deserialize, Serialize};

use crate::contact;
use crate::places::{Area, PlacedText};

/// A value of a patient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Field {
    FirstName,
    MiddleName,
    LastName,
    BirthDate,
    Gender,
    /// A number of the patient, such as a record number.
    Identifier,
    Street,
    City,
    State,
    PostalCode,
    Telephone,
}

impl Field {
    const ALL: [Self; 11] = [
        Self::FirstName,
        Self::MiddleName,
        Self::LastName,
        Self::BirthDate,
        Self::Gender,
        Self::Identifier,
        Self::Street,
        Self::City,
        Self::State,
        Self::PostalCode,
        Self::Telephone,
    ];
}

/// Position of a value that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    pub field: Field,
    /// Counted from 1.
    pub page: u32,
    pub area: Area,
    /// Confidence of the text recognition, 0 to 1.
    pub confidence: f32,
}

/// Patient details that were read; empty where nothing was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// Record number in the numbering of the document's author.
    pub identifier: Option<String>,
    /// Street with number and unit.
    pub street: Option<String>,
    /// City.
    pub city: Option<String>,
    /// Two letters.
    pub state: Option<String>,
    /// ZIP code.
    pub postal_code: Option<String>,
    /// Ten digits.
    pub telephone: Option<String>,
    /// For a package: the patients named by its metadata and by its documents. They may include other people.
    #[serde(default)]
    pub named: Named,
    /// Page with the details, counted from 1; empty for structured documents.
    pub page: Option<u32>,
    /// Positions of the values, if known. Texts without pages have none.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// What all pages say, not only the one with the details.
    #[serde(default)]
    pub pages: Pages,
}

/// The patients on the pages of a document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pages {
    /// Names and birth dates, without repetitions.
    pub patients: Vec<ExtractedPatient>,
    /// Whether everything was read: a page that was not may be about somebody else.
    pub are_read: bool,
}

/// Maximum number of letters that a page may contain as text if it is a picture, such as a fax header or a stamp.
pub(crate) const LETTERS_OF_A_PICTURE: usize = 200;
/// Maximum number of patients that are kept of a document.
const PATIENTS_MAX: usize = 20;

impl Pages {
    /// Of a document that names its patient in one place.
    pub(crate) fn of_one() -> Self {
        Self { patients: Vec::new(), are_read: true }
    }

    /// Of pages with text.
    pub(crate) fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let (mut pages, mut is_first) = (Self::of_one(), true);
        for text in texts {
            pages.add(&from_page(text).patient, letters(text));
            is_first = false;
        }
        Self { are_read: pages.are_read && !is_first, ..pages }
    }

    /// Adds a page. One with few letters is read only if they name a patient: the rest may be a picture.
    pub(crate) fn add(&mut self, found: &ExtractedPatient, letters: usize) {
        let is_patient = found.last_name.is_some() && found.birth_date.is_some();
        self.are_read &= is_patient || letters > LETTERS_OF_A_PICTURE;
        let person = ExtractedPatient {
            first_name: found.first_name.clone(),
            middle_name: found.middle_name.clone(),
            last_name: found.last_name.clone(),
            birth_date: found.birth_date,
            ..ExtractedPatient::default()
        };
        if person.is_empty() || self.patients.contains(&person) {
            return;
        }
        match self.patients.len() < PATIENTS_MAX {
            true => self.patients.push(person),
            false => self.are_read = false,
        }
    }
}

/// Number of letters and digits of a text.
pub(crate) fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// The patients named by the parts of a package, without repetitions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Named {
    /// Patients in the metadata.
    pub by_metadata: Vec<ExtractedPatient>,
    /// Patients in the documents.
    pub by_documents: Vec<ExtractedPatient>,
}

impl ExtractedPatient {
    /// Number of details that distinguish a page with the patient from other pages.
    pub(crate) fn facts(&self) -> usize {
        usize::from(self.last_name.is_some())
            + usize::from(self.birth_date.is_some())
            + usize::from(self.gender.is_some())
    }

    /// Whether all details were found.
    pub(crate) fn is_complete(&self) -> bool {
        self.facts() == 3
    }

    /// Sets the page of the details.
    pub(crate) fn on_page(mut self, page: u32) -> Self {
        self.page = Some(page);
        self.marks.iter_mut().for_each(|mark| mark.page = page);
        self
    }

    fn has(&self, field: Field) -> bool {
        match field {
            Field::FirstName => self.first_name.is_some(),
            Field::MiddleName => self.middle_name.is_some(),
            Field::LastName => self.last_name.is_some(),
            Field::BirthDate => self.birth_date.is_some(),
            Field::Gender => self.gender.is_some(),
            Field::Identifier => self.identifier.is_some(),
            Field::Street => self.street.is_some(),
            Field::City => self.city.is_some(),
            Field::State => self.state.is_some(),
            Field::PostalCode => self.postal_code.is_some(),
            Field::Telephone => self.telephone.is_some(),
        }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self == &Self { page: self.page, pages: self.pages.clone(), ..Self::default() }
    }
}

/// Takes the patient of a CDA document; empty for a document about several people, because none of them is
/// the patient of the whole document.
pub fn from_cda(document: &ClinicalDocument) -> ExtractedPatient {
    let Some(patient) = document.only_patient() else {
        return ExtractedPatient::default();
    };
    let address = patient.address.clone().unwrap_or_default();
    let street = address.lines.join(", ");
    ExtractedPatient {
        first_name: patient.name.first.clone(),
        middle_name: patient.name.middle.clone(),
        last_name: patient.name.last.clone(),
        birth_date: patient.birth_date,
        gender: patient.gender,
        identifier: patient.record_numbers().into_iter().find_map(|id| id.extension.clone()),
        street: Some(street).filter(|street| !street.is_empty()),
        city: address.city,
        state: address.state,
        postal_code: address.postal_code,
        telephone: patient.phone().and_then(us_number),
        ..ExtractedPatient::default()
    }
}

/// Takes the patient of a package: from its metadata, else from its documents.
pub(crate) fn from_package(named: Named) -> ExtractedPatient {
    let first = named.by_metadata.first().or(named.by_documents.first()).cloned();
    ExtractedPatient { named, ..first.unwrap_or_default() }
}

/// Reads patient details from the text of pages, by the labels that clinics print: Patient, Name, DOB, Sex
/// and similar ones. The page with the most details wins, the first one on a tie. Prose is not interpreted:
/// nothing is guessed without a label and a value of the right form.
pub fn from_text(pages: &[String]) -> ExtractedPatient {
    best(pages.iter().map(|page| from_page(page).patient))
}

/// As [`from_text`], with the positions of the values.
pub fn from_places(pages: &[PlacedText]) -> ExtractedPatient {
    best(pages.iter().map(|page| {
        let Read { patient, spans } = from_page(&page.text);
        let mark = |(field, span): (Field, Range<usize>)| {
            let (area, confidence) = page.found(&span)?;
            Some(Mark { field, page: 1, area, confidence })
        };
        ExtractedPatient { marks: spans.into_iter().filter_map(mark).collect(), ..patient }
    }))
}

fn best(pages: impl Iterator<Item = ExtractedPatient>) -> ExtractedPatient {
    let mut best = ExtractedPatient::default();
    for (found, page) in pages.zip(1..) {
        if found.facts() > best.facts() {
            best = found.on_page(page);
        }
    }
    best
}

/// Combines several readings of one page, each with its sure words only and with its unsure words too. A
/// value needs two readings and more than any other value. Numbers and addresses have no form that would
/// reveal a misreading, so they also need to be undisputed. Telephone numbers are never taken: they have no
/// check digit, and all readings tend to misread the same digits.
pub(crate) fn agreed(readings: &[ExtractedPatient], unsure: &[ExtractedPatient]) -> ExtractedPatient {
    let text = |field: fn(&ExtractedPatient) -> &Option<String>, rule: Rule| {
        let of =
            |list: &[ExtractedPatient]| list.iter().filter_map(|one| field(one).clone()).collect::<Vec<_>>();
        voted(&of(readings), &of(unsure), |a, b| a.eq_ignore_ascii_case(b), rule)
    };
    let of_form = |readings: &[ExtractedPatient]| {
        (
            readings.iter().filter_map(|reading| reading.birth_date).collect::<Vec<_>>(),
            readings.iter().filter_map(|reading| reading.gender).collect::<Vec<_>>(),
        )
    };
    let ((dates, genders), (unsure_dates, unsure_genders)) = (of_form(readings), of_form(unsure));
    let mut agreed = ExtractedPatient {
        first_name: text(|reading| &reading.first_name, Rule::Name),
        middle_name: text(|reading| &reading.middle_name, Rule::Name),
        last_name: text(|reading| &reading.last_name, Rule::Name),
        birth_date: voted(&dates, &unsure_dates, PartialEq::eq, Rule::Form),
        gender: voted(&genders, &unsure_genders, PartialEq::eq, Rule::Form),
        identifier: text(|reading| &reading.identifier, Rule::Number),
        street: text(|reading| &reading.street, Rule::Number),
        city: text(|reading| &reading.city, Rule::Number),
        state: text(|reading| &reading.state, Rule::Number),
        postal_code: text(|reading| &reading.postal_code, Rule::Number),
        telephone: None,
        ..ExtractedPatient::default()
    };
    for mark in readings.iter().flat_map(|reading| &reading.marks) {
        if agreed.has(mark.field) && agreed.marks.iter().all(|known| known.field != mark.field) {
            agreed.marks.push(mark.clone());
        }
    }
    agreed
}

/// Rule for agreement of readings on a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Name,
    /// A misread value is rarely valid.
    Form,
    /// A misread value looks as valid as the right one.
    Number,
}

/// Number of equal sure readings that is required.
const SURE: usize = 2;
/// Number of equal unsure readings that contradict another value.
const CONTRADICTING: usize = 2;
/// Number of equal unsure readings that count as sure, if no reading has another value.
const SURE_TOGETHER: usize = 3;

/// The undisputed value on which the readings agree.
fn voted<T: Clone>(sure: &[T], unsure: &[T], is_same: impl Fn(&T, &T) -> bool, rule: Rule) -> Option<T> {
    let votes = |list: &[T], value: &T| list.iter().filter(|other| is_same(value, other)).count();
    // The first of equally frequent values.
    let most = |list: &[T]| list.iter().rev().max_by_key(|value| votes(list, value)).cloned();
    let disputed = |list: &[T], value: &T, least: usize| {
        list.iter().any(|other| !is_same(value, other) && votes(list, other) >= least)
    };
    if let Some(value) = most(sure) {
        let count = votes(sure, &value);
        let rivals = if rule == Rule::Number { 1 } else { count };
        let is_clear = !disputed(sure, &value, rivals) && !disputed(unsure, &value, CONTRADICTING);
        return (is_clear && count >= SURE).then_some(value);
    }
    let value = most(unsure).filter(|_| rule == Rule::Form)?;
    (votes(unsure, &value) >= SURE_TOGETHER && !disputed(unsure, &value, 1)).then_some(value)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    /// "Patient name": a name in any usual form follows.
    Name,
    /// "Patient" or "Name": something other than a name may follow.
    WeakName,
    FirstName,
    MiddleName,
    LastName,
    BirthDate,
    Sex,
    Identifier,
    Telephone,
    Address,
    /// Another label: only ends the value before it.
    Other,
}

/// Labels in lower case. A longer label comes before its own beginnings.
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
    ("patient address", Label::Address),
    ("patient phone", Label::Telephone),
    ("patient number", Label::Identifier),
    ("patient id", Label::Identifier),
    ("medical record number", Label::Identifier),
    ("medical record no.", Label::Identifier),
    ("chart number", Label::Identifier),
    ("mrn", Label::Identifier),
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
    ("home phone", Label::Telephone),
    ("cell phone", Label::Telephone),
    ("mobile phone", Label::Telephone),
    ("telephone", Label::Telephone),
    ("phone", Label::Telephone),
    ("home address", Label::Address),
    ("address", Label::Address),
    ("account", Label::Other),
    ("insurance", Label::Other),
    ("collected", Label::Other),
    ("received", Label::Other),
    ("reported", Label::Other),
    ("specimen", Label::Other),
    ("ssn", Label::Other),
    ("age", Label::Other),
    ("date", Label::Other),
];

/// A label on a line: its start, and the start of its value.
#[derive(Debug, Clone, Copy)]
struct Found {
    label: Label,
    start: usize,
    value: usize,
    /// Whether a colon follows.
    colon: bool,
}

/// Details on a page, and the byte ranges of their values.
#[derive(Default)]
struct Read {
    patient: ExtractedPatient,
    spans: Vec<(Field, Range<usize>)>,
}

/// Number of lines after the last patient detail in which contact details are still the patient's.
const LINES_OF_PATIENT: usize = 3;

impl Read {
    /// Keeps the first value of each kind: later ones more often belong to somebody else. `value` must be a
    /// slice of `page`. Returns whether there was a new value.
    fn note(&mut self, page: &str, found: Found, value: &str, below: Option<&str>) -> bool {
        let known = Field::ALL.map(|field| self.patient.has(field));
        note(&mut self.patient, found, value, below);
        // The issuer of a number is printed in brackets before it.
        let value = match found.label {
            Label::Identifier if value.starts_with('(') => {
                value.split_once(')').map_or(value, |(_, number)| number.trim_start())
            }
            _ => value,
        };
        // A wide gap ends the value.
        let printed = value.split("  ").next().unwrap_or(value);
        let start = (printed.as_ptr() as usize).saturating_sub(page.as_ptr() as usize);
        let before = self.spans.len();
        for (field, was_known) in Field::ALL.into_iter().zip(known) {
            if !was_known && self.patient.has(field) {
                self.spans.push((field, start..start + printed.len()));
            }
        }
        self.spans.len() > before
    }
}

fn from_page(page: &str) -> Read {
    let mut read = Read::default();
    // The last line with a patient detail; reset once somebody else is named.
    let mut told: Option<usize> = None;
    // The patient and others share a line, so a number cannot be attributed.
    let mut is_mixed = false;
    let lines: Vec<&str> = page.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    for (index, line) in lines.iter().enumerate() {
        let labels = labels(line);
        let is_of_others = contact::tells_of_others(line);
        for (at, found) in labels.iter().enumerate() {
            let end = labels.get(at + 1).map_or(line.len(), |next| next.start);
            let here = clean(&line[found.value..end]);
            let below = lines.get(index + 1).copied();
            let below = below.filter(|line| self::labels(line).first().is_none_or(|found| found.start > 0));
            let under = below.filter(|_| here.is_empty());
            let under = under.and_then(|below| value_below(line, found.start, below));
            let (value, next) = match under {
                Some(under) => (under, lines.get(index + 2).copied()),
                None => (here, below),
            };
            let is_contact = matches!(found.label, Label::Telephone | Label::Address);
            let is_near = told.is_some_and(|told| index - told <= LINES_OF_PATIENT);
            let is_theirs = is_near && !is_of_others && !is_mixed;
            if (is_theirs || !is_contact) && read.note(page, *found, value, next) {
                told = Some(index);
            }
        }
        if is_of_others {
            let is_of_patient =
                |found: &Found| !matches!(found.label, Label::Telephone | Label::Address | Label::Other);
            is_mixed |= told == Some(index) || labels.iter().any(is_of_patient);
            told = None;
        }
    }
    read
}

/// The value below a lone label, or in the same column below a row of labels.
fn value_below<'a>(line: &str, label: usize, below: &'a str) -> Option<&'a str> {
    let cells = |line: &'a str| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
    let before = line[..label].split("  ").filter(|cell| !cell.trim().is_empty()).count();
    let columns = line.split("  ").filter(|cell| !cell.trim().is_empty()).count();
    if columns == 1 {
        return Some(below);
    }
    (cells(below).count() == columns).then(|| cells(below).nth(before)).flatten()
}

fn note(patient: &mut ExtractedPatient, found: Found, value: &str, below: Option<&str>) {
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
        Label::Identifier if patient.identifier.is_none() => patient.identifier = contact::identifier(value),
        Label::Telephone if patient.telephone.is_none() => patient.telephone = contact::telephone(value),
        Label::Address if patient.street.is_none() => {
            if let Some(read) = contact::address(value, below) {
                (patient.street, patient.city) = (Some(read.street), Some(read.city));
                (patient.state, patient.postal_code) = (Some(read.state), Some(read.postal_code));
            }
        }
        _ => {}
    }
}

/// All labels of a line, from left to right.
fn labels(line: &str) -> Vec<Found> {
    // The offsets apply to the line because ASCII lower case keeps the length.
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
    // In running text, a single word is not a label.
    let alone =
        at == 0 || colon || lower[..at].ends_with(['\t', '|', '(', ';']) || lower[..at].ends_with("  ");
    let weak = matches!(label, Label::WeakName | Label::Telephone | Label::Address | Label::Other)
        || *words == "sex"
        || *words == "gender";
    let plain_words = matches!(*words, "name" | "re" | "date" | "age" | "received" | "reported");
    if (plain_words && !(colon || after.trim().is_empty() && at == 0))
        || (weak && !alone && !words_follow_value(lower, at))
    {
        return None;
    }
    let skipped = after.len() - after.trim_start_matches([' ', '\t', ':', '#']).len();
    Some(Found { label: *label, start: at, value: at + words.len() + skipped, colon })
}

/// Whether a label may follow a value without punctuation: behind a digit, or on a line that begins with
/// "patient". Table cells lose their borders in text: "Patient TENNEY, MARISOL J Sex Female".
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

/// Parses `Last, First Middle`, or `First Middle Last` if the label leaves no doubt.
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

/// The words of a value that may be a name, without titles and generations (Jr., III).
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

/// Converts `TENNEY` to `Tenney` and `O'BRIEN-LEE` to `O'Brien-Lee`; mixed case is kept.
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

/// A date with a four-digit year at the start of the value. Two digits do not distinguish 1926 from 2026.
fn date(value: &str) -> Option<NaiveDate> {
    let tokens: Vec<&str> = value.split_whitespace().take(3).collect();
    let first = tokens.first()?.trim_end_matches([',', ';', ')', '.', ':', '»', '’']);
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
mod tests;
