//! Whether a patient is what was asked for: a server that ignores a parameter must not give somebody else.

use crate::model::{Gender, Patient, PatientQuery};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Whether the patient matches. `born` is the birth date as it is written, which may be a year or a month alone.
///
/// An operation `$match` finds names that are only similar, which is what it is for (`is_similar`).
pub(crate) fn matches(query: &PatientQuery, patient: &Patient, born: Option<&str>, is_similar: bool) -> bool {
    let same_born = query.born.is_none_or(|asked| {
        born.is_none_or(|born| asked.to_string().starts_with(born.get(..10).unwrap_or(born)))
    });
    let same_id = query.id.as_ref().is_none_or(|id| *id == patient.id);
    let same_number = query.record_number.as_ref().is_none_or(|number| {
        let number = number.trim();
        patient.identifiers.iter().any(|identifier| identifier.value.eq_ignore_ascii_case(number))
    });
    let same_gender = query.gender.is_none_or(|asked| {
        asked == patient.gender || asked == Gender::Unknown || patient.gender == Gender::Unknown
    });
    let same_facility = match (&query.facility, &patient.facility) {
        (Some(asked), Some(found)) => asked == found,
        _ => true,
    };
    let same_person = same_born && same_id && same_number && same_gender && same_facility;
    same_person && (is_similar || has_names(query, patient))
}

fn has_names(query: &PatientQuery, patient: &Patient) -> bool {
    let family: Vec<String> =
        [&patient.family].into_iter().chain(&patient.former_names).map(|name| plain(name)).collect();
    let given = [plain(&patient.given), plain(&patient.middle)];
    let has = |names: &[String], asked: &str| {
        let asked = plain(asked);
        names.iter().any(|name| name.contains(&asked))
    };
    let any: Vec<String> = family.iter().chain(&given).cloned().collect();
    query.family.as_ref().is_none_or(|asked| has(&family, asked))
        && query.given.as_ref().is_none_or(|asked| words(asked).all(|word| has(&given, word)))
        && query.name.as_ref().is_none_or(|asked| words(asked).all(|word| has(&any, word)))
}

/// The words of a name.
pub(crate) fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split([' ', ',', '\t']).filter(|word| !word.is_empty())
}

/// Letters and digits alone, in lower case and without accents: `O'Rourke` and `ORourke` are the same.
pub(crate) fn plain(name: &str) -> String {
    let letters = name.nfd().filter(|c| !is_combining_mark(*c) && c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
