//! A user who may read messages to a document source with limited readers.

use sea_orm::entity::prelude::*;

/// A user who may read messages to a document source with limited readers.
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
