//! A network whose mail was opened and trusted. It may send more than unknown ones.

use sea_orm::entity::prelude::*;

/// A network whose mail was opened and trusted. It may send more than unknown ones.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "known_sender")]
pub struct Model {
    /// Such as `192.0.2.0/24`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub network: String,
    pub last_opened_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
