//! An administrator's description of their identity, for comparison with the photo ID.

use sea_orm::entity::prelude::*;

/// An administrator's description of their identity. It is removed with the decision.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "proofing_identity")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    pub user_id: Uuid,
    /// The description, without a social security number.
    pub sealed: Vec<u8>,
    pub created_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
