//! A settled message that names a patient: one that was processed or sent.

use sea_orm::entity::prelude::*;

/// A settled message that names a patient: one that was processed or sent. The patient stands, sealed, in the message.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "patient_mention")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub organization_id: Uuid,
    /// The token of what tells this patient from others.
    pub identity: Vec<u8>,
    /// The message's `received_at`.
    pub at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
