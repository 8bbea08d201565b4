//! Statements of messages or people about patients.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// What one message or person states about a patient, and the link to the patient.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "patient_source")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub patient_id: Uuid,
    pub kind: SourceKind,
    pub link: Link,
    /// The message; there is one source per message. None for a correction, and for a record that an EHR reports.
    pub message_id: Option<Uuid>,
    /// The user of a correction.
    pub user_id: Option<Uuid>,
    pub said_at: DateTimeUtc,
    /// Estimated percentage of correct automatic links like this one; none if a person chose.
    pub percent: Option<i16>,
    pub sealed_said: Vec<u8>,
}

/// Origin of a statement; a later kind ranks higher.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
    Serialize,
    Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum SourceKind {
    /// A received message, as filed.
    Received,
    /// A sent message.
    Sent,
    /// A message of one of the organization's own interfaces, or a record that an EHR reports.
    Interface,
    /// A correction by a person.
    Correction,
}

/// Confirmation of a link.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, DeriveDisplay, Serialize, Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum Link {
    /// Linked automatically; its values do not count.
    Automatic,
    /// Filed, sent or written by a person.
    Confirmed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
