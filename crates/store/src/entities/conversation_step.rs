//! A message of a tracked referral with its contents.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A message of a tracked referral with its contents.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "conversation_step")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub conversation_id: Uuid,
    pub organization_id: Uuid,
    pub action: StepAction,
    /// Note of the sender.
    pub sealed_note: Vec<u8>,
    pub is_own: bool,
    pub at: DateTimeUtc,
}

/// Kind of a referral message.
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
pub enum StepAction {
    Request,
    Accept,
    Decline,
    Cancel,
    /// Interim information.
    Interim,
    Outcome,
    Appointment,
    NoShow,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
