//! Under which words a message is found, beside those that lists show: dates, identifiers and birth date of the patient,
//! how the patient's name sounds, and the text of its documents.

use crate::{model::Patient, sealed::Summary};
use chrono::NaiveDate;
use patients::{dates::parts, values::sound};
use store::{entities::message::Model, search};

/// Marks a word of the index that is a sound: nobody types it, so that a word that is typed never means a sound.
const SOUND: char = 'ƨ';
/// The same for a word of a document.
const OF_DOCUMENT: char = 'ƽ';
/// More words of a search are not looked for in documents when it is told where they stand.
const WORDS_OF_SEARCH: usize = 8;
/// Shorter sounds are shared by too many names.
const SHORTEST_SOUND: usize = 3;

/// The word of the index under which names stand that sound like this word; none for what says too little.
pub fn sounding(word: &str) -> Option<String> {
    if !word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        return None;
    }
    let sound = sound(word).to_lowercase();
    (sound.len() >= SHORTEST_SOUND).then(|| format!("{SOUND}{sound}"))
}

/// What stands in the index for a name that was typed, besides the name itself.
pub fn names_alike(word: &str) -> Vec<String> {
    sounding(word).into_iter().collect()
}

/// What stands in the index for a word that was typed, besides the word itself: in a name, and in a document.
pub fn anywhere(word: &str) -> Vec<String> {
    sounding(word).into_iter().chain([of_document(word)]).collect()
}

fn of_document(word: &str) -> String {
    format!("{OF_DOCUMENT}{word}")
}

/// The words of the index for the text of a document, in their order and each once.
pub fn words_of_document(pages: &[String]) -> Vec<String> {
    let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
    let dates: Vec<String> = texts.iter().flat_map(|text| dates(text)).collect();
    let dates: Vec<&str> = dates.iter().map(String::as_str).collect();
    search::words(&[dates, texts].concat()).iter().map(|word| of_document(word)).collect()
}

/// The words of the index that a document holds when it is found by this text.
pub fn sought_in_documents(text: &str) -> Vec<String> {
    search::words(&[&asked(text)]).iter().take(WORDS_OF_SEARCH).map(|word| of_document(word)).collect()
}

/// Whether a word of a name is meant by one that was typed: by its beginning, or by its sound.
pub fn is_meant(name: &str, typed: &str) -> bool {
    name.starts_with(typed) || sounding(typed).is_some_and(|sound| sounding(name) == Some(sound))
}

/// The dates of a text, each in every order in which it may be looked for.
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

/// What is looked for, with its dates as the index holds them.
pub fn asked(text: &str) -> String {
    let words = parts(text).into_iter().map(|part| part.unwrap_or_else(str::to_owned));
    words.collect::<Vec<_>>().join(" ")
}

/// Identifiers and birth date of a patient; the date in each order in which one is written, with two digits of the year
/// too.
pub fn keys(patient: Option<&Patient>) -> Vec<String> {
    let Some(patient) = patient else { return Vec::new() };
    let others = patient.patient_ids.iter().map(|other| &other.id);
    let ids = patient.patient_id.iter().chain(others).filter(|id| !id.trim().is_empty()).cloned();
    ids.chain(patient.birth_date.into_iter().flat_map(in_all_orders)).collect()
}

/// The texts by whose words a message is found, the most significant first. `of` must be the row as it stands.
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

/// In which texts of a message the words of a search stand. What its documents say is told by the index.
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
