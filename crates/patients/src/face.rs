//! The displayed values of a patient (the face), computed field by field from statements.
//!
//! Corrections rank first, then the organization's own interfaces, then filed and sent messages; the newest of equal
//! rank. A missing value never replaces another source's value.

use crate::{
    compare::{Comparison, Field},
    model::{Patient, PatientIdentifier},
    tokens,
    values::Values,
};
use chrono::{DateTime, NaiveDate, Utc};
use platform::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::{
    entities::{patient, patient_source, patient_source::SourceKind},
    keys::DataKey,
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Most identifiers, former names and other values of one patient; the newest of each are kept.
const KEPT_MAX: usize = 20;

/// The statement of one source.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub source_id: Uuid,
    pub kind: SourceKind,
    pub at: DateTime<Utc>,
    pub said: Patient,
    /// Former names and other ones, newest first, if the source states them.
    pub other_names: Vec<Name>,
}

/// A statement as it is sealed.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sealed {
    #[serde(flatten)]
    said: Patient,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    other_names: Vec<Name>,
}

impl Statement {
    /// Opens the statement of a source.
    pub fn open(key: &DataKey, source: &patient_source::Model) -> Result<Self> {
        let Sealed { said, other_names } = key.open_json(&said_context(source.id), &source.sealed_said)?;
        Ok(Self { source_id: source.id, kind: source.kind, at: source.said_at, said, other_names })
    }

    /// The tokens by which it is found.
    pub(crate) fn tokens(&self, key: &DataKey) -> BTreeSet<Vec<u8>> {
        let others = self.other_names.iter().map(|name| Patient {
            first_name: name.first.clone(),
            last_name: name.last.clone(),
            birth_date: self.said.birth_date,
            ..Patient::default()
        });
        std::iter::once(self.said.clone()).chain(others).flat_map(|said| tokens::of(key, &said)).collect()
    }

    fn origin(&self) -> Origin {
        Origin { kind: self.kind, at: self.at, source_id: self.source_id }
    }
}

/// Seals the statement of a source.
pub(crate) fn seal_said(key: &DataKey, id: Uuid, said: &Patient, other_names: &[Name]) -> Result<Vec<u8>> {
    let sealed = Sealed { said: said.clone(), other_names: other_names.to_vec() };
    Ok(key.seal_json(&said_context(id), &sealed)?)
}

fn said_context(id: Uuid) -> String {
    format!("patient_source.said:{id}")
}

/// Origin of a value. A later variant ranks higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Origin {
    pub kind: SourceKind,
    pub at: DateTime<Utc>,
    pub source_id: Uuid,
}

/// Origin of a displayed value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    pub field: Field,
    pub origin: Origin,
}

/// A differing value of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PatientOtherValue)]
pub struct Other {
    pub field: Field,
    /// In the form of lists: `Last, First M`, dates as 1961-03-14.
    pub text: String,
}

/// Another first and last name of a patient.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    pub first: Option<String>,
    pub last: Option<String>,
}

/// Displayed values of a patient.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Face {
    pub patient: Patient,
    pub told: Vec<Told>,
    /// Newest first.
    pub other_names: Vec<Name>,
    /// Newest first.
    pub others: Vec<Other>,
}

impl Face {
    /// The face of a patient, if it has one.
    pub fn open(key: &DataKey, row: &patient::Model) -> Result<Option<Self>> {
        let Some(sealed) = &row.sealed_face else { return Ok(None) };
        Ok(Some(key.open_json(&face_context(row.id), sealed)?))
    }

    /// Seals the face of the patient with this id.
    pub fn seal(&self, key: &DataKey, id: Uuid) -> Result<Vec<u8>> {
        Ok(key.seal_json(&face_context(id), self)?)
    }

    /// The face of these statements, in any order.
    pub fn of(statements: &[Statement]) -> Self {
        let mut sorted: Vec<&Statement> = statements.iter().collect();
        sorted.sort_by_key(|statement| statement.origin());
        let mut face = Self::default();
        for statement in sorted {
            face.hear(statement);
        }
        face
    }

    /// Adds a statement, unless a higher-ranking one has set a value.
    pub fn hear(&mut self, statement: &Statement) {
        let said = &statement.said;
        self.hear_name(statement);
        let fields = [
            (Field::BirthDate, said.birth_date.map(|born| born.to_string())),
            (Field::Gender, text(&said.gender)),
            (Field::PatientId, text(&said.patient_id)),
            (Field::Telephone, text(&said.telephone)),
            (Field::Address, address(said)),
        ];
        for (field, value) in fields {
            let Some(value) = value else { continue };
            let shown = self.shown(field);
            if self.counts(field, statement) {
                self.take(field, said);
                if let Some(before) = shown.filter(|before| *before != value) {
                    self.remember(field, before);
                }
                self.others.retain(|other| other.field != field || other.text != value);
            } else if shown.is_some_and(|shown| shown != value) {
                self.remember(field, value);
            }
        }
        for id in said.patient_ids.iter().rev() {
            let known = &mut self.patient.patient_ids;
            known.retain(|other| other != id);
            known.insert(0, id.clone());
            known.truncate(KEPT_MAX);
        }
        let current = Name { first: text(&self.patient.first_name), last: text(&self.patient.last_name) };
        for name in statement.other_names.iter().rev().filter(|name| !is_same_name(name, &current)) {
            self.remember_name(name.clone());
        }
    }

    /// Adds a name. First and last name belong together; a middle name stays until another one is stated.
    fn hear_name(&mut self, statement: &Statement) {
        let said = &statement.said;
        if text(&said.last_name).is_none() && text(&said.first_name).is_none() {
            return;
        }
        let name = Name { first: text(&said.first_name), last: text(&said.last_name) };
        let before = Name { first: text(&self.patient.first_name), last: text(&self.patient.last_name) };
        // "Pruitt" alone does not contradict "Pruitt, Desmond".
        let is_whole = name.first.is_some() && name.last.is_some();
        let is_better = is_whole || before.first.is_none() || before.last.is_none();
        if self.counts_of(Field::LastName, statement) && is_better {
            self.note(Field::LastName, statement);
            self.note(Field::FirstName, statement);
            let is_other = !is_same_name(&name, &before);
            self.patient.first_name = name.first.or(self.patient.first_name.take());
            self.patient.last_name = name.last.or(self.patient.last_name.take());
            if is_other && before != (Name { first: None, last: None }) {
                self.remember_name(before);
            }
        } else if is_whole && !is_same_name(&name, &before) {
            self.remember_name(name);
        }
        if text(&said.middle_name).is_some() && self.counts(Field::MiddleName, statement) {
            self.patient.middle_name = text(&said.middle_name);
        }
    }

    fn remember_name(&mut self, name: Name) {
        self.other_names.retain(|other| !is_same_name(other, &name));
        self.other_names.insert(0, name);
        self.other_names.truncate(KEPT_MAX);
    }

    fn remember(&mut self, field: Field, text: String) {
        let other = Other { field, text };
        self.others.retain(|known| *known != other);
        self.others.insert(0, other);
        self.others.truncate(KEPT_MAX);
    }

    fn counts_of(&self, field: Field, statement: &Statement) -> bool {
        let told = self.told.iter().find(|told| told.field == field);
        told.is_none_or(|told| told.origin <= statement.origin())
    }

    /// Whether a statement determines a field; records it if so.
    fn counts(&mut self, field: Field, statement: &Statement) -> bool {
        let counts = self.counts_of(field, statement);
        if counts {
            self.note(field, statement);
        }
        counts
    }

    fn note(&mut self, field: Field, statement: &Statement) {
        self.told.retain(|told| told.field != field);
        self.told.push(Told { field, origin: statement.origin() });
    }

    fn shown(&self, field: Field) -> Option<String> {
        let patient = &self.patient;
        match field {
            Field::BirthDate => patient.birth_date.map(|born| born.to_string()),
            Field::Gender => patient.gender.clone(),
            Field::PatientId => patient.patient_id.clone(),
            Field::Telephone => patient.telephone.clone(),
            Field::Address => address(patient),
            Field::LastName | Field::FirstName | Field::MiddleName | Field::Suffix => None,
        }
    }

    fn take(&mut self, field: Field, said: &Patient) {
        let patient = &mut self.patient;
        match field {
            Field::BirthDate => patient.birth_date = said.birth_date,
            Field::Gender => patient.gender = text(&said.gender),
            Field::PatientId => patient.patient_id = text(&said.patient_id),
            Field::Telephone => patient.telephone = text(&said.telephone),
            // As a whole: a street from one source and a town from another are not an address.
            Field::Address => {
                patient.street_address1 = text(&said.street_address1);
                patient.street_address2 = text(&said.street_address2);
                patient.city = text(&said.city);
                patient.state = text(&said.state);
                patient.postal_code = text(&said.postal_code);
                patient.country = text(&said.country);
            }
            Field::LastName | Field::FirstName | Field::MiddleName | Field::Suffix => {}
        }
    }

    /// The differing values of a field.
    pub fn others_of(&self, field: Field) -> impl Iterator<Item = &str> {
        self.others.iter().filter(move |other| other.field == field).map(|other| other.text.as_str())
    }

    /// The fields with contradictory values: a person has one birth date and one record number.
    pub fn contradictions(&self) -> Vec<Field> {
        let fields = [Field::BirthDate, Field::Gender, Field::PatientId];
        fields.into_iter().filter(|field| self.others_of(*field).next().is_some()).collect()
    }

    /// The patient under each known name.
    pub fn variants(&self) -> impl Iterator<Item = Patient> {
        let former = self.other_names.iter().map(|name| Patient {
            first_name: name.first.clone(),
            last_name: name.last.clone(),
            ..self.patient.clone()
        });
        std::iter::once(self.patient.clone()).chain(former)
    }

    /// Compares a statement with this patient under the best-matching name.
    pub fn compared(&self, said: &Values) -> Comparison {
        let born: Vec<NaiveDate> =
            self.others_of(Field::BirthDate).filter_map(|born| born.parse().ok()).collect();
        let best = self
            .variants()
            .map(|patient| Comparison::of(said, &Values::of(&patient)))
            .max_by(|a, b| a.odds.total_cmp(&b.odds));
        let mut best = best.unwrap_or_else(|| Comparison::of(said, &Values::default()));
        // A patient with two birth dates never matches with certainty.
        if !born.is_empty() {
            best.certainty = best.certainty.map(|_| crate::compare::Certainty::Possible);
        }
        best
    }
}

fn face_context(id: Uuid) -> String {
    format!("patient.face:{id}")
}

fn text(value: &Option<String>) -> Option<String> {
    value.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// An address in one line; none if there is only a town.
fn address(of: &Patient) -> Option<String> {
    text(&of.street_address1).or_else(|| text(&of.postal_code))?;
    let parts = [&of.street_address1, &of.street_address2, &of.city, &of.state, &of.postal_code, &of.country];
    let parts: Vec<String> = parts.into_iter().filter_map(text).collect();
    Some(parts.join(", "))
}

fn is_same_name(one: &Name, other: &Name) -> bool {
    let plain = |name: &Name| {
        [&name.first, &name.last].map(|part| store::search::folded(part.as_deref().unwrap_or_default()))
    };
    plain(one) == plain(other)
}

/// The identifiers of a patient including the record number, without duplicates.
pub fn identifiers(patient: &Patient) -> Vec<PatientIdentifier> {
    let own = patient.patient_id.iter().filter(|own| patient.patient_ids.iter().all(|id| id.id != **own));
    let own = own.map(|id| PatientIdentifier { root: String::new(), id: id.clone() });
    own.chain(patient.patient_ids.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    fn said(number: u8, kind: SourceKind, said: Patient) -> Statement {
        let at = DateTime::UNIX_EPOCH + TimeDelta::days(i64::from(number));
        Statement { source_id: Uuid::from_u128(number.into()), kind, at, said, other_names: Vec::new() }
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn marisol() -> Patient {
        Patient {
            first_name: some("Marisol"),
            last_name: some("Tenney"),
            birth_date: NaiveDate::from_ymd_opt(1961, 3, 14),
            ..Patient::default()
        }
    }

    #[test]
    fn what_somebody_does_not_say_never_replaces_what_another_said() {
        let with_number = Patient { patient_id: some("LFM-08842"), middle_name: some("Jane"), ..marisol() };
        let statements =
            [said(1, SourceKind::Received, with_number), said(2, SourceKind::Received, marisol())];
        let face = Face::of(&statements);
        assert_eq!(face.patient.patient_id, some("LFM-08842"));
        assert_eq!(face.patient.middle_name, some("Jane"));
        let number = face.told.iter().find(|told| told.field == Field::PatientId).expect("is told");
        assert_eq!(number.origin.source_id, Uuid::from_u128(1));
        assert!(face.contradictions().is_empty());
    }

    #[test]
    fn the_newest_counts_but_a_correction_counts_more_and_what_lost_is_kept() {
        let married = Patient { last_name: some("Reyes"), telephone: some("5550100142"), ..marisol() };
        let moved = Patient { telephone: some("5550100199"), ..married.clone() };
        let corrected = Patient { telephone: some("5550100111"), ..Patient::default() };
        let statements = [
            said(3, SourceKind::Received, moved),
            said(1, SourceKind::Received, marisol()),
            said(2, SourceKind::Correction, corrected),
            said(2, SourceKind::Sent, married),
        ];
        let face = Face::of(&statements);
        assert_eq!(
            (face.patient.last_name.clone(), face.patient.telephone.clone()),
            (some("Reyes"), some("5550100111"))
        );
        assert_eq!(face.other_names, [Name { first: some("Marisol"), last: some("Tenney") }]);
        assert!(face.others_of(Field::Telephone).any(|other| other == "5550100199"));
        let former = Values::of(&marisol());
        assert_eq!(face.compared(&former).certainty, Some(crate::compare::Certainty::Certain));
    }

    #[test]
    fn former_names_that_a_source_states_are_known_and_never_shown_as_the_name() {
        let name = |first: &str, last: &str| Name { first: some(first), last: some(last) };
        let other_names = vec![name("Marisol", "Reyes"), name("MARISOL", "Tenney")];
        let told = Statement { other_names, ..said(1, SourceKind::Interface, marisol()) };
        let face = Face::of(&[told]);
        assert_eq!(face.patient.last_name, some("Tenney"));
        assert_eq!(face.other_names, [name("Marisol", "Reyes")]);
        let former = Values::of(&Patient { last_name: some("Reyes"), ..marisol() });
        assert_eq!(face.compared(&former).certainty, Some(crate::compare::Certainty::Certain));
    }

    #[test]
    fn two_birth_dates_contradict_each_other_and_nothing_is_certain_any_more() {
        let other = Patient { birth_date: NaiveDate::from_ymd_opt(1961, 3, 15), ..marisol() };
        let face = Face::of(&[said(1, SourceKind::Sent, other), said(2, SourceKind::Sent, marisol())]);
        assert_eq!(face.contradictions(), [Field::BirthDate]);
        let certainty = face.compared(&Values::of(&marisol())).certainty;
        assert_eq!(certainty, Some(crate::compare::Certainty::Possible));
    }

    #[test]
    fn an_address_is_taken_as_one() {
        let home = Patient { street_address1: some("27 Orchard Row"), city: some("Larkfield"), ..marisol() };
        let moved = Patient { street_address1: some("9 Mill Lane"), ..marisol() };
        let face = Face::of(&[said(1, SourceKind::Sent, home), said(2, SourceKind::Sent, moved)]);
        assert_eq!(
            (face.patient.street_address1.clone(), face.patient.city.clone()),
            (some("9 Mill Lane"), None)
        );
        assert_eq!(face.others_of(Field::Address).collect::<Vec<_>>(), ["27 Orchard Row, Larkfield"]);
    }

    #[test]
    fn statements_make_the_same_face_whenever_they_are_heard() {
        let first = said(1, SourceKind::Sent, Patient { patient_id: some("A-1000"), ..marisol() });
        let second = said(2, SourceKind::Sent, Patient { patient_id: some("B-2000"), ..marisol() });
        let mut late = Face::of(std::slice::from_ref(&second));
        late.hear(&first);
        let both = Face::of(&[first, second]);
        assert_eq!(late.patient.patient_id, both.patient.patient_id);
        assert_eq!(
            (late.contradictions(), both.contradictions()),
            (vec![Field::PatientId], vec![Field::PatientId])
        );
    }
}
