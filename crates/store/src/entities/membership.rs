//! A user's role in one organization.

use sea_orm::entity::prelude::*;

/// A user's role in one organization.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "membership")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    pub role: String,
    pub job_function: String,
    /// Whether access to this organization is disabled.
    pub is_disabled: bool,
    pub disabled_at: Option<DateTimeUtc>,
    /// Whether the user may open restricted documents.
    pub may_open_restricted: bool,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
