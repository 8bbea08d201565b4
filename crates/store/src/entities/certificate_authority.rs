//! The built-in CA, or an uploaded one. The key is sealed by the master key.

use sea_orm::entity::prelude::*;

/// The built-in CA, or an uploaded one. The key is sealed by the master key.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "certificate_authority")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    #[sea_orm(column_type = "Text")]
    pub certificate_pem: String,
    pub sealed_key: Vec<u8>,
    pub is_active: bool,
    pub crl_number: i64,
    pub created_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
