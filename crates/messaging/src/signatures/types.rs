//! Types of the API.

use crate::{model::Direction, people::PersonView};
use accounts::second_factor::PasswordOrCode;
use chrono::{DateTime, Utc};
use platform::text::Rule;
use serde::{Deserialize, Serialize};
use store::entities::{
    signature::{Confirmation, SignatureState, SignedFile},
    signed_document::SigningState,
};
use utoipa::ToSchema;
use uuid::Uuid;

platform::text! {
    /// A name that is shown as the signature.
    pub TypedSignature = Rule::line(0, 100).says("Please enter up to 100 characters.");
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
    /// What is shown as the signature. Required.
    pub signature: Option<SignatureMark>,
    /// The signer agreed to the `consent` of the signers. Required.
    #[serde(default)]
    pub consents: bool,
    /// Name of the signer's time zone, such as `America/New_York`, for the time in the PDF. Default UTC.
    #[schema(max_length = 64)]
    pub time_zone: Option<String>,
    /// The signer confirmed that a document names a different patient than the message. Otherwise that is refused at
    /// this field.
    pub accepts_patient: Option<bool>,
}

/// A signature that was typed or drawn.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignatureMark {
    pub kind: MarkKind,
    /// The name, if it was typed.
    pub text: Option<TypedSignature>,
    /// The lines, if it was drawn: each is a list of coordinates `x, y, x, y ...` from 0 to 1000, rightwards and
    /// downwards. At most 200 lines with 5,000 points.
    #[schema(max_items = 200)]
    pub strokes: Option<Vec<Vec<u16>>>,
}

/// How a signature was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    Drawn,
    Typed,
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

/// A document that is to be signed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentToSign {
    pub attachment_id: Uuid,
    pub file_name: String,
    /// Number of pages, as far as known.
    pub pages: Option<i32>,
}

/// A document as PDF with the signatures of its signers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedPdf {
    pub attachment_id: Uuid,
    pub file_name: String,
    pub state: SigningState,
    /// Whose signatures it has, in the order of signing.
    pub signed_by: Vec<PersonView>,
    /// Why it could not be made.
    pub problem: String,
    pub size_bytes: i64,
    /// A signature has no timestamp, because the time stamping authority did not answer.
    pub lacks_timestamp: bool,
    /// The document was changed after the signatures.
    pub is_outdated: bool,
    /// When the last signature was put into it.
    pub ready_on: Option<DateTime<Utc>>,
}

/// The signers of a message's documents.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Signers {
    /// In the order of the requests.
    pub items: Vec<Signer>,
    /// Identifies the present documents; to be sent back with a signature.
    pub documents: String,
    /// The present documents, in order.
    pub files: Vec<DocumentToSign>,
    /// What signers agree to.
    pub consent: String,
    /// The signed documents as PDF. Those of deleted documents are left out.
    pub signed_pdfs: Vec<SignedPdf>,
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
