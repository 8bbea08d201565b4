//! Types of the API.

use crate::{model::Direction, people::PersonView};
use accounts::second_factor::PasswordOrCode;
use chrono::{DateTime, Utc};
use platform::text::Rule;
use serde::{Deserialize, Serialize};
use store::entities::signature::{Confirmation, SignatureState, SignedFile};
use utoipa::ToSchema;
use uuid::Uuid;

platform::text! {
    /// A message for the signers.
    pub SignatureNote = Rule::lines(0, 500).says("Please enter up to 500 characters.");
    /// Why somebody declines to sign.
    pub DeclineReason = Rule::lines(1, 500).says("Please say why, in up to 500 characters.");
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignatureForm {
    /// Colleagues, or the caller.
    #[schema(min_items = 1, max_items = 20)]
    pub signers: Vec<Uuid>,
    pub note: Option<SignatureNote>,
}

/// A signature with proof of identity: either the password or a code by e-mail.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignForm {
    /// The `documents` value of the version that the signer saw.
    #[schema(max_length = 64)]
    pub documents: String,
    #[serde(flatten)]
    pub proof: PasswordOrCode,
    /// The signer confirmed that a document names a different patient than the message. Otherwise that is refused at
    /// this field.
    pub accepts_patient: Option<bool>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeclineForm {
    pub reason: DeclineReason,
}

/// A person who is asked to sign the documents of a message.
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
    /// The signed files.
    pub files: Vec<SignedDocument>,
    /// A document was changed, added or removed after the signature.
    pub is_outdated: bool,
    /// The caller may sign or decline.
    pub is_own: bool,
    /// The caller may withdraw the request.
    pub can_be_cancelled: bool,
}

/// A signed document.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedDocument {
    pub attachment_id: Uuid,
    /// Hash of its bytes, in hexadecimal digits.
    pub sha256: String,
}

impl From<SignedFile> for SignedDocument {
    fn from(file: SignedFile) -> Self {
        Self { attachment_id: file.attachment_id, sha256: file.sha256 }
    }
}

/// The signers of a message's documents.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Signers {
    /// In the order of the requests.
    pub items: Vec<Signer>,
    /// Identifies the present documents; to be sent back with a signature.
    pub documents: String,
}

/// Filter of the requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SignatureView {
    /// Requests to the caller.
    #[default]
    Waiting,
    /// Signed or declined by the caller.
    Settled,
    /// The caller's requests to others.
    Requested,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct SignatureParams {
    /// Default `waiting`.
    #[param(inline)]
    pub view: Option<SignatureView>,
    /// Default 30, maximum 100
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
