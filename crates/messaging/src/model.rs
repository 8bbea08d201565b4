//! Types of messages, as stored and as sent over the API.

use chrono::NaiveDate;
pub use clinical::cda::Confidentiality;
pub use patients::model::{IntegrationMeta, Patient, PatientIdentifier};
use sea_orm::Iterable;
use serde::{Deserialize, Serialize};
pub use store::entities::{
    attachment::PreviewState,
    delivery::{DeliveryKind, DeliveryState, RecipientRole},
    document_source::{SourceKind, SourceStatus},
    message::{self, Conversion, Direction, PatientDoubt, SourceType, Status},
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Origin of a message from a network for prescriptions.
pub const PRESCRIPTION_NETWORK: &str = "PrescriptionNetwork";

/// Prefix of the substitute for a Message-ID that is missing or already in use.
pub const WITHOUT_MESSAGE_ID: &str = "inbound:";

/// A text as a single line, for mail fields: line breaks and other control characters become spaces.
pub fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The enum member with this name, regardless of case.
pub fn named<T: Iterable + ToString>(name: &str) -> Option<T> {
    T::iter().find(|member| member.to_string().eq_ignore_ascii_case(name))
}

/// Source of a document's date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum DocumentDateType {
    Today,
    /// The date of the message.
    Message,
    /// Chosen by a person, or given by the sender.
    Selected,
}

/// Ways of sending a message; each has its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ReleaseMode)]
pub enum Mode {
    Send,
    Forward,
    Reply,
}

/// Metadata that people enter for an attached file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AttachmentMeta {
    pub document_type: Option<String>,
    pub document_date: Option<NaiveDate>,
    pub document_date_type: Option<DocumentDateType>,
    pub confidentiality: Option<Confidentiality>,
    /// At most 255 characters.
    pub document_description: Option<String>,
    #[schema(inline = false)]
    pub patient: Option<Patient>,
    /// Choices for filing into a chart.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline = false)]
    pub integration_meta: Option<ChartChoices>,
    /// Number of changes; set by the server.
    #[schema(read_only)]
    pub version: u32,
}

/// Choices for filing a document into a patient's chart. Ids are those of the EHR.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = AttachmentIntegrationMeta)]
pub struct ChartChoices {
    #[schema(max_items = 50)]
    pub order_ids: Vec<String>,
    pub reviewer_id: Option<String>,
    pub group_reviewer_id: Option<String>,
    /// For the reviewer; at most 500 characters.
    #[schema(max_length = 500)]
    pub reviewer_note: Option<String>,
    /// Needs a reviewer or a group.
    pub urgent: bool,
    pub document_type_id: Option<String>,
    /// Name of that type.
    pub document_type: Option<String>,
    /// E-mail address of the person who chose.
    #[schema(read_only)]
    pub user_email: Option<String>,
}

impl AttachmentMeta {
    /// Whether opening it requires the permission for restricted documents.
    pub fn is_restricted(&self) -> bool {
        self.confidentiality.is_some_and(Confidentiality::is_restricted)
    }
}

/// Options of a fax.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MessageProperties {
    pub include_cover_page: bool,
    pub include_message_body: bool,
    pub include_attachment_descriptions: bool,
    pub fax_page_count: Option<i32>,
}

/// A new draft.
#[derive(Serialize, ToSchema)]
pub struct Created {
    pub id: Uuid,
}

/// The conversation (referral, order) that a message belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Conversation {
    pub conversation_id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub conversation_status: String,
}

/// The status shown to people: status 0 of a draft is `Saved`.
pub fn status_word(message: &message::Model) -> String {
    if message.is_draft { "Saved".into() } else { message.status.to_string() }
}

/// Members of a semicolon-separated list.
pub fn split_addresses(list: &str) -> Vec<String> {
    list.split(';').map(str::trim).filter(|a| !a.is_empty()).map(Into::into).collect()
}
