//! What goes over the wire about patients.

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

/// A patient to look for. At least one of the text, the name, the birth date and the patient ID is needed.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientSearch {
    /// Whatever is known in one line: `Last, First 3/14/61`, a record number, a birth date, a telephone number.
    #[serde(default)]
    pub text: SearchWords,
    /// Words of the name, each by its beginning.
    #[serde(default)]
    pub name: SearchWords,
    pub birth_date: Option<NaiveDate>,
    /// A patient ID or MRN, whole.
    #[schema(max_length = 255)]
    pub patient_id: Option<String>,
    /// M, F or UN.
    #[schema(max_length = 20)]
    pub gender: Option<String>,
    /// Part of the name or address of who sent what names the patient, or to whom it went.
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
    /// Null for one whom only messages name that are not in the index yet.
    pub id: Option<Uuid>,
    pub patient: Patient,
    /// Filed and sent messages that name them.
    pub message_count: u32,
    pub last_date: DateTime<Utc>,
    /// Of what different values were said, though a person has but one.
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

/// A patient as forms take it over.
fn named(id: Uuid, patient: Patient) -> Patient {
    Patient { known_patient_id: Some(id), ..patient }
}

/// A known patient who may be the same person.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientMatch {
    pub patient: Patient,
    pub certainty: Certainty,
    /// How many of a hundred such pairs are of one person, as estimated; at most 99.
    pub percent: u8,
    /// What was compared. What one side does not say is not among it.
    pub fields: Vec<FieldMatch>,
    /// When the patient was named last.
    pub last_date: DateTime<Utc>,
}

impl From<Match> for PatientMatch {
    fn from(found: Match) -> Self {
        let Match { known, certainty, percent, fields, .. } = found;
        let (patient, last_date) = (named(known.id, known.face.patient), known.seen_at);
        Self { patient, certainty, percent, fields, last_date }
    }
}

/// Where a value that is shown comes from.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    pub field: Field,
    /// Received, Sent, Interface or Correction.
    #[schema(value_type = String)]
    pub kind: SourceKind,
    pub at: DateTime<Utc>,
    /// The message that says it; none for a correction.
    pub message_id: Option<Uuid>,
    /// The name of whoever corrected it.
    pub person: Option<String>,
}

/// All that is known of a patient.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientView {
    /// Whom a merged patient turned out to be, if one was asked for.
    pub id: Uuid,
    pub patient: Patient,
    /// The record number, and the numbers of other houses.
    pub identifiers: Vec<PatientIdentifier>,
    /// `Last, First`, the newest first.
    pub other_names: Vec<String>,
    /// What was said otherwise, the newest first.
    pub others: Vec<Other>,
    pub provenance: Vec<Provenance>,
    /// Of what different values were said, though a person has but one.
    pub contradictions: Vec<Field>,
    pub message_count: u32,
    pub last_date: DateTime<Utc>,
    /// Others who may be the same person.
    pub duplicates: Vec<KnownPatient>,
    pub version: i32,
}

/// Names under which a face is known besides the shown one.
pub(crate) fn other_names(face: &Face) -> Vec<String> {
    let shown = |name: &face::Name| {
        let patient =
            Patient { first_name: name.first.clone(), last_name: name.last.clone(), ..Patient::default() };
        patient.display_name()
    };
    face.other_names.iter().map(shown).collect()
}

/// Two patients who may be one person.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DuplicatePair {
    pub one: KnownPatient,
    pub other: KnownPatient,
    /// How many of a hundred such pairs are of one person, as estimated; at most 99.
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

/// What is right of a patient; what is left empty stays as it is known.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CorrectionForm {
    #[serde(flatten)]
    pub patient: Patient,
    /// That of the patient that was read.
    pub version: Option<i32>,
}

/// A decision that was written, by which it is undone.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientDecision {
    pub event_id: Uuid,
}

/// Somebody of the organization.
#[derive(Serialize, ToSchema)]
pub struct PatientDecider {
    pub id: Uuid,
    pub name: String,
}

/// What somebody decided about a patient.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientEvent {
    pub id: Uuid,
    /// Merged, ToldApart, Corrected or Moved.
    #[schema(value_type = String)]
    pub kind: EventKind,
    pub at: DateTime<Utc>,
    pub by: PatientDecider,
    /// The patient who was merged or told apart, or from whom a message was taken.
    pub other: Option<OtherPatientName>,
    pub undone_at: Option<DateTime<Utc>>,
    pub can_undo: bool,
}

/// Another patient, by the name that is known; empty for one who has none any more.
#[derive(Serialize, ToSchema)]
pub struct OtherPatientName {
    pub id: Uuid,
    pub name: String,
}
