//! Accuracy of matching, measured on invented pairs with known results.

use super::{
    compare::{Certainty, Comparison},
    values::Values,
};
use crate::model::Patient;
use chrono::{Datelike, NaiveDate};
use store::search::folded;

fn said(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// First, middle and last name, birth date, gender, number, telephone, street, postal code.
const PEOPLE: &[[&str; 9]] = &[
    ["Marisol", "Jane", "Tenney", "1961-03-14", "F", "LFM-20417", "5550100142", "27 Orchard Row", "43999"],
    [
        "Desmond",
        "Lee",
        "Pruitt",
        "1957-11-08",
        "M",
        "LFM-08842",
        "5550100164",
        "118 Cedar Hollow Road",
        "43999",
    ],
    ["Bridget", "", "O’Halloran", "1979-07-02", "F", "LFM-11873", "5550100171", "9 Mill Lane", "44001"],
    [
        "Chidi",
        "Emeka",
        "Okafor",
        "1979-01-30",
        "M",
        "LFM-33109",
        "5550100118",
        "450 N Summit Avenue",
        "44017",
    ],
    ["Robert", "Alan", "Whitlock", "1948-09-21", "M", "LFM-00512", "5550100133", "3 Quarry Court", "43999"],
    [
        "Margaret",
        "Rose",
        "Delacroix",
        "1933-12-05",
        "F",
        "LFM-00077",
        "5550100120",
        "71 Station Street",
        "44002",
    ],
    [
        "José",
        "Luis",
        "García López",
        "1990-05-17",
        "M",
        "LFM-41220",
        "5550100155",
        "2040 Harbor View",
        "44018",
    ],
    ["Siobhan", "", "O'Brien-Lee", "1950-03-04", "F", "LFM-07311", "5550100149", "15 Birch Terrace", "43998"],
    [
        "Aiyana",
        "Dawn",
        "Redfeather",
        "2004-08-26",
        "F",
        "LFM-52004",
        "5550100187",
        "806 Prairie Drive",
        "44020",
    ],
    [
        "Stephen",
        "Paul",
        "Kowalczyk",
        "1966-10-12",
        "M",
        "LFM-19930",
        "5550100138",
        "62 Foundry Street",
        "44001",
    ],
    ["Priya", "", "Nandakumar", "1985-02-09", "F", "LFM-38871", "5550100112", "1207 Lakeshore Blvd", "44017"],
    ["William", "Henry", "Ashgrove", "1942-06-30", "M", "LFM-00190", "5550100129", "5 Chapel Hill", "43998"],
    [
        "Katherine",
        "Anne",
        "Vandermeer",
        "1972-04-18",
        "F",
        "LFM-24466",
        "5550100160",
        "33 Windmill Way",
        "44002",
    ],
    ["Tobias", "", "Lindqvist", "2015-01-22", "M", "LFM-60931", "5550100176", "210 Fern Street", "44020"],
    ["Elizabeth", "Grace", "Mbeki", "1969-12-19", "F", "LFM-22815", "5550100181", "94 Granite Road", "44018"],
    ["Giovanni", "", "Castellano", "1938-02-11", "M", "LFM-00341", "5550100109", "17 Olive Court", "43999"],
];

fn person(row: &[&str; 9]) -> Patient {
    let [first, middle, last, born, gender, id, telephone, street, postal_code] = *row;
    Patient {
        patient_id: said(id),
        first_name: said(first),
        middle_name: said(middle),
        last_name: said(last),
        birth_date: born.parse().ok(),
        gender: said(gender),
        telephone: said(telephone),
        street_address1: said(street),
        postal_code: said(postal_code),
        ..Patient::default()
    }
}

/// A person as read from a document.
fn read(known: &Patient) -> Patient {
    Patient {
        patient_id: None,
        telephone: None,
        street_address1: None,
        postal_code: None,
        middle_name: None,
        ..known.clone()
    }
}

fn shifted(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if letters.len() > 4 {
        letters.swap(2, 3);
    }
    letters.into_iter().collect()
}

fn on(date: NaiveDate, change: impl Fn(NaiveDate) -> Option<NaiveDate>) -> Option<NaiveDate> {
    change(date).or(Some(date))
}

/// Variants of the same person in documents.
fn same(known: &Patient) -> Vec<Patient> {
    let [first, last] = [&known.first_name, &known.last_name].map(|name| name.clone().unwrap_or_default());
    let born = known.birth_date.expect("a birth date");
    let plain = read(known);
    let nickname = match first.as_str() {
        "Robert" => "Bob",
        "Margaret" => "Peggy",
        "Stephen" => "Steve",
        "William" => "Bill",
        "Katherine" => "Kathy",
        "Elizabeth" => "Liz",
        other => &other[..1],
    };
    vec![
        known.clone(),
        plain.clone(),
        Patient {
            first_name: said(&folded(&first).to_uppercase()),
            last_name: said(&folded(&last).to_uppercase()),
            ..plain.clone()
        },
        Patient { middle_name: known.middle_name.as_ref().map(|name| name[..1].to_owned()), ..plain.clone() },
        Patient { first_name: said(nickname), ..plain.clone() },
        Patient { last_name: said(&shifted(&last)), ..plain.clone() },
        Patient { first_name: said(&shifted(&first)), gender: None, ..plain.clone() },
        Patient { first_name: said(&last), last_name: said(&first), ..plain.clone() },
        Patient {
            birth_date: on(born, |born| NaiveDate::from_ymd_opt(born.year(), born.day(), born.month())),
            ..plain.clone()
        },
        Patient { birth_date: on(born, |born| born.with_year(born.year() + 1)), ..plain.clone() },
        Patient { birth_date: None, telephone: known.telephone.clone(), ..plain.clone() },
        Patient { last_name: said("Featherstone"), patient_id: known.patient_id.clone(), ..plain.clone() },
        Patient {
            birth_date: NaiveDate::from_ymd_opt(1900, 1, 1),
            patient_id: known.patient_id.clone(),
            ..plain.clone()
        },
        Patient {
            telephone: said("5550100999"),
            street_address1: said("1 New Street"),
            postal_code: said("90210"),
            ..plain
        },
    ]
}

/// Different people in documents who are as similar as possible.
fn others(known: &Patient, stranger: &Patient) -> Vec<Patient> {
    let born = known.birth_date.expect("a birth date");
    let at_home = Patient { patient_id: None, middle_name: None, ..known.clone() };
    let first = |name: &str, birth_date| Patient { first_name: said(name), birth_date, ..at_home.clone() };
    vec![
        // A spouse, a child, and a child of the same name.
        first("Rosalind", born.with_year(born.year() + 2).and_then(|date| date.with_month(7))),
        first("Quentin", born.with_year(born.year() + 27)),
        Patient { birth_date: NaiveDate::from_ymd_opt(born.year() + 27, 10, 27), ..at_home.clone() },
        // Same last name only, same birth date only, same name only.
        Patient { first_name: said("Hildegard"), birth_date: None, ..read(known) },
        Patient { birth_date: Some(born), ..read(stranger) },
        Patient {
            birth_date: NaiveDate::from_ymd_opt(born.year() + 11, 10, 27),
            gender: None,
            ..read(known)
        },
        Patient { birth_date: Some(born), gender: known.gender.clone(), ..nobody() },
        read(stranger),
    ]
}

fn nobody() -> Patient {
    Patient { first_name: said("Baby Boy"), last_name: said("Unknown"), ..Patient::default() }
}

#[derive(Default)]
struct Tally {
    true_certain: usize,
    false_certain: usize,
    true_found: usize,
    false_found: usize,
    same: usize,
}

#[test]
fn on_labelled_pairs_nobody_is_certainly_another_and_nearly_everybody_is_found() {
    let people: Vec<Patient> = PEOPLE.iter().map(person).collect();
    let mut tally = Tally::default();
    for (at, known) in people.iter().enumerate() {
        let stranger = &people[(at + 5) % people.len()];
        let pairs = same(known).into_iter().map(|one| (one, true));
        for (one, is_same) in pairs.chain(others(known, stranger).into_iter().map(|one| (one, false))) {
            let (values, known_values) = (Values::of(&one), Values::of(known));
            // Only patients with a common token are compared.
            let is_compared = !values.passes().is_disjoint(&known_values.passes());
            let found = Comparison::of(&values, &known_values).certainty.filter(|_| is_compared);
            let (is_found, is_certain) = (found.is_some(), found == Some(Certainty::Certain));
            tally.same += usize::from(is_same);
            tally.true_found += usize::from(is_same && is_found);
            tally.true_certain += usize::from(is_same && is_certain);
            tally.false_certain += usize::from(!is_same && is_certain);
            tally.false_found += usize::from(!is_same && is_found);
            assert!(is_same || !is_certain, "{one:?} is certainly not {known:?}");
        }
    }
    let share = |part: usize, of: usize| part as f64 / of as f64;
    let recall = share(tally.true_found, tally.same);
    let precision = share(tally.true_found, tally.true_found + tally.false_found);
    let certain = share(tally.true_certain, tally.same);
    println!("found: precision {precision:.3}, recall {recall:.3}; certain: recall {certain:.3}");
    assert_eq!(tally.false_certain, 0);
    assert!(recall >= 0.95, "recall {recall:.3}");
    assert!(precision >= 0.85, "precision {precision:.3}");
    assert!(certain >= 0.35, "certain {certain:.3}");
}
