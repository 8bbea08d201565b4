//! Acceptance of a version of the terms, by a person for themselves or also for their organization.

use sea_orm::entity::prelude::*;

/// Acceptance of a version of the terms, by a person for themselves or also for their organization.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "terms_acceptance")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub terms_id: Uuid,
    pub organization_id: Uuid,
    pub user_id: Uuid,
    pub accepted_at: DateTimeUtc,
    pub source_ip: String,
    /// Whether it counts for the organization, as an administrator's does.
    pub for_organization: bool,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
