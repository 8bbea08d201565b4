//! Data of a message and its files that is sealed with the organization's data key, and how it is opened.

use crate::{
    model::{AttachmentMeta, Conversation, MessageProperties, Mode, Patient, Status},
    search_terms,
};
use platform::Result;
use sea_orm::ConnectionTrait;
use serde::{Deserialize, Serialize};
use store::{
    Transaction,
    entities::{attachment, inbound_mail, interface_reception, message},
    keys::DataKey,
    search,
};
use uuid::Uuid;

/// Data of a message that lists show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    pub subject: String,
    pub patient_name: String,
    /// Identifiers and birth date of the patient: searchable, but not shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patient_keys: Vec<String>,
    pub document_type: String,
    pub tags: Vec<String>,
}

/// Data that only the message itself shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Content {
    pub body: String,
    /// Sanitized.
    pub body_html: Option<String>,
    pub comments: Option<String>,
    pub reason_for_disclosure: Option<String>,
    pub patient: Option<Patient>,
    /// Patients named by the documents and their sender, where it is uncertain whose the documents are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named_patients: Vec<Patient>,
    pub properties: MessageProperties,
    pub conversation: Option<Conversation>,
    pub release_type: Option<String>,
    pub origin: Option<String>,
    /// How a draft is to be sent; absent in drafts older than this field.
    pub mode: Option<Mode>,
    /// A fax without patient data.
    pub is_non_patient: bool,
    /// Our number from which fax recipients are called.
    pub fax_from: Option<String>,
    /// Number of changes to the fields of a draft. Its files have versions of their own.
    pub draft_version: u32,
    /// Number of changes of the patient alone.
    pub patient_version: u32,
    /// The version of the patient that was taken from the known patients without a person.
    pub linked_version: u32,
    /// Whether the system behind an interface named the patient itself, in the message around the documents.
    pub is_vouched: bool,
    /// The failed delivery that this message replaces, with another recipient.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrects: Option<Uuid>,
    /// Status of the answered or forwarded message before, while sending can still be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin_status: Option<Status>,
}

impl Summary {
    /// Sets the patient under which the message is listed and found.
    pub fn name_patient(&mut self, patient: Option<&Patient>) {
        self.patient_name = patient.map(Patient::display_name).unwrap_or_default();
        self.patient_keys = search_terms::keys(patient);
    }

    /// The summary with this patient.
    pub fn of_patient(mut self, patient: Option<&Patient>) -> Self {
        self.name_patient(patient);
        self
    }

    pub fn open(key: &DataKey, message: &message::Model) -> Result<Self> {
        Ok(key.open_json(&summary_context(message.id), &message.sealed_summary)?)
    }

    pub fn seal(&self, key: &DataKey, id: Uuid) -> Result<Vec<u8>> {
        Ok(key.seal_json(&summary_context(id), self)?)
    }
}

impl Content {
    /// The text for the recipient, followed by the sender's comments.
    pub fn text(&self) -> String {
        let comments = self.comments.as_deref().unwrap_or_default().trim();
        match (self.body.trim_end(), comments) {
            (_, "") => self.body.clone(),
            ("", comments) => comments.into(),
            (body, comments) => format!("{body}\n\n{comments}"),
        }
    }

    /// Whether a person has entered, changed or removed the patient since the message arrived.
    pub fn has_patient_by_person(&self) -> bool {
        self.patient_version != self.linked_version
    }

    pub fn open(key: &DataKey, message: &message::Model) -> Result<Self> {
        Ok(key.open_json(&content_context(message.id), &message.sealed_content)?)
    }

    pub fn seal(&self, key: &DataKey, id: Uuid) -> Result<Vec<u8>> {
        Ok(key.seal_json(&content_context(id), self)?)
    }
}

fn summary_context(id: Uuid) -> String {
    format!("message.summary:{id}")
}

fn content_context(id: Uuid) -> String {
    format!("message.content:{id}")
}

/// Decrypts the name of a file.
pub fn open_name(key: &DataKey, attachment: &attachment::Model) -> Result<String> {
    open_name_of(key, attachment.id, &attachment.sealed_name)
}

/// Decrypts a name of the file with this id, its present one or the one before a conversion.
pub fn open_name_of(key: &DataKey, id: Uuid, sealed_name: &[u8]) -> Result<String> {
    let bytes = key.open(&format!("attachment.name:{id}"), sealed_name)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub fn seal_name(key: &DataKey, id: Uuid, name: &str) -> Vec<u8> {
    key.seal(&format!("attachment.name:{id}"), name.as_bytes())
}

pub fn open_meta(key: &DataKey, attachment: &attachment::Model) -> Result<AttachmentMeta> {
    Ok(key.open_json(&format!("attachment.meta:{}", attachment.id), &attachment.sealed_meta)?)
}

pub fn seal_meta(key: &DataKey, id: Uuid, meta: &AttachmentMeta) -> Result<Vec<u8>> {
    Ok(key.seal_json(&format!("attachment.meta:{id}"), meta)?)
}

/// Encrypts a mail that is stored in its row.
pub fn seal_mail(key: &DataKey, id: Uuid, bytes: &[u8]) -> Vec<u8> {
    key.seal(&format!("inbound_mail.content:{id}"), bytes)
}

pub fn open_mail(key: &DataKey, mail: &inbound_mail::Model) -> Result<Vec<u8>> {
    let sealed = mail.sealed_content.as_deref().unwrap_or_default();
    Ok(key.open(&format!("inbound_mail.content:{}", mail.id), sealed)?)
}

/// Encrypts a message of an interface that is stored in its row.
pub fn seal_reception(key: &DataKey, id: Uuid, bytes: &[u8]) -> Vec<u8> {
    key.seal(&format!("interface_reception.content:{id}"), bytes)
}

pub fn open_reception(key: &DataKey, row: &interface_reception::Model) -> Result<Vec<u8>> {
    let sealed = row.sealed_content.as_deref().unwrap_or_default();
    Ok(key.open(&format!("interface_reception.content:{}", row.id), sealed)?)
}

/// Adds a message to the search index. `of` must be the row in its final state.
pub async fn index(txn: &Transaction, key: &DataKey, of: &message::Model, summary: &Summary) -> Result<()> {
    let pieces = search_terms::pieces(of, summary);
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    Ok(search::index(txn, key, &entry(of), &pieces).await?)
}

/// Removes a message from the search index, using the words under which it was added.
pub async fn unindex(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    of: &message::Model,
    summary: &Summary,
) -> Result<()> {
    let pieces = search_terms::pieces(of, summary);
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    Ok(search::unindex(conn, key, &entry(of), &pieces).await?)
}

/// The position of a message in the search index.
pub fn entry(of: &message::Model) -> search::Entry {
    search::Entry {
        organization_id: of.organization_id,
        direction: of.direction,
        message_id: of.id,
        received_at: of.received_at,
    }
}
