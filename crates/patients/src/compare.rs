//! Similarity of two patients: weights of agreements and differences, and the resulting certainty.

use super::values::{Values, sound};
use crate::model::Patient;
use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use strsim::jaro_winkler;
use utoipa::ToSchema;

/// Certainty that two patients are the same person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[schema(as = PatientMatchCertainty)]
pub enum Certainty {
    Possible,
    Certain,
}

/// A compared field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PatientMatchField)]
pub enum Field {
    LastName,
    FirstName,
    MiddleName,
    /// Such as "Jr.".
    Suffix,
    BirthDate,
    Gender,
    PatientId,
    Telephone,
    Address,
}

/// Relation of two values. A missing value is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PatientMatchAgreement)]
pub enum Agreement {
    Agrees,
    /// A nickname, an initial, or a typing error.
    Similar,
    Differs,
}

/// Result for one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PatientMatchDetail)]
pub struct FieldMatch {
    pub field: Field,
    pub agreement: Agreement,
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub fields: Vec<FieldMatch>,
    /// Base-2 logarithm of the odds that both are the same person.
    pub odds: f64,
    /// None if they do not count as the same person.
    pub certainty: Option<Certainty>,
}

/// Base-2 logarithm of the odds, before comparison, that two records with a common blocking token are one person.
const PRIOR: f64 = -12.0;
/// 250 to 1.
const CERTAIN: f64 = 8.0;
/// One in five.
const POSSIBLE: f64 = -2.0;
/// Most weight of telephone number and address together: people of one household share both.
const CONTACT_MAX: f64 = 9.0;
/// The same if the first name or the birth date differs, which distinguishes relatives.
const CONTACT_OF_RELATIVES: f64 = 1.5;
/// One in two: most weight of merely similar names if the record numbers differ.
const OF_TWINS: f64 = 0.0;
const ALIKE: f64 = 0.9;

/// Share of pairs of one person, and of pairs of two people, with each agreement. The weights follow from them. They
/// are estimates from publications about registration desks, not counts of an installation.
fn shares(field: Field, agreement: Agreement) -> (f64, f64) {
    use Agreement::{Agrees, Differs, Similar};
    match (field, agreement) {
        (Field::LastName, Agrees) => (0.9, 0.004),
        (Field::LastName, Similar) => (0.07, 0.006),
        (Field::LastName, Differs) => (0.03, 0.99),
        (Field::FirstName, Agrees) => (0.85, 0.008),
        (Field::FirstName, Similar) => (0.12, 0.02),
        (Field::FirstName, Differs) => (0.03, 0.97),
        (Field::MiddleName, Agrees) => (0.9, 0.08),
        (Field::MiddleName, Similar) => (0.5, 0.25),
        (Field::MiddleName, Differs) => (0.08, 0.9),
        (Field::Suffix, Agrees | Similar) => (0.9, 0.5),
        (Field::Suffix, Differs) => (0.02, 0.5),
        (Field::BirthDate, Agrees) => (0.93, 0.0001),
        (Field::BirthDate, Similar) => (0.05, 0.004),
        (Field::BirthDate, Differs) => (0.02, 0.995),
        (Field::Gender, Agrees | Similar) => (0.98, 0.5),
        (Field::Gender, Differs) => (0.02, 0.5),
        (Field::PatientId, Agrees | Similar) => (0.9, 0.000_05),
        // The other organization may have used its own number.
        (Field::PatientId, Differs) => (0.5, 0.999),
        (Field::Telephone, Agrees | Similar) => (0.6, 0.0005),
        (Field::Telephone, Differs) => (0.4, 0.999),
        (Field::Address, Agrees) => (0.6, 0.001),
        (Field::Address, Similar) => (0.15, 0.03),
        (Field::Address, Differs) => (0.25, 0.97),
    }
}

fn weight(found: &FieldMatch) -> f64 {
    let (same, other) = shares(found.field, found.agreement);
    (same / other).log2()
}

impl Comparison {
    pub fn of(one: &Values, other: &Values) -> Self {
        let straight = Self::weighed(fields(one, other));
        // Forms sometimes swap first and last name.
        let turned = Values { first: other.last.clone(), last: other.first.clone(), ..other.clone() };
        let turned = Self::weighed(soften(fields(one, &turned)));
        if turned.odds > straight.odds { turned } else { straight }
    }

    /// Estimated percentage of such pairs that are one person; never 100.
    pub fn percent(&self) -> u8 {
        let probability = 1.0 / (1.0 + (-self.odds).exp2());
        (probability * 100.0).round().clamp(0.0, 99.0) as u8
    }

    fn weighed(fields: Vec<FieldMatch>) -> Self {
        let of = |field| fields.iter().find(|found| found.field == field).map(|found| found.agreement);
        let differs = |field| of(field) == Some(Agreement::Differs);
        let agrees = |field| of(field) == Some(Agreement::Agrees);
        let is_contact = |found: &&FieldMatch| matches!(found.field, Field::Telephone | Field::Address);
        let are_relatives = differs(Field::FirstName) || differs(Field::BirthDate);
        let contact: f64 = fields.iter().filter(is_contact).map(weight).sum();
        let contact = contact.min(if are_relatives { CONTACT_OF_RELATIVES } else { CONTACT_MAX });
        let own: f64 = fields.iter().filter(|found| !is_contact(found)).map(weight).sum();
        // Twins share the last name and the birth date, and often the start of the first name.
        let may_be_twins = differs(Field::PatientId) && !agrees(Field::FirstName);
        let odds = (PRIOR + own + contact).min(if may_be_twins { OF_TWINS } else { f64::INFINITY });

        let person = [
            Field::LastName,
            Field::FirstName,
            Field::MiddleName,
            Field::Suffix,
            Field::BirthDate,
            Field::Gender,
        ];
        let contradicts = person.into_iter().chain([Field::PatientId]).any(differs);
        let is_named = agrees(Field::LastName) && agrees(Field::FirstName);
        let has_id = agrees(Field::PatientId) && (agrees(Field::LastName) || agrees(Field::FirstName));
        let is_certain = odds >= CERTAIN && !contradicts && agrees(Field::BirthDate) && (is_named || has_id);
        let is_nobody = differs(Field::FirstName) && differs(Field::BirthDate) && !agrees(Field::PatientId);
        let certainty = match odds {
            _ if is_nobody => None,
            _ if is_certain => Some(Certainty::Certain),
            odds if odds >= POSSIBLE => Some(Certainty::Possible),
            _ => None,
        };
        Self { fields, odds, certainty }
    }
}

/// Whether both are certainly the same person, or have exactly the same values.
pub fn is_same(one: &Patient, other: &Patient) -> bool {
    let (one, other) = (Values::of(one), Values::of(other));
    let said = |of: &Values| (of.last.clone(), of.first.clone(), of.born, of.ids.clone());
    let is_certain = || Comparison::of(&one, &other).certainty == Some(Certainty::Certain);
    one.is_somebody() && (said(&one) == said(&other) || is_certain())
}

/// A field in which two patients differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PatientDifference)]
pub enum Difference {
    Name,
    BirthDate,
    Gender,
}

impl Comparison {
    /// Differences between two patients who should be one that a person has to check: another birth date or sex, a
    /// different name, or a similar name without an agreeing birth date.
    pub fn differences(&self) -> Vec<Difference> {
        let of = |field| self.fields.iter().find(|found| found.field == field).map(|found| found.agreement);
        let is_born = of(Field::BirthDate);
        let names = [of(Field::LastName), of(Field::FirstName), of(Field::Suffix)];
        let is_other = names.contains(&Some(Agreement::Differs));
        let is_alike = names.contains(&Some(Agreement::Similar)) && is_born != Some(Agreement::Agrees);
        let found = [
            (Difference::Name, is_other || is_alike),
            (Difference::BirthDate, is_born.is_some_and(|born| born != Agreement::Agrees)),
            (Difference::Gender, of(Field::Gender) == Some(Agreement::Differs)),
        ];
        found.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field).collect()
    }
}

/// Weakens names that agree only when swapped.
fn soften(mut fields: Vec<FieldMatch>) -> Vec<FieldMatch> {
    for found in &mut fields {
        let is_name = matches!(found.field, Field::LastName | Field::FirstName);
        if is_name && found.agreement == Agreement::Agrees {
            found.agreement = Agreement::Similar;
        }
    }
    fields
}

fn fields(one: &Values, other: &Values) -> Vec<FieldMatch> {
    let found = [
        (Field::LastName, names(&one.last, &other.last, are_alike)),
        (Field::FirstName, names(&one.first, &other.first, |a, b| are_alike(a, b) || is_short_for(a, b))),
        (Field::MiddleName, middle(&one.middle, &other.middle)),
        (Field::Suffix, both(one.suffix.as_ref(), other.suffix.as_ref(), |a, b| exact(a == b))),
        (Field::BirthDate, both(one.born, other.born, birth_dates)),
        (Field::Gender, both(one.gender, other.gender, |a, b| exact(a == b))),
        (Field::PatientId, identifiers(one, other)),
        (Field::Telephone, both(one.telephone.as_ref(), other.telephone.as_ref(), |a, b| exact(a == b))),
        (Field::Address, addresses(one, other)),
    ];
    found
        .into_iter()
        .filter_map(|(field, agreement)| Some(FieldMatch { field, agreement: agreement? }))
        .collect()
}

fn both<T>(one: Option<T>, other: Option<T>, compare: impl Fn(T, T) -> Agreement) -> Option<Agreement> {
    Some(compare(one?, other?))
}

fn exact(is_same: bool) -> Agreement {
    if is_same { Agreement::Agrees } else { Agreement::Differs }
}

fn names(one: &[String], other: &[String], alike: impl Fn(&str, &str) -> bool) -> Option<Agreement> {
    if one.is_empty() || other.is_empty() {
        return None;
    }
    let (a, b) = (one.concat(), other.concat());
    // One of two last names, or the first of two first names.
    let shares = one.iter().any(|word| word.len() > 2 && other.contains(word));
    Some(if a == b {
        Agreement::Agrees
    } else if shares || alike(&a, &b) {
        Agreement::Similar
    } else {
        Agreement::Differs
    })
}

fn are_alike(one: &str, other: &str) -> bool {
    jaro_winkler(one, other) >= ALIKE
        || (one.chars().count() > 3 && sound(one) == sound(other) && one.starts_with(first(other)))
}

fn first(word: &str) -> char {
    word.chars().next().unwrap_or_default()
}

/// Whether a name is an initial, a prefix or a nickname of another.
fn is_short_for(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let is_beginning = long.starts_with(short) && (short.chars().count() == 1 || short.chars().count() >= 3);
    is_beginning || NICKNAMES.iter().any(|names| names.contains(&one) && names.contains(&other))
}

fn middle(one: &[String], other: &[String]) -> Option<Agreement> {
    let (a, b) = (one.first()?, other.first()?);
    let is_initial = a.chars().count() == 1 || b.chars().count() == 1;
    Some(if a == b || (is_initial && first(a) == first(b)) {
        Agreement::Agrees
    } else if !is_initial && are_alike(a, b) {
        Agreement::Similar
    } else {
        Agreement::Differs
    })
}

/// Compares birth dates. Similar ones have swapped day and month, one different digit, or two swapped digits.
fn birth_dates(one: NaiveDate, other: NaiveDate) -> Agreement {
    if one == other {
        return Agreement::Agrees;
    }
    let is_turned = NaiveDate::from_ymd_opt(one.year(), one.day(), one.month()) == Some(other);
    let [a, b] = [one, other].map(|date| date.format("%Y%m%d").to_string());
    let is_slip = strsim::osa_distance(&a, &b) == 1;
    if is_turned || is_slip { Agreement::Similar } else { Agreement::Differs }
}

fn identifiers(one: &Values, other: &Values) -> Option<Agreement> {
    if one.ids.is_empty() || other.ids.is_empty() {
        return None;
    }
    if one.ids.iter().any(|id| other.ids.iter().any(|known| id.is_same(known))) {
        return Some(Agreement::Agrees);
    }
    // Numbers of different organizations are not comparable; one organization gives a person one number.
    let share_a_house =
        one.ids.iter().any(|id| !id.root.is_empty() && other.ids.iter().any(|o| o.root == id.root));
    let are_own = one.own_id.is_some() && other.own_id.is_some();
    (share_a_house || are_own).then_some(Agreement::Differs)
}

fn addresses(one: &Values, other: &Values) -> Option<Agreement> {
    let is_near = both(one.place.as_ref(), other.place.as_ref(), |a, b| exact(a == b));
    let street = both(one.street.as_ref(), other.street.as_ref(), |a, b| exact(a == b))?;
    Some(match (street, is_near) {
        (Agreement::Agrees, Some(Agreement::Agrees)) => Agreement::Agrees,
        (Agreement::Agrees, None) | (_, Some(Agreement::Agrees)) => Agreement::Similar,
        _ => Agreement::Differs,
    })
}

/// Groups of names for the same person.
const NICKNAMES: &[&[&str]] = &[
    &["abigail", "abby", "gail"],
    &["albert", "al", "bert"],
    &["alexander", "alex", "sasha"],
    &["alexandra", "alex", "sandra", "sasha"],
    &["andrew", "andy", "drew"],
    &["anthony", "tony"],
    &["barbara", "barb", "babs"],
    &["bridget", "bridie", "biddy"],
    &["catherine", "katherine", "kathryn", "cathy", "kathy", "kate", "katie"],
    &["charles", "charlie", "chuck"],
    &["christina", "christine", "tina", "chris"],
    &["christopher", "chris", "kit"],
    &["daniel", "dan", "danny"],
    &["deborah", "debra", "debbie", "deb"],
    &["dorothy", "dot", "dottie"],
    &["edward", "ed", "eddie", "ted", "ned"],
    &["eleanor", "ellie", "nell", "nora"],
    &["elizabeth", "liz", "beth", "betty", "lisa", "eliza", "bess"],
    &["francis", "frank"],
    &["gerald", "gerard", "jerry"],
    &["henry", "hank", "harry"],
    &["isabella", "isabel", "bella"],
    &["jacqueline", "jackie"],
    &["james", "jim", "jimmy", "jamie"],
    &["john", "jack", "johnny"],
    &["jose", "pepe"],
    &["joseph", "joe", "joey"],
    &["lawrence", "larry"],
    &["leonard", "leo", "lenny"],
    &["margaret", "maggie", "meg", "peggy", "greta"],
    &["mary", "molly", "polly"],
    &["matthew", "matt"],
    &["michael", "mike", "mick"],
    &["nicholas", "nick"],
    &["patricia", "pat", "patty", "trish"],
    &["patrick", "pat", "paddy"],
    &["rebecca", "becky"],
    &["richard", "rick", "dick", "rich"],
    &["robert", "rob", "bob", "bobby", "bert"],
    &["ronald", "ron"],
    &["samuel", "samantha", "sam"],
    &["sarah", "sally"],
    &["stephen", "steven", "steve"],
    &["susan", "sue", "susie"],
    &["theodore", "ted", "teddy", "theo"],
    &["theresa", "teresa", "terry", "tess"],
    &["thomas", "tom", "tommy"],
    &["timothy", "tim"],
    &["virginia", "ginny"],
    &["walter", "walt"],
    &["william", "will", "bill", "billy", "liam"],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PatientIdentifier;

    fn patient(first: &str, last: &str, born: &str) -> Patient {
        let said = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Patient {
            first_name: said(first),
            last_name: said(last),
            birth_date: born.parse().ok(),
            ..Patient::default()
        }
    }

    fn compared(one: &Patient, other: &Patient) -> Comparison {
        Comparison::of(&Values::of(one), &Values::of(other))
    }

    #[test]
    fn name_and_birth_date_make_it_certain_and_what_contradicts_does_not() {
        let marisol = Patient { gender: Some("F".into()), ..patient("Marisol", "Tenney", "1961-03-14") };
        assert_eq!(
            compared(&marisol, &patient("MARISOL", "tenney", "1961-03-14")).certainty,
            Some(Certainty::Certain)
        );
        let other_gender = Patient { gender: Some("M".into()), ..marisol.clone() };
        let other_initial = Patient { middle_name: Some("J".into()), ..marisol.clone() };
        let third = Patient { middle_name: Some("Ann".into()), ..marisol.clone() };
        for (one, other) in [
            (&marisol, &other_gender),
            (&other_initial, &third),
            (&marisol, &patient("Marisol", "Tenney", "1961-03-15")),
            (&marisol, &patient("Marisol", "Tenney", "")),
            (&marisol, &patient("Maria", "Tenney", "1961-03-14")),
        ] {
            assert_eq!(compared(one, other).certainty, Some(Certainty::Possible), "{one:?} {other:?}");
        }
        assert_eq!(compared(&marisol, &patient("Desmond", "Pruitt", "1957-11-08")).certainty, None);
    }

    #[test]
    fn twins_fathers_and_sons_and_numbers_of_two_houses_are_never_certain() {
        let home = |first: &str, last: &str| Patient {
            street_address1: Some("9 Mill Lane".into()),
            postal_code: Some("44001".into()),
            telephone: Some("5550100171".into()),
            gender: Some("F".into()),
            ..patient(first, last, "1990-05-17")
        };
        let number = |root: &str, of: Patient| Patient {
            patient_ids: vec![PatientIdentifier { root: root.into(), id: "20417".into() }],
            ..of
        };
        for (one, other) in [
            (home("Marina", "Tenney"), home("Marisa", "Tenney")),
            (home("Baby Girl A", "Tenney"), home("Baby Girl B", "Tenney")),
            (home("Desmond", "Pruitt Jr."), home("Desmond", "Pruitt Sr.")),
            (number("1.2.3", home("Marisol", "Abara")), number("1.2.4", home("Ruth", "Abara"))),
        ] {
            assert_ne!(compared(&one, &other).certainty, Some(Certainty::Certain), "{one:?} {other:?}");
        }
        let [one, other] = ["1.2.3", "1.2.4"].map(|root| number(root, home("Marisol", "Abara")));
        let said = compared(&one, &other).fields.into_iter().find(|found| found.field == Field::PatientId);
        assert_eq!(said, None, "numbers of two houses say nothing about one another");
    }

    #[test]
    fn numbers_of_one_house_that_differ_are_of_two_people_until_a_person_says_otherwise() {
        let of = |first: &str, id: &str| Patient {
            patient_ids: vec![PatientIdentifier { root: "1.2.3".into(), id: id.into() }],
            gender: Some("F".into()),
            ..patient(first, "Gomez", "1970-01-02")
        };
        let same_name = compared(&of("Maria", "111-20"), &of("Maria", "333-20"));
        assert_eq!(same_name.certainty, Some(Certainty::Possible));
        assert!(
            same_name.fields.contains(&FieldMatch { field: Field::PatientId, agreement: Agreement::Differs })
        );
        let twins = compared(&of("Maria", "111-20"), &of("Marla", "444-20"));
        assert!(twins.percent() <= 50, "{}", twins.percent());
    }

    #[test]
    fn a_person_has_to_look_where_a_document_names_somebody_else() {
        let chosen = Patient { gender: Some("F".into()), ..patient("Marion", "Stroud", "1985-04-19") };
        let differ = |document: Patient| compared(&document, &chosen).differences();
        let strand = patient("Marian", "Strand", "1958-04-19");
        assert_eq!(differ(strand), [Difference::Name, Difference::BirthDate]);
        assert_eq!(differ(patient("Marion", "Stroud", "1985-04-18")), [Difference::BirthDate]);
        assert_eq!(
            differ(patient("Marian", "Stroud", "")),
            [Difference::Name],
            "nothing else says that it is she"
        );
        let male = Patient { gender: Some("M".into()), ..patient("Marion", "Stroud", "1985-04-19") };
        assert_eq!(differ(male), [Difference::Gender]);
        for same in [
            patient("MARION", "STROUD", "1985-04-19"),
            patient("Marian", "Stroud", "1985-04-19"),
            patient("", "", "1985-04-19"),
            Patient::default(),
        ] {
            assert_eq!(differ(same.clone()), [], "{same:?}");
        }
    }

    #[test]
    fn a_household_shares_its_address_and_is_not_one_person() {
        let at_home = |of: Patient| Patient {
            street_address1: Some("27 Orchard Row".into()),
            postal_code: Some("43999".into()),
            telephone: Some("5550100142".into()),
            ..of
        };
        let father = at_home(patient("Desmond", "Pruitt", "1957-11-08"));
        let son = compared(&father, &at_home(patient("Desmond", "Pruitt", "1989-02-23")));
        assert_eq!(son.certainty, Some(Certainty::Possible));
        assert!(son.percent() < 50, "{}", son.percent());
        assert_eq!(compared(&father, &at_home(patient("Ruth", "Pruitt", "1959-05-30"))).certainty, None);
        let twin = compared(&father, &at_home(patient("Leon", "Pruitt", "1957-11-08")));
        assert_ne!(twin.certainty, Some(Certainty::Certain));
    }

    #[test]
    fn a_comparison_says_what_agrees_and_what_differs() {
        let one =
            Patient { telephone: Some("5550100142".into()), ..patient("Robert", "Okafor", "1979-01-30") };
        let other =
            Patient { telephone: Some("5550100199".into()), ..patient("Bob", "Okafor", "1979-01-03") };
        let found: Vec<_> =
            compared(&one, &other).fields.into_iter().map(|f| (f.field, f.agreement)).collect();
        assert_eq!(
            found,
            [
                (Field::LastName, Agreement::Agrees),
                (Field::FirstName, Agreement::Similar),
                (Field::BirthDate, Agreement::Similar),
                (Field::Telephone, Agreement::Differs),
            ]
        );
    }
}
