//! Requests and answers of [`super::http`].

use crate::model::{AttachmentMeta, Conversation, DeliveryState, MessageProperties, Mode, Patient};
use chrono::{DateTime, Utc};
use platform::http::given;
use serde::{Deserialize, Serialize};
use store::entities::release_type::SendType;
use utoipa::ToSchema;
use uuid::Uuid;

/// The metadata of a file, in a draft or a send request.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DraftFile {
    pub id: Uuid,
    #[serde(default)]
    pub attachment_meta: AttachmentMeta,
}

/// The fields of a draft. Absent ones are unchanged; null removes an optional value.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DraftRequest {
    #[schema(max_length = 255)]
    pub subject: Option<String>,
    #[schema(max_length = 254)]
    pub from_address: Option<String>,
    /// Separated by semicolons.
    #[schema(max_length = 30_000)]
    pub to_address: Option<String>,
    pub to_addresses: Option<Vec<String>>,
    pub cc_addresses: Option<Vec<String>>,
    pub bcc_addresses: Option<Vec<String>>,
    #[schema(max_length = 100_000)]
    pub body: Option<String>,
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>, max_length = 4_000)]
    pub comments: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>, max_length = 255)]
    pub reason_for_disclosure: Option<Option<String>>,
    /// The name; default: that of `releaseTypeId`.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>, max_length = 255)]
    pub release_type: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<Uuid>)]
    pub release_type_id: Option<Option<Uuid>>,
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<Uuid>)]
    pub original_object_id: Option<Option<Uuid>>,
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>, max_length = 255)]
    pub classification: Option<Option<String>>,
    pub attachments: Option<Vec<DraftFile>>,
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<Patient>)]
    pub patient: Option<Option<Patient>>,
    /// Null is the same as Original.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<SendType>)]
    pub conversion: Option<Option<SendType>>,
    #[serde(rename = "attachments2PDF")]
    pub attachments_to_pdf: Option<bool>,
    #[serde(rename = "attachments2CDA")]
    pub attachments_to_cda: Option<bool>,
    pub properties: Option<MessageProperties>,
    /// Our number from which fax recipients are called; default: the caller's only one.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub from_fax_number: Option<Option<String>>,
    /// How the draft is sent, for opening it again.
    pub mode: Option<Mode>,
    /// A fax without patient data: it only needs a fax number, a subject and a file.
    pub is_non_patient: Option<bool>,
    /// The version that was read. Without it, all fields are overwritten, except an existing patient.
    pub draft_version: Option<u32>,
    /// New fax numbers that the sender has double-checked. Not stored.
    pub confirmed_fax_numbers: Option<Vec<String>>,
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<Conversation>)]
    pub conversation: Option<Option<Conversation>>,
    /// For send, forward and reply: holds the message for twelve seconds, in which it can be taken back. Not stored.
    pub is_held: Option<bool>,
    /// For send, forward and reply: a person confirmed that a document names a different patient than the message.
    /// Otherwise that is refused at this field. Not stored.
    pub accepts_patient: Option<bool>,
}

/// State of a message that is being sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendAnswer {
    pub id: Uuid,
    pub status: String,
    pub workflow_id: Option<Uuid>,
    /// Until then it can be taken back; absent if it is sent at once.
    pub held_until: Option<DateTime<Utc>>,
}

/// Number of recipients by state.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct DeliveryCounts {
    pub queued: u32,
    pub sent: u32,
    pub processed: u32,
    pub delivered: u32,
    pub failed: u32,
    pub uncertain: u32,
    /// Failed ones that were replaced by another recipient.
    pub corrected: u32,
}

impl DeliveryCounts {
    pub fn add(&mut self, state: DeliveryState, is_corrected: bool) {
        let count = match state {
            _ if is_corrected => &mut self.corrected,
            DeliveryState::Queued => &mut self.queued,
            DeliveryState::Sent => &mut self.sent,
            DeliveryState::Processed => &mut self.processed,
            DeliveryState::Delivered => &mut self.delivered,
            DeliveryState::Failed => &mut self.failed,
            DeliveryState::Uncertain => &mut self.uncertain,
        };
        *count += 1;
    }
}

/// A row of the Release list.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseRow {
    pub id: Uuid,
    pub subject: String,
    pub created_date: DateTime<Utc>,
    pub message_date: DateTime<Utc>,
    pub from_address: String,
    pub to_address: String,
    pub to_addresses: Vec<String>,
    pub patient_name: String,
    pub status: String,
    pub is_draft: bool,
    pub attachment_count: i32,
    pub release_type: Option<String>,
    pub original_object_id: Option<Uuid>,
    pub delivery: DeliveryCounts,
    /// The names of `toAddresses`, in order; empty where unknown.
    pub to_names: Vec<String>,
    /// Texts that contain words of the search.
    pub found_in: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseList {
    pub items: Vec<ReleaseRow>,
    pub total_count: u64,
    pub total_is_capped: bool,
    /// Cursor of the next page, also after row 10,000.
    pub next_cursor: Option<String>,
}
