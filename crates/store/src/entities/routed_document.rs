//! Files of a delivery accepted by an interface.

use sea_orm::entity::prelude::*;

/// An accepted file of a delivery with several, so that it is not sent again with the others.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "routed_document")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_id: Uuid,
    /// The file, or the message for its text.
    #[sea_orm(primary_key, auto_increment = false)]
    pub document_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
