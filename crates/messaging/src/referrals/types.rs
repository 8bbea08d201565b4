//! Requests and answers of [`super::http`].

use chrono::{DateTime, NaiveDate, Utc};
use platform::text::Rule;
use serde::Deserialize;
use store::entities::conversation_step::StepAction;
use utoipa::ToSchema;
use uuid::Uuid;

platform::text! {
    /// Why a patient is referred.
    pub ReferralReason = Rule::line(1, 500).says("Please say why the patient is referred.");
    /// Text of an answer.
    pub ReferralNote = Rule::lines(0, 2_000);
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReferralForm {
    /// A draft with a patient, a C-CDA document and one Direct recipient. It is sent at once.
    pub message_id: Uuid,
    pub reason: ReferralReason,
    /// Default: 30 days from today.
    pub due_date: Option<NaiveDate>,
    /// A person confirmed that a document names a different patient than the draft. Otherwise that is refused at this
    /// field.
    pub accepts_patient: Option<bool>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationResponse {
    /// The answered message of the referral; default: the latest.
    pub response_to_message_id: Option<Uuid>,
    /// Always `360x`.
    #[schema(max_length = 20)]
    pub response_type: Option<String>,
    pub response_action: StepAction,
    #[serde(default)]
    pub note: ReferralNote,
    /// For an appointment.
    pub appointment_date: Option<DateTime<Utc>>,
    /// A draft whose files are included, such as the consultation note of an outcome.
    pub draft_id: Option<Uuid>,
    /// A person confirmed that a document names a different patient than the referral. Otherwise that is refused at
    /// this field.
    pub accepts_patient: Option<bool>,
}
