//! What is known of patients, visits and orders, as it is sealed.

use chrono::{DateTime, FixedOffset, NaiveDate, Offset, Utc};
use exchange::{Identifier, receive::hospital};
use fhir::model::Moment;
use patients::{
    compare::{Agreement, Comparison, Field},
    face,
    model::{Patient, PatientIdentifier},
    record_numbers::numbered,
    rules::tidy,
    values::Values,
};
use platform::interoperability::RecordNumberAuthority;
use serde::{Deserialize, Serialize};

/// Most former names of a patient.
const NAMES: usize = 10;

/// A number with its authority.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Number {
    pub number: String,
    pub authority: String,
    pub oid: String,
    /// Code of table 0203.
    pub kind: String,
}

impl From<Identifier> for Number {
    fn from(id: Identifier) -> Self {
        Self { number: id.number, authority: id.authority, oid: id.oid, kind: id.kind }
    }
}

impl From<Number> for Identifier {
    fn from(id: Number) -> Self {
        Self { number: id.number, authority: id.authority, oid: id.oid, kind: id.kind }
    }
}

impl Number {
    /// Its authority, as documents name it.
    fn root(&self) -> &String {
        if self.oid.is_empty() { &self.authority } else { &self.oid }
    }

    /// Whether it stands for a number that is not known, such as 999-99-9999 or "Unknown".
    pub fn is_placeholder(&self) -> bool {
        let is_long = self.number.chars().filter(|c| c.is_alphanumeric()).count() > 2;
        let bare = Patient { patient_id: Some(self.number.clone()), ..Patient::default() };
        is_long && Values::of(&bare).ids.is_empty()
    }
}

/// A name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Name {
    pub family: String,
    pub given: String,
    pub middle: String,
}

impl From<hospital::Name> for Name {
    fn from(name: hospital::Name) -> Self {
        // The suffix tells father and son apart.
        let family = [name.family, name.suffix].join(" ").trim().to_owned();
        Self { family, given: name.given, middle: name.middle }
    }
}

impl Name {
    fn as_patient(&self) -> Patient {
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        Patient {
            last_name: some(&self.family),
            first_name: some(&self.given),
            middle_name: some(&self.middle),
            ..Patient::default()
        }
    }

    fn is_placeholder(&self) -> bool {
        let values = Values::of(&self.as_patient());
        values.last.is_empty() && values.first.is_empty()
    }
}

/// An address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Address {
    pub street1: String,
    pub street2: String,
    pub city: String,
    pub state: String,
    pub postal_code: String,
    pub country: String,
}

impl From<hospital::Address> for Address {
    fn from(of: hospital::Address) -> Self {
        let hospital::Address { street1, street2, city, state, postal_code, country } = of;
        Self { street1, street2, city, state, postal_code, country }
    }
}

/// What is known of a patient.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Person {
    /// The record number first.
    pub numbers: Vec<Number>,
    pub name: Option<Name>,
    /// Names that the person had or goes by, newest first.
    pub other_names: Vec<Name>,
    pub born: Option<NaiveDate>,
    /// Code of table 0001.
    pub sex: Option<String>,
    pub address: Option<Address>,
    pub phone: Option<String>,
}

impl Person {
    /// A record that is known by its number alone.
    pub fn numbered(number: &Number) -> Self {
        Self { numbers: vec![number.clone()], ..Self::default() }
    }

    /// The same after an event. Placeholders count as not said.
    pub fn after(&self, told: &hospital::Reported) -> Self {
        let mut now = self.clone();
        now.numbers = told.identifiers.iter().cloned().map(Number::from).collect();
        let name = match told.name.clone() {
            hospital::Said::Value(name) => Some(Name::from(name)).filter(|name| !name.is_placeholder()),
            _ => None,
        };
        match (name, &told.name) {
            (Some(name), _) => {
                let before = now.name.replace(name.clone());
                now.remember(before.filter(|before| !is_same(&before.family, &name.family)));
            }
            (None, hospital::Said::Deleted) => now.name = None,
            (None, _) => {}
        }
        match told.other_names.clone() {
            hospital::Said::Value(names) => {
                for name in names.into_iter().rev().map(Name::from) {
                    now.remember(Some(name).filter(|name| !name.is_placeholder()));
                }
            }
            hospital::Said::Deleted => now.other_names = Vec::new(),
            hospital::Said::Nothing => {}
        }
        told.born.clone().put(&mut now.born);
        now.born = now.born.filter(is_plausible).or(self.born.filter(|_| now.born.is_some()));
        told.sex.clone().put(&mut now.sex);
        match told.address.clone() {
            hospital::Said::Value(address) => now.address = Some(address.into()),
            hospital::Said::Deleted => now.address = None,
            hospital::Said::Nothing => {}
        }
        told.phone.clone().put(&mut now.phone);
        now
    }

    fn remember(&mut self, name: Option<Name>) {
        let Some(name) = name else { return };
        self.other_names.retain(|known| *known != name);
        self.other_names.insert(0, name);
        self.other_names.truncate(NAMES);
    }

    /// Whether this cannot be the person that was known: last name and birth date are both different ones. Then the number
    /// was given to somebody else.
    pub fn is_other_than(&self, known: &Self) -> bool {
        let [one, other] = [known, self].map(|person| Values::of(&person.as_patient()));
        let found = Comparison::of(&one, &other).fields;
        let differs =
            |field| found.iter().any(|found| found.field == field && found.agreement == Agreement::Differs);
        differs(Field::LastName) && differs(Field::BirthDate)
    }

    /// Whether the person has a name, without which nobody can be told from others.
    pub fn is_named(&self) -> bool {
        self.name.as_ref().is_some_and(|name| !Values::of(&name.as_patient()).last.is_empty())
    }

    fn as_patient(&self) -> Patient {
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let address = self.address.clone().unwrap_or_default();
        let gender = self.sex.as_deref().map(|sex| match sex.to_ascii_uppercase().as_str() {
            "M" => "M",
            "F" => "F",
            _ => "UN",
        });
        let identifier = |of: &Number| PatientIdentifier { root: of.root().clone(), id: of.number.clone() };
        let kept = || self.numbers.iter().filter(|number| !number.is_placeholder());
        tidy(Patient {
            patient_id: kept().next().map(|number| number.number.clone()),
            patient_ids: kept().map(identifier).collect(),
            birth_date: self.born,
            gender: gender.map(str::to_owned),
            street_address1: some(&address.street1),
            street_address2: some(&address.street2),
            city: some(&address.city),
            state: some(&address.state.chars().take(50).collect()),
            postal_code: some(&address.postal_code.chars().take(20).collect()),
            country: some(&address.country.chars().take(100).collect()),
            telephone: self.phone.as_ref().and_then(|phone| some(&phone.chars().take(50).collect())),
            ..self.name.clone().unwrap_or_default().as_patient()
        })
    }

    /// Its other names, for the patient index.
    pub fn other_names(&self) -> Vec<face::Name> {
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let names = self.other_names.iter();
        names.map(|name| face::Name { first: some(&name.given), last: some(&name.family) }).collect()
    }

    /// The statement for the patient index.
    pub fn said(&self, authorities: &[RecordNumberAuthority]) -> Patient {
        numbered(self.as_patient(), authorities)
    }
}

fn is_same(one: &str, other: &str) -> bool {
    store::search::folded(one) == store::search::folded(other)
}

/// Whether a birth date is one, and not the filler of a form.
fn is_plausible(born: &NaiveDate) -> bool {
    Values::of(&Patient { birth_date: Some(*born), ..Patient::default() }).born.is_some()
}

/// A point in time with the offset that was written, or a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct When {
    pub at: DateTime<FixedOffset>,
    pub is_day: bool,
}

impl When {
    /// A time without an offset is local to the EHR; it is shown as it was written.
    pub fn of(time: hospital::Time) -> Option<Self> {
        let offset = time.offset.unwrap_or(Utc.fix());
        let at = time.local.and_local_timezone(offset).single()?;
        Some(Self { at, is_day: !time.has_hour() })
    }

    pub fn moment(self) -> Moment {
        if self.is_day { Moment::Day(self.at.date_naive()) } else { Moment::Time(self.at) }
    }
}

/// What is known of a visit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Visit {
    pub number: Option<Number>,
    pub appointment: Option<Number>,
    /// Code of table 0004.
    pub class: Option<String>,
    pub begins: Option<When>,
    pub ends: Option<When>,
    pub provider: Option<String>,
    pub location: Option<String>,
    pub reason: Option<String>,
}

/// What is known of an order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Order {
    pub placer: Option<Number>,
    pub filler: Option<Number>,
    pub name: Option<String>,
    pub date: Option<NaiveDate>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use exchange::receive::hospital::{Reported, Said};

    fn told(number: &str, family: &str, given: &str, born: Option<&str>) -> Reported {
        Reported {
            identifiers: vec![Identifier { number: number.into(), ..Identifier::default() }],
            name: Said::Value(hospital::Name {
                family: family.into(),
                given: given.into(),
                ..hospital::Name::default()
            }),
            born: born.map_or(Said::Nothing, |day| Said::Value(day.parse().expect("a day"))),
            ..Reported::default()
        }
    }

    #[test]
    fn placeholders_are_not_said_and_leave_what_is_known() {
        let known = Person::default().after(&told("70412", "Tenney", "Marisol", Some("1961-03-14")));
        assert_eq!(known.after(&told("70412", "Unknown", "Unknown", Some("1900-01-01"))), known);
        assert!(!Person::default().after(&told("70412", "Unknown", "", None)).is_named());
        let is_nobody = |number: &str| Number { number: number.into(), ..Number::default() }.is_placeholder();
        assert!(is_nobody("999-99-9999") && is_nobody("000000") && is_nobody("Unknown"));
        assert!(!is_nobody("70412") && !is_nobody("7"));
    }

    #[test]
    fn a_new_last_name_is_remembered_and_is_nobody_else() {
        let known = Person::default().after(&told("70412", "Tenney", "Marisol", Some("1961-03-14")));
        let married = known.after(&told("70412", "Reyes", "Marisol", None));
        assert_eq!(married.other_names.iter().map(|n| n.family.as_str()).collect::<Vec<_>>(), ["Tenney"]);
        assert!(!married.is_other_than(&known));
        let corrected = known.after(&told("70412", "Tenney", "Marisol", Some("1984-07-22")));
        assert!(!corrected.is_other_than(&known));
        let other = known.after(&told("70412", "Okafor", "Bridget", Some("1984-07-22")));
        assert!(other.is_other_than(&known));
        assert!(!known.is_other_than(&Person::default()), "nothing was known");
    }
}
