//! An assignee of an intake rule.

use sea_orm::entity::prelude::*;

/// An assignee of an intake rule.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "intake_rule_user")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub intake_rule_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    pub organization_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
