//! A message of the Intake or the Release. Patient data is sealed by the organization's data key.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A message of the Intake or the Release. Patient data is sealed by the organization's data key.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "message")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub direction: Direction,
    pub status: Status,
    pub is_draft: bool,
    pub source_type: SourceType,
    pub from_address: String,
    pub from_name: String,
    #[sea_orm(column_type = "Text")]
    pub to_address: String,
    #[sea_orm(column_type = "Text")]
    pub cc_address: String,
    #[sea_orm(column_type = "Text")]
    pub bcc_address: String,
    pub sealed_summary: Vec<u8>,
    pub sealed_content: Vec<u8>,
    pub received_at: DateTimeUtc,
    pub message_date: DateTimeUtc,
    pub read_at: Option<DateTimeUtc>,
    pub is_urgent: bool,
    /// Snoozed until this time.
    pub snoozed_until: Option<DateTimeUtc>,
    pub assigned_to: Option<Uuid>,
    /// When the assignment ends, unless the message is filed before.
    pub assignment_ends_at: Option<DateTimeUtc>,
    pub processed_at: Option<DateTimeUtc>,
    pub processed_type: Option<String>,
    pub release_type_id: Option<Uuid>,
    pub classification: Option<String>,
    pub conversion: Option<Conversion>,
    pub original_message_id: Option<Uuid>,
    pub rfc_message_id: Option<String>,
    pub in_reply_to: Option<String>,
    pub attachment_count: i32,
    pub fax_page_count: Option<i32>,
    /// Reason why the message got no patient on arrival.
    pub patient_doubt: Option<PatientDoubt>,
    pub created_by: Option<Uuid>,
    pub workflow_id: Option<Uuid>,
    pub deleted_at: Option<DateTimeUtc>,
    pub version: i32,
}

/// Direction of a message.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum Direction {
    Intake = 0,
    Release = 1,
}

/// Status codes of a message.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum Status {
    Sent = 0,
    Received = 1,
    Pending = 2,
    Signed = 3,
    Suspended = 4,
    Deleted = 5,
    Removed = 6,
    Forwarded = 7,
    Replied = 8,
    Processed = 9,
    Uploaded = 10,
    Triaged = 11,
    Failed = 12,
}

/// Source of a document.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum SourceType {
    DirectMessage = 0,
    Fax = 1,
    Upload = 2,
    Triage = 3,
    /// HL7 v2 or XDR.
    Interface = 4,
}

/// The form in which files are sent, if not the original.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum Conversion {
    Pdf,
    /// An Unstructured Document of C-CDA around each file.
    Cda,
}

/// Reason for doubt about the patient of a message's documents.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum PatientDoubt {
    /// The documents name a different patient than the sender.
    DocumentsDiffer,
    /// The documents or the sender name more than one patient.
    SeveralPatients,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
