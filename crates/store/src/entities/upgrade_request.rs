//! An organization whose administrator asked the operator for a larger plan.

use sea_orm::entity::prelude::*;

/// An organization whose administrator asked the operator for a larger plan. The row goes when an operator has seen to it.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "upgrade_request")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    /// Who asked last.
    pub user_id: Uuid,
    pub requested_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
