//! A message of a bulk job.

use sea_orm::entity::prelude::*;

/// A message of a bulk job.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "bulk_item")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub job_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub position: i32,
    pub state: ItemState,
    /// Reasons of the refusal in words for the user, which may name a file.
    pub sealed_reasons: Option<Vec<u8>>,
    /// Succeeds once a person accepts missing details.
    pub can_be_confirmed: bool,
}

/// Outcome for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveDisplay, DeriveActiveEnum)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum ItemState {
    Waiting = 0,
    Done = 1,
    Refused = 2,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
