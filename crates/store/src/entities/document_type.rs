//! Kind of a document (visit note, laboratory results ...), for one organization or for all.

use sea_orm::entity::prelude::*;

/// Kind of a document (visit note, laboratory results ...), for one organization or for all.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "document_type")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Option<Uuid>,
    pub name: String,
    /// Search key, unique in the system list and in each organization.
    pub name_key: String,
    /// LOINC, or empty.
    pub code: String,
    pub source: String,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
