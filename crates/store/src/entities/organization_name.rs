//! A searchable form of an organization's name, starting at one of its words.

use sea_orm::entity::prelude::*;

/// A searchable form of an organization's name, starting at one of its words. A deleted organization has none.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "organization_name")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub part: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
