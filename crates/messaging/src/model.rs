//! What messages are made of, as stored and as sent over the API.

use chrono::NaiveDate;
pub use clinical::cda::Confidentiality;
pub use patients::model::{Patient, PatientIdentifier};
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

/// The origin of a message that came from a network that carries prescriptions.
pub const PRESCRIPTION_NETWORK: &str = "PrescriptionNetwork";

/// Prefix of the substitute for a Message-ID that is missing or already in use.
pub const WITHOUT_MESSAGE_ID: &str = "inbound:";

/// A text of one line, as fields of a mail want it: breaks and other control characters become blanks.
pub fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The member of an enum with this name, whatever its case.
pub fn named<T: Iterable + ToString>(name: &str) -> Option<T> {
    T::iter().find(|member| member.to_string().eq_ignore_ascii_case(name))
}

/// Where the date of a document comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum DocumentDateType {
    Today,
    /// The day of the message.
    Message,
    /// Chosen by a person, or said by whoever sent the document.
    Selected,
}

/// How a message is sent; the rules differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ReleaseMode)]
pub enum Mode {
    Send,
    Forward,
    Reply,
}

/// What people say about an attached file.
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
    /// Number of changes; set by the server.
    #[schema(read_only)]
    pub version: u32,
}

impl AttachmentMeta {
    /// Only people with the permission may open it.
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

/// A draft that was made.
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

/// The status as people read it: status 0 of a draft is `Saved`.
pub fn status_word(message: &message::Model) -> String {
    if message.is_draft { "Saved".into() } else { message.status.to_string() }
}

/// A semicolon-separated list as its members.
pub fn split_addresses(list: &str) -> Vec<String> {
    list.split(';').map(str::trim).filter(|a| !a.is_empty()).map(Into::into).collect()
}
