//! Requests and answers about patients.

use crate::{
    asked::Asked,
    compare::{Certainty, Field, FieldMatch},
    face::{self, Face, Other},
    model::{Patient, PatientIdentifier},
    pairs::Pair,
    search::{Known, Match},
};
use chrono::{DateTime, NaiveDate, Utc};
use platform::text::SearchWords;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::entities::{patient_event::EventKind, patient_source::SourceKind};
use utoipa::ToSchema;
use uuid::Uuid;

/// Search criteria. At least one of text, name, birth date and patient ID is required.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientSearch {
    /// Criteria in one line: `Last, First 3/14/61`, a record number, a birth date, a telephone number.
    #[serde(default)]
    pub text: SearchWords,
    /// Words of the name, as prefixes.
    #[serde(default)]
    pub name: SearchWords,
    pub birth_date: Option<NaiveDate>,
    /// A complete patient ID or MRN.
    #[schema(max_length = 255)]
    pub patient_id: Option<String>,
    /// M, F or UN.
    #[schema(max_length = 20)]
    pub gender: Option<String>,
    /// Part of the name or address of a sender or recipient of the patient's messages.
    #[schema(max_length = 255)]
    pub facility: Option<String>,
}

impl PatientSearch {
    pub fn asked(&self, today: NaiveDate) -> Asked {
        let said = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let mut asked = Asked::read(&format!("{} {}", &*self.text, &*self.name), today);
        asked.births.extend(self.birth_date);
        asked.numbers.extend(said(&self.patient_id).map(Asked::number));
        asked.gender = said(&self.gender).map(|gender| gender.to_uppercase());
        asked
    }
}

/// A patient of the organization.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KnownPatient {
    /// Null for a patient in messages that are not in the index yet.
    pub id: Option<Uuid>,
    pub patient: Patient,
    /// Filed and sent messages that name them.
    pub message_count: u32,
    pub last_date: DateTime<Utc>,
    /// Fields with different values of which a person has only one.
    pub contradictions: Vec<Field>,
}

impl KnownPatient {
    pub fn of(known: Known, counts: &HashMap<Uuid, u32>) -> Self {
        Self {
            id: Some(known.id),
            contradictions: known.face.contradictions(),
            patient: named(known.id, known.face.patient),
            message_count: counts.get(&known.id).copied().unwrap_or_default(),
            last_date: known.seen_at,
        }
    }
}

/// The patient data for a form, with the id.
fn named(id: Uuid, patient: Patient) -> Patient {
    Patient { known_patient_id: Some(id), ..patient }
}

/// A known patient who may be the same person.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientMatch {
    pub patient: Patient,
    pub certainty: Certainty,
    /// Estimated percentage of such pairs that are one person; at most 99.
    pub percent: u8,
    /// Compared fields. A field with a missing value is not included.
    pub fields: Vec<FieldMatch>,
    /// Date of the patient's latest message.
    pub last_date: DateTime<Utc>,
}

impl From<Match> for PatientMatch {
    fn from(found: Match) -> Self {
        let Match { known, certainty, percent, fields, .. } = found;
        let (patient, last_date) = (named(known.id, known.face.patient), known.seen_at);
        Self { patient, certainty, percent, fields, last_date }
    }
}

/// Origin of a displayed value.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    pub field: Field,
    /// Received, Sent, Interface or Correction.
    #[schema(value_type = String)]
    pub kind: SourceKind,
    pub at: DateTime<Utc>,
    /// The message; none for a correction.
    pub message_id: Option<Uuid>,
    /// Name of the person who corrected it.
    pub person: Option<String>,
}

/// A patient with all details.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientView {
    /// The remaining patient, if a merged one was requested.
    pub id: Uuid,
    pub patient: Patient,
    /// The record number, and numbers of other organizations.
    pub identifiers: Vec<PatientIdentifier>,
    /// `Last, First`, the newest first.
    pub other_names: Vec<String>,
    /// Differing values, newest first.
    pub others: Vec<Other>,
    pub provenance: Vec<Provenance>,
    /// Fields with different values of which a person has only one.
    pub contradictions: Vec<Field>,
    pub message_count: u32,
    pub last_date: DateTime<Utc>,
    /// Possible duplicates.
    pub duplicates: Vec<KnownPatient>,
    pub version: i32,
}

/// The other names of a face.
pub(crate) fn other_names(face: &Face) -> Vec<String> {
    let shown = |name: &face::Name| {
        let patient =
            Patient { first_name: name.first.clone(), last_name: name.last.clone(), ..Patient::default() };
        patient.display_name()
    };
    face.other_names.iter().map(shown).collect()
}

/// Two possible duplicates.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DuplicatePair {
    pub one: KnownPatient,
    pub other: KnownPatient,
    /// Estimated percentage of such pairs that are one person; at most 99.
    pub percent: u8,
    pub fields: Vec<FieldMatch>,
}

impl DuplicatePair {
    pub fn of(pair: Pair, counts: &HashMap<Uuid, u32>) -> Self {
        let Pair { one, other, percent, fields } = pair;
        Self { one: KnownPatient::of(one, counts), other: KnownPatient::of(other, counts), percent, fields }
    }
}

/// The other patient.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OtherPatientForm {
    pub other_id: Uuid,
}

/// Corrected values of a patient; empty fields stay unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CorrectionForm {
    #[serde(flatten)]
    pub patient: Patient,
    /// Version of the patient that was read.
    pub version: Option<i32>,
}

/// A stored decision, which can be undone by its id.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientDecision {
    pub event_id: Uuid,
}

/// The member who decided.
#[derive(Serialize, ToSchema)]
pub struct PatientDecider {
    pub id: Uuid,
    pub name: String,
}

/// A decision about a patient.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientEvent {
    pub id: Uuid,
    /// Merged, ToldApart, Corrected or Moved.
    #[schema(value_type = String)]
    pub kind: EventKind,
    pub at: DateTime<Utc>,
    pub by: PatientDecider,
    /// The patient who was merged or marked as different, or from whom a message was moved.
    pub other: Option<OtherPatientName>,
    pub undone_at: Option<DateTime<Utc>>,
    pub can_undo: bool,
}

/// Another patient by name; empty if the patient no longer has one.
#[derive(Serialize, ToSchema)]
pub struct OtherPatientName {
    pub id: Uuid,
    pub name: String,
}
