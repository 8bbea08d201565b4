//! What is read from an EHR and written to it, without the form of FHIR.
//!
//! A text that the EHR does not have is empty; an `Option` is used where its absence has a meaning. `Debug` shows no content.

use bytes::Bytes;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use std::fmt;
use uuid::Uuid;

/// Gender for administrative purposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gender {
    /// Male.
    Male,
    /// Female.
    Female,
    /// Neither.
    Other,
    /// Not known, or not said.
    #[default]
    Unknown,
}

/// A number by which somebody knows a patient.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Identifier {
    /// Namespace as a URI; may be empty.
    pub system: String,
    /// The number.
    pub value: String,
    /// Code of HL7 table 0203, such as `MR` for the record number.
    pub kind: Option<String>,
}

/// A patient of the EHR.
#[derive(Clone, PartialEq, Eq)]
pub struct Patient {
    /// Logical id in the EHR; empty for one that is to be added.
    pub id: String,
    /// Last name.
    pub family: String,
    /// First name.
    pub given: String,
    /// Further given names.
    pub middle: String,
    /// Last names that are no longer used.
    pub former_names: Vec<String>,
    /// Day of birth; `None` also if only the year or the month is known.
    pub born: Option<NaiveDate>,
    /// Administrative gender.
    pub gender: Gender,
    /// All identifiers in force.
    pub identifiers: Vec<Identifier>,
    /// The identifier of type MR.
    pub record_number: Option<String>,
    /// Street and number.
    pub street1: String,
    /// Second line of the street.
    pub street2: String,
    /// City.
    pub city: String,
    /// State.
    pub state: String,
    /// ZIP code.
    pub postal_code: String,
    /// Country.
    pub country: String,
    /// Telephone number.
    pub phone: String,
    /// Whether the record is in use. A replaced one is not.
    pub is_active: bool,
    /// Whether the patient has died.
    pub is_deceased: bool,
    /// Id of the record that replaces this one.
    pub replaced_by: Option<String>,
    /// Id of the managing organization.
    pub facility: Option<String>,
}

/// What patients are searched by. All that is given has to match.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct PatientQuery {
    /// Words of any name.
    pub name: Option<String>,
    /// Day of birth.
    pub born: Option<NaiveDate>,
    /// Beginning of the last name.
    pub family: Option<String>,
    /// Beginning of the first name.
    pub given: Option<String>,
    /// Logical id.
    pub id: Option<String>,
    /// Record number.
    pub record_number: Option<String>,
    /// Administrative gender.
    pub gender: Option<Gender>,
    /// Id of the managing organization.
    pub facility: Option<String>,
    /// Whether records that are no longer in use are found too.
    pub include_inactive: bool,
}

/// A day, or a point in time where the EHR has one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A day without a time.
    Day(NaiveDate),
    /// A time with the offset that the EHR wrote.
    Time(DateTime<FixedOffset>),
}

impl Moment {
    /// The day, in the EHR's own time zone.
    pub fn day(self) -> NaiveDate {
        match self {
            Self::Day(day) => day,
            Self::Time(time) => time.date_naive(),
        }
    }

    /// The time there, which is midnight for a day alone.
    pub fn local(self) -> NaiveDateTime {
        match self {
            Self::Day(day) => day.and_time(NaiveTime::MIN),
            Self::Time(time) => time.naive_local(),
        }
    }
}

/// Class of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VisitClass {
    /// Ambulatory.
    Office,
    /// Emergency department.
    Emergency,
    /// Inpatient.
    Inpatient,
    /// Observation or short stay.
    Observation,
    /// At the patient's home.
    Home,
    /// By telephone or video.
    Virtual,
    /// Anything else.
    #[default]
    Other,
}

/// A visit (Encounter).
#[derive(Clone, PartialEq, Eq)]
pub struct Visit {
    /// Logical id.
    pub id: String,
    /// Begin.
    pub begins: Option<Moment>,
    /// End.
    pub ends: Option<Moment>,
    /// Name of the practitioner.
    pub provider: String,
    /// Kind of visit or reason for it.
    pub description: String,
    /// Status as the EHR has it, such as `planned` or `finished`.
    pub status: String,
    /// Class.
    pub class: VisitClass,
    /// Whether it was cancelled.
    pub is_cancelled: bool,
    /// Id of the organization or location.
    pub facility: Option<String>,
}

/// An order (ServiceRequest).
#[derive(Clone, PartialEq, Eq)]
pub struct Order {
    /// Logical id.
    pub id: String,
    /// The visit at which it was ordered.
    pub visit_id: Option<String>,
    /// Day of the order.
    pub date: Option<NaiveDate>,
    /// What was ordered. Begins with "Not to be performed: " for a negation.
    pub description: String,
    /// Status as the EHR has it, such as `active` or `completed`.
    pub status: String,
    /// Whether it was revoked.
    pub is_revoked: bool,
}

/// A person who reviews documents (Practitioner).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewer {
    /// Logical id.
    pub id: String,
    /// Last name.
    pub family: String,
    /// First name.
    pub given: String,
    /// National Provider Identifier, or else the first identifier.
    pub user_name: String,
    /// Whether the person still works there.
    pub is_active: bool,
}

/// Kind of a group of reviewers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// FHIR's Group.
    Group,
    /// FHIR's CareTeam.
    CareTeam,
}

/// A group that reviews documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewerGroup {
    /// Logical id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: GroupKind,
}

/// Type of a document, usually a LOINC code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentType {
    /// Code system as a URI.
    pub system: String,
    /// Code.
    pub code: String,
    /// Name for people.
    pub name: String,
}

/// A facility of the practice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facility {
    /// Id of its organization, or of the location if that has none.
    pub id: String,
    /// Name.
    pub name: String,
}

/// A list of an EHR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// What was found.
    pub items: Vec<T>,
    /// Whether there is more than was read.
    pub is_cut: bool,
    /// The number of matches that the EHR claims.
    pub total: Option<u64>,
    /// How many entries were left out and why, without their content.
    pub warnings: Vec<String>,
}

/// What the EHR says that it offers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offers {
    /// Name and version of the software.
    pub software: String,
    /// Version of FHIR, such as `4.0.1`.
    pub fhir_version: String,
    /// Searching for patients.
    pub patient_search: bool,
    /// The operation `$match`.
    pub patient_match: bool,
    /// Adding patients.
    pub patient_create: bool,
    /// Searching for visits.
    pub visits: bool,
    /// Searching for orders.
    pub orders: bool,
    /// Searching for practitioners.
    pub reviewers: bool,
    /// Searching for groups.
    pub groups: bool,
    /// Searching for care teams.
    pub care_teams: bool,
    /// Searching for locations.
    pub facilities: bool,
    /// Expanding or reading value sets.
    pub document_types: bool,
    /// Creating documents.
    pub file_documents: bool,
    /// Creating content apart from its document.
    pub file_content: bool,
    /// Creating a document only if there is none with the same identifier.
    pub conditional_create: bool,
    /// Reading documents and searching for them.
    pub read_documents: bool,
    /// Changing documents, which marks them as entered in error.
    pub update_documents: bool,
}

/// Confidentiality of a document (v3-Confidentiality).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confidentiality {
    /// N.
    #[default]
    Normal,
    /// R.
    Restricted,
    /// V.
    VeryRestricted,
}

/// A document to be filed.
#[derive(Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// Ours: the EHR never gets two documents with the same one.
    pub identifier: Uuid,
    /// Id of the patient.
    pub patient_id: String,
    /// Id of the visit.
    pub visit_id: Option<String>,
    /// Ids of the orders.
    pub order_ids: Vec<String>,
    /// Id of the practitioner who is to review it.
    pub reviewer_id: Option<String>,
    /// The group that is to review it.
    pub reviewer_group: Option<(GroupKind, String)>,
    /// Type.
    pub kind: DocumentType,
    /// Title for people.
    pub title: String,
    /// Day of the document.
    pub date: Option<NaiveDate>,
    /// Confidentiality.
    pub confidentiality: Confidentiality,
    /// Media type of the content, such as `application/pdf`.
    pub media_type: String,
    /// The content.
    pub content: Bytes,
    /// A remark for the reviewer.
    pub note: Option<String>,
    /// Whether it is to be reviewed at once.
    pub is_urgent: bool,
    /// Name of the sender.
    pub author: String,
}

/// A document that is in the EHR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filed {
    /// Logical id of the DocumentReference.
    pub id: String,
    /// Its version.
    pub version: Option<String>,
    /// Absolute URL of the DocumentReference.
    pub location: String,
    /// Whether it was created now, rather than found.
    pub is_new: bool,
}

impl Default for Patient {
    /// An active record without any content.
    fn default() -> Self {
        Self {
            id: String::new(),
            family: String::new(),
            given: String::new(),
            middle: String::new(),
            former_names: Vec::new(),
            born: None,
            gender: Gender::Unknown,
            identifiers: Vec::new(),
            record_number: None,
            street1: String::new(),
            street2: String::new(),
            city: String::new(),
            state: String::new(),
            postal_code: String::new(),
            country: String::new(),
            phone: String::new(),
            is_active: true,
            is_deceased: false,
            replaced_by: None,
            facility: None,
        }
    }
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self { items: Vec::new(), is_cut: false, total: None, warnings: Vec::new() }
    }
}

/// `Debug` that shows the name of the type alone, for patient data.
macro_rules! without_content {
    ($($type:ident),*) => {$(
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        }
    )*};
}

without_content!(Identifier, Patient, PatientQuery, Moment, Visit, Order, NewDocument);
