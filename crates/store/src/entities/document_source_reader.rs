//! A user who may read what arrives at a document source whose readers are limited.

use sea_orm::entity::prelude::*;

/// A user who may read what arrives at a document source whose readers are limited.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "document_source_reader")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub document_source_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    pub organization_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
