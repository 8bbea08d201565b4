//! Who an administrator says they are, for the operator who holds their photo ID against it.

use sea_orm::entity::prelude::*;

/// Who an administrator says they are. It is removed with the decision.
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
