//! Requests and answers of [`super::http`].

use crate::model::Patient;
use platform::text::Line;
use serde::Deserialize;
use store::entities::export_task::ExportForm;
use utoipa::ToSchema;
use uuid::Uuid;

/// A patient, and the version on which the change is based.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientForm {
    #[serde(flatten)]
    pub patient: Patient,
    /// `patientVersion` that was read.
    pub version: Option<u32>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessRequest {
    pub is_processed: bool,
    /// A new subject; absent: unchanged.
    pub subject: Option<Line>,
    /// What was made of the message.
    pub process_type: Option<ExportForm>,
    /// A person confirmed processing without a patient or document type. Otherwise that is refused at this field or, if
    /// the organization does not allow it at all, at `isProcessed`.
    #[serde(default)]
    pub accepts_gaps: bool,
    /// A person confirmed that a document names a different patient. Otherwise that is refused at this field.
    #[serde(default)]
    pub accepts_patient: bool,
    /// Even if a colleague has the message open. Otherwise that is refused at this field.
    #[serde(default)]
    pub takes_over: bool,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssignRequest {
    /// Null for nobody.
    pub user_id: Option<Uuid>,
    /// Absent: unchanged. Removed if nobody is assigned.
    pub urgent: Option<bool>,
}
