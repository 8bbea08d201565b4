//! Patients: PID (3.4.2), and the numbers that are no longer used: MRG (3.4.9).

use super::{Said, short};
use crate::{Identifier, receive::ack::Problem};
use chrono::NaiveDate;
use clinical::{
    hl7::{Message, PatientId, Segment, Value, patient_ids, time::day},
    record_number,
};

/// Most former names of a patient.
const NAMES: usize = 10;
/// Most numbers of one merge.
const MERGED: usize = 100;
/// Codes of table 0200 for names that a person had or goes by: alias, at birth, licensing, maiden, nickname.
const OTHER_NAMES: [&str; 6] = ["A", "B", "C", "M", "N", "S"];

const NO_NUMBER: Problem = Problem::error(101, "PID^1^3", "The patient has no record number");
pub(super) const NO_PRIOR: Problem = Problem::error(101, "MRG^1^1", "The former record number is missing");
const ITSELF: Problem = Problem::error(205, "MRG^1^1", "A record cannot be merged into itself");
const TOO_MANY: Problem = Problem::error(102, "MRG", "The message merges too many records");

/// A name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    pub family: String,
    pub given: String,
    pub middle: String,
    /// Such as `JR`.
    pub suffix: String,
}

/// An address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    pub street1: String,
    pub street2: String,
    pub city: String,
    pub state: String,
    pub postal_code: String,
    pub country: String,
}

/// What an event says about its patient.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// The record number, and other numbers of the patient inside an organization. Never empty, never a social security
    /// number.
    pub identifiers: Vec<Identifier>,
    pub name: Said<Name>,
    /// Former and other names.
    pub other_names: Said<Vec<Name>>,
    pub born: Said<NaiveDate>,
    /// Code of table 0001, such as `F`.
    pub sex: Said<String>,
    pub address: Said<Address>,
    pub phone: Said<String>,
    pub is_deceased: Said<bool>,
}

impl Reported {
    pub(super) fn read(pid: Segment) -> Result<Self, Problem> {
        let identifiers: Vec<Identifier> = patient_ids(pid).into_iter().map(known).collect();
        if identifiers.is_empty() {
            return Err(NO_NUMBER);
        }
        let (name, others) = names(pid);
        let day_of = |value: Value| day(&value.component(1).text());
        Ok(Self {
            identifiers,
            name,
            other_names: others,
            born: Said::read(pid.field(7), day_of),
            sex: Said::read(pid.field(8), |value| short(value.component(1).text())),
            address: Said::read(pid.field(11), |value| value.repetitions().find_map(address)),
            phone: Said::read(pid.field(13), |value| value.repetitions().find_map(phone)),
            is_deceased: deceased(pid),
        })
    }

    /// The record number.
    pub fn record_number(&self) -> &Identifier {
        static NONE: Identifier = Identifier {
            number: String::new(),
            authority: String::new(),
            oid: String::new(),
            kind: String::new(),
        };
        self.identifiers.first().unwrap_or(&NONE)
    }
}

fn known(id: PatientId) -> Identifier {
    let [number, authority, oid, kind] =
        [id.id, id.authority, id.oid, id.code].map(|text| short(text).unwrap_or_default());
    Identifier { number, authority, oid, kind }
}

/// The name in force, and the other ones: of PID-5, and of PID-9 in old versions.
fn names(pid: Segment) -> (Said<Name>, Said<Vec<Name>>) {
    let code = |value: Value| value.component(7).text().to_ascii_uppercase();
    let is_other = |value: &Value| OTHER_NAMES.contains(&code(*value).as_str());
    let current = Said::read(pid.field(5), |field| {
        let all = || field.repetitions().filter(|value| !value.is_empty());
        let legal = all().find(|value| code(*value) == "L");
        legal.or_else(|| all().find(|value| !is_other(value))).and_then(name)
    });
    let others: Vec<Name> = pid
        .field(5)
        .repetitions()
        .filter(is_other)
        .chain(pid.field(9).repetitions().filter(|value| !value.is_empty()))
        .filter_map(name)
        .take(NAMES)
        .collect();
    let others = match others.is_empty() {
        true if pid.field(9).is_deleted() => Said::Deleted,
        true => Said::Nothing,
        false => Said::Value(others),
    };
    (current, others)
}

fn name(value: Value) -> Option<Name> {
    let text = |value: Value| short(value.text()).unwrap_or_default();
    let name = Name {
        family: text(value.component(1).subcomponent(1)),
        given: text(value.component(2)),
        middle: text(value.component(3)),
        suffix: text(value.component(4)),
    };
    (!name.family.is_empty() || !name.given.is_empty()).then_some(name)
}

fn address(value: Value) -> Option<Address> {
    let text = |number: usize| short(value.component(number).text()).unwrap_or_default();
    let address = Address {
        street1: short(value.component(1).subcomponent(1).text()).unwrap_or_default(),
        street2: text(2),
        city: text(3),
        state: text(4),
        postal_code: text(5),
        country: text(6),
    };
    (address != Address::default()).then_some(address)
}

/// A telephone number (XTN): the number as it was written, or its parts in newer versions. E-mail addresses are none.
fn phone(value: Value) -> Option<String> {
    if value.component(2).text() == "NET" || value.component(3).text() == "Internet" {
        return None;
    }
    let parts = [6, 7].map(|number| value.component(number).text()).concat();
    let written = short(value.component(1).text()).or_else(|| short(parts)).or_else(|| {
        // XTN-12, the number without a format.
        short(value.component(12).text())
    });
    written.filter(|number| number.contains(|c: char| c.is_ascii_digit()))
}

/// PID-30, or otherwise PID-29: whoever has a time of death is dead.
fn deceased(pid: Segment) -> Said<bool> {
    let said =
        Said::read(pid.field(30), |value| match value.component(1).text().to_ascii_uppercase().as_str() {
            "Y" => Some(true),
            "N" => Some(false),
            _ => None,
        });
    said.or(|| match pid.field(29) {
        time if time.is_deleted() => Said::Value(false),
        time if time.is_empty() => Said::Nothing,
        _ => Said::Value(true),
    })
}

/// Whether a number may be that of a record, and is not a social security number or the like.
fn is_record(id: &Identifier) -> bool {
    let authorities = [id.authority.as_str(), id.oid.as_str()];
    let read = record_number::Identifier { id: &id.number, authorities, kind: &id.kind, is_own: false };
    read.kind() < record_number::Kind::SocialSecurity
}

/// Whether two numbers have the same authority: by OID if both have one, otherwise by name.
fn is_same_authority(one: &Identifier, other: &Identifier) -> bool {
    if !one.oid.is_empty() && !other.oid.is_empty() {
        return one.oid.eq_ignore_ascii_case(&other.oid);
    }
    let is_bare = |id: &Identifier| id.authority.is_empty() && id.oid.is_empty();
    let is_named = !one.authority.is_empty() && one.authority.eq_ignore_ascii_case(&other.authority);
    is_named || is_bare(one) && is_bare(other)
}

/// The former numbers of MRG-1, one for each MRG segment. One without an authority has that of the record that remains.
pub(super) fn prior(message: &Message, remains: &Reported) -> Result<Vec<Identifier>, Problem> {
    let stays = remains.record_number();
    let mut gone = Vec::new();
    for mrg in message.segments().filter(|segment| segment.name() == "MRG") {
        let all = mrg.field(1).repetitions().filter_map(super::extended);
        let all: Vec<Identifier> = all.filter(is_record).collect();
        let is_bare = |id: &&Identifier| id.authority.is_empty() && id.oid.is_empty();
        let is_of_same = |id: &&Identifier| is_same_authority(id, stays);
        let prior = all.iter().find(is_of_same).or_else(|| all.iter().find(is_bare)).or(all.first());
        let prior = prior.ok_or(NO_PRIOR)?;
        let mut prior = prior.clone();
        // A record is found by its number and authority as they were written.
        if is_bare(&&prior) || is_of_same(&&prior) {
            (prior.authority, prior.oid) = (stays.authority.clone(), stays.oid.clone());
        }
        if is_of_same(&&prior) && prior.number == stays.number {
            return Err(ITSELF);
        }
        if !gone.contains(&prior) {
            gone.push(prior);
        }
    }
    match gone.len() {
        0 => Err(NO_PRIOR),
        1..=MERGED => Ok(gone),
        _ => Err(TOO_MANY),
    }
}
