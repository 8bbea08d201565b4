//! Further words in the search index of a message, besides those of lists: dates, the patient's identifiers and birth
//! date, the sound of the patient's name, and the text of documents.

use crate::{model::Patient, sealed::Summary};
use chrono::NaiveDate;
use patients::{dates::parts, values::sound};
use store::{entities::message::Model, search};

/// Marks an index word as a sound. It cannot be typed, so a typed word never matches a sound directly.
const SOUND: char = 'ƨ';
/// Marks an index word as a word of a document.
const OF_DOCUMENT: char = 'ƽ';
/// Maximum number of words of a search that are located in documents, to show where they were found.
const WORDS_OF_SEARCH: usize = 8;
/// Minimum length of a sound: shorter ones are common to too many names.
const SHORTEST_SOUND: usize = 3;

/// The index word for names that sound like this word; `None` if the sound is too short.
pub fn sounding(word: &str) -> Option<String> {
    if !word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        return None;
    }
    let sound = sound(word).to_lowercase();
    (sound.len() >= SHORTEST_SOUND).then(|| format!("{SOUND}{sound}"))
}

/// Index words for a typed name, besides the name itself.
pub fn names_alike(word: &str) -> Vec<String> {
    sounding(word).into_iter().collect()
}

/// Index words for a typed word, besides the word itself: as a name, and as a word of a document.
pub fn anywhere(word: &str) -> Vec<String> {
    sounding(word).into_iter().chain([of_document(word)]).collect()
}

fn of_document(word: &str) -> String {
    format!("{OF_DOCUMENT}{word}")
}

/// Index words for the text of a document, in order and without duplicates.
pub fn words_of_document(pages: &[String]) -> Vec<String> {
    let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
    let dates: Vec<String> = texts.iter().flat_map(|text| dates(text)).collect();
    let dates: Vec<&str> = dates.iter().map(String::as_str).collect();
    search::words(&[dates, texts].concat()).iter().map(|word| of_document(word)).collect()
}

/// Index words of a document that contains this text.
pub fn sought_in_documents(text: &str) -> Vec<String> {
    search::words(&[&asked(text)]).iter().take(WORDS_OF_SEARCH).map(|word| of_document(word)).collect()
}

/// Whether a typed word matches a word of a name, by its beginning or its sound.
pub fn is_meant(name: &str, typed: &str) -> bool {
    name.starts_with(typed) || sounding(typed).is_some_and(|sound| sounding(name) == Some(sound))
}

/// The dates in a text, each in every order that people may search for.
fn dates(text: &str) -> Vec<String> {
    let dates = parts(text).into_iter().filter_map(Result::ok);
    let read = |date: &str| ["%m%d%Y", "%Y%m%d"].iter().find_map(|f| NaiveDate::parse_from_str(date, f).ok());
    dates
        .flat_map(|date| match read(&date) {
            Some(day) if date.len() == 8 => in_all_orders(day).to_vec(),
            _ => vec![date],
        })
        .collect()
}

fn in_all_orders(day: NaiveDate) -> [String; 3] {
    ["%m%d%Y", "%m%d%y", "%Y%m%d"].map(|order| day.format(order).to_string())
}

/// The search text, with dates in the form of the index.
pub fn asked(text: &str) -> String {
    let words = parts(text).into_iter().map(|part| part.unwrap_or_else(str::to_owned));
    words.collect::<Vec<_>>().join(" ")
}

/// Identifiers and birth date of a patient; the date in every common order, also with a two-digit year.
pub fn keys(patient: Option<&Patient>) -> Vec<String> {
    let Some(patient) = patient else { return Vec::new() };
    let others = patient.patient_ids.iter().map(|other| &other.id);
    let ids = patient.patient_id.iter().chain(others).filter(|id| !id.trim().is_empty()).cloned();
    ids.chain(patient.birth_date.into_iter().flat_map(in_all_orders)).collect()
}

/// The texts under which a message is found, most significant first. `of` must be the row in its final state.
pub fn pieces(of: &Model, summary: &Summary) -> Vec<String> {
    let shown = [&summary.subject, &summary.patient_name].map(String::clone);
    let dates = dates(&summary.subject);
    let sounds = search::words(&[&summary.patient_name]).into_iter().filter_map(|word| sounding(&word));
    let people = [&of.from_name, &of.from_address, &of.to_address].map(String::clone);
    let keys = summary.patient_keys.iter().cloned();
    shown
        .into_iter()
        .chain(dates)
        .chain(keys)
        .chain(sounds)
        .chain(people)
        .chain(summary.tags.clone())
        .collect()
}

/// The texts of a message that contain words of the search. The index decides whether a document does.
pub fn places(of: &Model, summary: &Summary, text: &str, is_in_document: bool) -> Vec<String> {
    let asked = search::words(&[&asked(text)]);
    if asked.is_empty() {
        return Vec::new();
    }
    let begins = |texts: &[&str]| {
        let words = search::words(texts);
        asked.iter().any(|asked| words.iter().any(|word| word.starts_with(asked)))
    };
    let names = search::words(&[&summary.patient_name]);
    let is_name = asked.iter().any(|asked| names.iter().any(|name| is_meant(name, asked)));
    let subject: Vec<String> =
        std::iter::once(summary.subject.clone()).chain(dates(&summary.subject)).collect();
    let list = |texts: &[String]| begins(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let found = [
        ("subject", list(&subject)),
        ("patient", is_name),
        ("patient ID or birth date", list(&summary.patient_keys)),
        ("sender", begins(&[&of.from_name, &of.from_address])),
        ("recipient", begins(&[&of.to_address])),
        ("tag", list(&summary.tags)),
        ("document", is_in_document),
    ];
    found.into_iter().filter(|(_, is_found)| *is_found).map(|(place, _)| place.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_found_in_any_form_in_which_it_is_written() {
        let patient = Patient { birth_date: NaiveDate::from_ymd_opt(1979, 7, 2), ..Patient::default() };
        let keys = keys(Some(&patient));
        for typed in
            ["07/02/1979", "7/2/1979", "7-2-79", "1979-07-02", "07021979", "07/02/197", "(07.02.1979)"]
                .into_iter()
                .chain(["Jul 2, 1979", "2 July 1979", "july 2nd 1979", "02-Jul-1979", "JUL. 02 1979"])
        {
            assert!(keys.iter().any(|key| key.starts_with(&asked(typed))), "{typed}");
        }
        assert_eq!(asked("note of Sept 14, 2026 signed"), "note of 09142026 signed");
        for other in ["555-12-3456", "12-34-5678", "MRN-77", "7/2", "May 2 visits", "mar 40 1979", "Jul 1979"]
        {
            assert_eq!(asked(other), other);
        }
    }

    #[test]
    fn a_name_is_found_by_what_sounds_like_it() {
        assert!(is_meant("halloran", "haleran") && is_meant("smith", "smyth") && is_meant("rivera", "riv"));
        assert!(!is_meant("halloran", "harland"));
        assert_eq!((sounding("lee"), sounding("2026")), (None, None));
    }

    #[test]
    fn a_document_is_found_by_its_words_and_its_dates_in_any_order() {
        let words = words_of_document(&["Seen on 2 July 1979.".into(), "Pneumonia; seen".into()]);
        for sought in ["pneumonia", "SEEN", "7/2/79", "1979-07-02", "Jul 2, 1979"] {
            let sought = sought_in_documents(sought);
            assert!(!sought.is_empty() && sought.iter().all(|word| words.contains(word)), "{sought:?}");
        }
        assert!(!words.contains(&"pneumonia".to_owned()), "nobody is found as if it were a name or subject");
        assert_eq!(words.iter().filter(|word| word.ends_with("seen")).count(), 1);
    }
}
