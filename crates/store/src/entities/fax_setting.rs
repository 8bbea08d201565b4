//! Fax settings of an organization: limits, retries, location.

use sea_orm::entity::prelude::*;

/// Fax settings of an organization: limits, retries, location.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fax_setting")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    #[sea_orm(column_type = "JsonBinary")]
    pub value: Json,
    pub modified_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
