//! Requests and answers of lookups in the chart.

use chrono::{DateTime, FixedOffset, NaiveDate};
use patients::model::Patient;
use platform::text::{Line, SearchWords};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Criteria for a search of patients: a name and birth date, or details.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ChartPatientSearch {
    /// The connection; the first that can by default.
    pub integration_id: Option<Uuid>,
    /// Last name, or `Last, First`. At least 3 characters.
    pub name: SearchWords,
    /// At least 2 characters.
    pub first_name: SearchWords,
    /// At least 2 characters.
    pub last_name: SearchWords,
    pub birth_date: Option<NaiveDate>,
    /// Id in the EHR.
    pub patient_id: SearchWords,
    /// Record number, at least 2 characters.
    pub mrn: SearchWords,
    /// Id of a facility.
    pub facility: SearchWords,
    /// M, F or UN; male, female and undifferentiated are also accepted.
    pub gender: SearchWords,
    pub show_inactive: bool,
}

/// A patient found in the chart.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LookupPatient {
    /// Id in the EHR.
    pub id: String,
    pub medical_record_number: Option<String>,
    pub first_name: String,
    pub middle_name: String,
    pub last_name: String,
    /// Earlier last names.
    pub former_names: Vec<String>,
    pub birth_date: Option<NaiveDate>,
    /// M, F, UN, or empty.
    pub gender: String,
    pub street_address1: String,
    pub street_address2: String,
    pub city: String,
    pub state: String,
    pub postal_code: String,
    pub telephone: String,
    pub facility_id: Option<String>,
    pub is_active: bool,
    pub is_deceased: bool,
    /// Begin and end of the latest visit.
    pub admit_date: Option<NaiveDate>,
    pub discharge_date: Option<NaiveDate>,
}

/// Patients found in the chart.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientResults {
    pub items: Vec<LookupPatient>,
    /// Whether there are more than were read: narrow the search.
    pub is_cut: bool,
    /// Duration of the answer.
    pub milliseconds: u64,
    pub integration_id: Uuid,
    /// Name of the connection.
    pub integration_name: String,
}

/// A patient of the chart with all details, in the form of a message's patient.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientDetails {
    pub patient: Patient,
    pub is_active: bool,
    pub is_deceased: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VisitSearch {
    pub integration_id: Option<Uuid>,
    /// Id in the EHR.
    pub patient_id: Line,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderSearch {
    pub integration_id: Option<Uuid>,
    /// Id in the EHR.
    pub patient_id: Line,
    /// Id in the EHR; all orders of the patient without one.
    pub visit_id: Option<Line>,
}

/// A visit of a patient.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Visit {
    pub id: String,
    pub date: Option<NaiveDate>,
    /// Begin with its time, if the EHR has one.
    pub time: Option<DateTime<FixedOffset>>,
    pub end_date: Option<NaiveDate>,
    pub provider: String,
    pub description: String,
    pub status: String,
    pub is_cancelled: bool,
    pub orders: Vec<Order>,
}

/// An order of a patient.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    pub id: String,
    pub date: Option<NaiveDate>,
    pub description: String,
    pub status: String,
    /// Whether it was revoked.
    pub is_revoked: bool,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ReviewerSearch {
    pub integration_id: Option<Uuid>,
    /// Part of a name; empty for all.
    pub search: SearchWords,
}

/// A person in the EHR who can review documents.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reviewer {
    /// Id in the EHR.
    pub external_id: String,
    pub first_name: String,
    pub last_name: String,
    pub username: String,
}

/// A group in the EHR that can review documents.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewerGroup {
    /// Id in the EHR.
    pub id: String,
    pub group_name: String,
}

/// A document type of the EHR.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartDocumentType {
    /// Code in its system, such as LOINC.
    pub id: String,
    pub name: String,
    /// Name of the connection.
    pub source: String,
}

/// A facility of the EHR.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Facility {
    pub id: String,
    pub name: String,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ConnectionParams {
    /// The connection; the first that can by default.
    pub integration_id: Option<Uuid>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct FacilityParams {
    /// The connection; the first that can by default.
    pub integration_id: Option<Uuid>,
    /// Part of the name.
    #[param(inline)]
    pub filter: Option<SearchWords>,
}

/// A patient to be added to the EHR.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewChartPatient {
    /// The connection; the first that can by default.
    pub integration_id: Option<Uuid>,
    pub patient: Patient,
    /// A person looked at the patients who are alike. Otherwise that is refused at this field, if there are any.
    #[serde(default)]
    pub accepts_duplicates: bool,
}
