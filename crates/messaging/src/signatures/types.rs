//! What goes over the wire.

use crate::{model::Direction, people::PersonView};
use accounts::second_factor::PasswordOrCode;
use chrono::{DateTime, Utc};
use platform::text::Rule;
use serde::{Deserialize, Serialize};
use store::entities::signature::{Confirmation, SignatureState, SignedFile};
use utoipa::ToSchema;
use uuid::Uuid;

platform::text! {
    /// What the signers are told.
    pub SignatureNote = Rule::lines(0, 500).says("Please enter up to 500 characters.");
    /// Why somebody does not sign.
    pub DeclineReason = Rule::lines(1, 500).says("Please say why, in up to 500 characters.");
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignatureForm {
    /// Colleagues, or oneself.
    #[schema(min_items = 1, max_items = 20)]
    pub signers: Vec<Uuid>,
    pub note: Option<SignatureNote>,
}

/// A signature, and who it is that signs: either the password or a code by e-mail.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignForm {
    /// `documents` of what was looked at.
    #[schema(max_length = 64)]
    pub documents: String,
    #[serde(flatten)]
    pub proof: PasswordOrCode,
    /// The signer saw that a document names another patient than the message. Without it that is refused at this field.
    pub accepts_patient: Option<bool>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeclineForm {
    pub reason: DeclineReason,
}

/// Somebody who is asked to sign the documents of a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Signer {
    pub id: Uuid,
    pub signer: PersonView,
    pub requested_by: PersonView,
    pub state: SignatureState,
    pub note: String,
    /// Why it was declined.
    pub reason: String,
    pub asked_on: DateTime<Utc>,
    pub settled_on: Option<DateTime<Utc>>,
    pub confirmed_by: Option<Confirmation>,
    /// What was signed.
    pub files: Vec<SignedDocument>,
    /// A document was changed, added or removed after it was signed.
    pub is_outdated: bool,
    /// The caller may sign or decline.
    pub is_own: bool,
    /// The caller may take the request back.
    pub can_be_cancelled: bool,
}

/// A document as it was signed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedDocument {
    pub attachment_id: Uuid,
    /// Of its bytes, in hexadecimal digits.
    pub sha256: String,
}

impl From<SignedFile> for SignedDocument {
    fn from(file: SignedFile) -> Self {
        Self { attachment_id: file.attachment_id, sha256: file.sha256 }
    }
}

/// Who signs the documents of a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Signers {
    /// In the order in which they were asked.
    pub items: Vec<Signer>,
    /// Stands for the documents as they are now; to be sent back with a signature.
    pub documents: String,
}

/// Which requests are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SignatureView {
    /// What the caller is asked to sign.
    #[default]
    Waiting,
    /// What the caller signed or declined.
    Settled,
    /// What the caller asked others for.
    Requested,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct SignatureParams {
    /// `waiting` when absent.
    #[param(inline)]
    pub view: Option<SignatureView>,
    /// 30 unless said, 100 at most
    pub page_size: Option<u64>,
    pub page_start: Option<u64>,
}

/// A request in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignatureRow {
    pub id: Uuid,
    pub message_id: Uuid,
    pub direction: Direction,
    pub is_draft: bool,
    pub subject: String,
    pub patient_name: String,
    pub document_type: String,
    pub signer: PersonView,
    pub requested_by: PersonView,
    pub state: SignatureState,
    pub note: String,
    pub reason: String,
    pub asked_on: DateTime<Utc>,
    pub settled_on: Option<DateTime<Utc>>,
}
