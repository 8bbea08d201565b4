//! Logo and notice of a brand on fax covers.

use sea_orm::entity::prelude::*;

/// Logo and notice of a brand on fax covers.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "brand_cover")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub brand_id: Uuid,
    /// PNG or JPEG.
    pub logo: Option<Vec<u8>>,
    /// Confidentiality notice; that of the product when empty.
    #[sea_orm(column_type = "Text")]
    pub notice: String,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
