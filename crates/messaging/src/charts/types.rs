//! Requests and answers about charts, and what a filing stores.

use crate::model::{ChartChoices, Confidentiality, Patient};
use chrono::{DateTime, NaiveDate, Utc};
use integrations::lookup_types::LookupPatient;
use patients::compare::{Certainty, Difference, FieldMatch};
use serde::{Deserialize, Serialize};
use store::entities::{chart_filing::FilingState, integration::IntegrationType};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// What is filed, as chosen by a person or a rule. Stored sealed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Chosen {
    /// Id of the patient in the EHR.
    pub patient_id: String,
    /// The patient of the message, to compare with that of the chart.
    pub patient: Patient,
    /// Base address of the EHR in which the patient was found.
    pub base_url: String,
    pub visit_id: Option<String>,
    pub choices: ChartChoices,
    pub document_type: ChosenType,
    pub date: Option<NaiveDate>,
    pub confidentiality: Confidentiality,
    pub title: String,
    pub from: String,
    /// Whether the message was marked as processed with it.
    #[serde(default)]
    pub processes: bool,
}

/// Document type in a code system.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ChosenType {
    pub system: String,
    pub code: String,
    pub name: String,
}

/// Files the documents of a message into its patient's chart.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileRequest {
    /// The connection with the chart that the person saw.
    pub integration_id: Uuid,
    /// Id of the patient in the EHR whom the person saw; empty for a system without charts. If the message has another
    /// one by now, that is refused at `patient`.
    #[schema(max_length = 255)]
    pub chart_patient_id: String,
    /// The documents; all by default.
    #[schema(max_items = 100)]
    pub attachment_ids: Option<Vec<Uuid>>,
    /// Also marks the message as processed.
    #[serde(default = "yes")]
    pub processes: bool,
    /// A person confirmed processing without a document type. Otherwise that is refused at this field.
    #[serde(default)]
    pub accepts_gaps: bool,
    /// A person confirmed that a document names a different patient. Otherwise that is refused at this field.
    #[serde(default)]
    pub accepts_patient: bool,
    /// Even if a colleague has the message open. Otherwise that is refused at this field.
    #[serde(default)]
    pub takes_over: bool,
}

fn yes() -> bool {
    true
}

/// A document in a chart, or on its way there.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilingView {
    pub id: Uuid,
    pub attachment_id: Uuid,
    pub file_name: String,
    pub integration_id: Uuid,
    /// Name of the connection; empty if it was deleted.
    pub integration_name: String,
    pub integration_type: IntegrationType,
    pub state: FilingState,
    /// Name of the patient, as filed.
    pub patient_name: String,
    /// Id of the document in the chart.
    pub chart_document_id: Option<String>,
    /// Address of the patient's chart for people, if the connection has one.
    pub chart_url: Option<String>,
    pub filed_at: Option<DateTime<Utc>>,
    /// The person, or `rule` with its name.
    pub filed_by: String,
    /// The intake rule that filed it.
    pub rule_id: Option<Uuid>,
    /// Certainty of the patient, in percent, of a filing by a rule.
    pub percent: Option<i16>,
    pub withdrawn_at: Option<DateTime<Utc>>,
    /// Why it failed.
    pub problem: String,
    pub created_at: DateTime<Utc>,
}

/// The documents of a message in charts.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChartView {
    pub items: Vec<FilingView>,
    /// Why an intake rule did not file the message, if one was to.
    pub refusal: Option<RefusalView>,
}

/// Why an intake rule left a message to people.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FilingRefusal)]
pub struct RefusalView {
    pub rule_name: String,
    /// Part of a sentence, without patient data: `the birth date differs`.
    pub reason: String,
    pub at: DateTime<Utc>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct MatchParams {
    /// The connection; the first that can find patients by default.
    pub integration_id: Option<Uuid>,
}

/// A patient of the chart who may be the patient of the message.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMatch {
    pub patient: LookupPatient,
    /// Null if they hardly are the same person.
    pub certainty: Option<Certainty>,
    /// Estimated percentage of such pairs that are one person; at most 99.
    pub percent: u8,
    /// Compared fields. A field with a missing value is not included.
    pub fields: Vec<FieldMatch>,
    /// What a person has to check.
    pub differences: Vec<Difference>,
}

/// The patients of the chart for a message, the most likely first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMatches {
    pub items: Vec<ChartMatch>,
    /// Whether there are more than were read. Nobody is proposed then.
    pub is_cut: bool,
    /// The only certain one, unless anything differs that a person has to check.
    pub proposed: Option<String>,
    pub integration_id: Uuid,
    /// Name of the connection.
    pub integration_name: String,
    pub milliseconds: u64,
}

/// Filter of the documents that are not in a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FailedFilingView {
    /// On their way for more than ten minutes.
    Waiting,
    /// Not filed, or not taken back.
    Failed,
}

#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct FailedFilingParams {
    /// Default: both.
    #[param(inline)]
    pub view: Option<FailedFilingView>,
    pub page_start: Option<u64>,
    /// Default 10, maximum 100.
    pub page_size: Option<u64>,
}

/// A document that is not in the chart, or that could not be taken back from it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedFiling {
    /// Id of the filing.
    pub id: Uuid,
    pub message_id: Uuid,
    pub attachment_id: Uuid,
    pub file_name: String,
    pub subject: String,
    pub from_name: String,
    pub from_address: String,
    /// Name of the patient, as filed.
    pub patient_name: String,
    pub integration_id: Uuid,
    /// Name of the connection; empty if it was deleted.
    pub integration_name: String,
    pub integration_type: IntegrationType,
    /// Waiting, Failed or WithdrawalFailed.
    pub state: FilingState,
    /// What happened, in plain words.
    pub explanation: String,
    /// The person, or `rule` with its name.
    pub filed_by: String,
    pub at: DateTime<Utc>,
    /// Time of the next attempt, if the connection is paused.
    pub next_at: Option<DateTime<Utc>>,
}
