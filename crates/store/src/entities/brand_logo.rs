//! The picture beside the name of a brand.

use sea_orm::entity::prelude::*;

/// The picture beside the name of a brand.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "brand_logo")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub brand_id: Uuid,
    /// `image/png` or `image/jpeg`
    pub media_type: String,
    pub content: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
