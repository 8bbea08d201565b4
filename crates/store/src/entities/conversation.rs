//! A tracked referral of an organization.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A tracked referral of an organization. Both sides keep their own row, linked by `referral_id`.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "conversation")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// The initiator's id of the referral.
    pub referral_id: String,
    /// OID of the initiator.
    pub assigner: String,
    pub role: ConversationRole,
    pub state: ConversationState,
    pub own_address: String,
    pub other_address: String,
    /// Due date of the result.
    pub due_on: Option<Date>,
    pub appointment_at: Option<DateTimeUtc>,
    /// Patient and reason.
    pub sealed_content: Vec<u8>,
    /// Its latest message.
    pub message_id: Uuid,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}

/// Side of an organization in a referral.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ConversationRole {
    Initiator,
    Recipient,
}

/// State of a referral.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ConversationState {
    Requested,
    Accepted,
    /// The patient has an appointment.
    Scheduled,
    NoShow,
    Completed,
    Declined,
    Cancelled,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
