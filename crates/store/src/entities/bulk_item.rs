//! A message of a job on many.

use sea_orm::entity::prelude::*;

/// A message of a job on many.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "bulk_item")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub job_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub position: i32,
    pub state: ItemState,
    /// Why it was refused: sentences for the user, which may name a file.
    pub sealed_reasons: Option<Vec<u8>>,
    /// It is done once a person accepts the gaps.
    pub can_be_confirmed: bool,
}

/// What became of a message.
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
