//! An intake rule applied to a message on arrival.

use sea_orm::entity::prelude::*;

/// An intake rule applied to a message on arrival.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "intake_rule_match")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub intake_rule_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub organization_id: Uuid,
    pub at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
