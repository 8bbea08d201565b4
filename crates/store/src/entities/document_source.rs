//! An address (Direct) or number (fax) of an organization from which documents come and go.

use sea_orm::entity::prelude::*;

/// An address (Direct) or number (fax) of an organization from which documents come and go.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "document_source")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub kind: String,
    pub address: String,
    #[sea_orm(unique)]
    pub address_key: String,
    pub display_name: String,
    pub status: i16,
    pub created_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
