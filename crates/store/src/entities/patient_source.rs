//! What one message or person said about a patient.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// What one message or person said about a patient, and the link to the patient it was said of.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "patient_source")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub patient_id: Uuid,
    pub kind: SourceKind,
    pub link: Link,
    /// The message that says it; one source for each message.
    pub message_id: Option<Uuid>,
    /// The user who says it.
    pub user_id: Option<Uuid>,
    pub said_at: DateTimeUtc,
    /// Of a hundred such links that were made by themselves, how many are right; none where a person chose.
    pub percent: Option<i16>,
    pub sealed_said: Vec<u8>,
}

/// Where a statement comes from; what a later kind says counts more than what an earlier one does.
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
    /// A message that somebody else sent, as it was filed.
    Received,
    /// A message that the organization sent.
    Sent,
    /// A message of one of the organization's own interfaces.
    Interface,
    /// A correction by a person.
    Correction,
}

/// How sure it is that a statement is about its patient.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, DeriveDisplay, Serialize, Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum Link {
    /// Nobody has looked at it yet: what it says does not count.
    Automatic,
    /// A person filed, sent or wrote it.
    Confirmed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
