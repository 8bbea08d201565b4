//! An organization whose administrator requested a larger plan.

use sea_orm::entity::prelude::*;

/// An organization whose administrator requested a larger plan.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "upgrade_request")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    /// The last requester.
    pub user_id: Uuid,
    pub requested_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
