//! A person or organization in the provider directory.

use sea_orm::entity::prelude::*;

/// A person or organization in the provider directory.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "directory_entry")]
pub struct Model {
    /// Derived from `source` and `source_key`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub kind: i16,
    /// List of the entry.
    pub source: String,
    /// Key of the entry in that list.
    pub source_key: String,
    pub first_name: String,
    pub middle_name: String,
    pub last_name: String,
    pub organization_name: String,
    pub clinic_name: String,
    pub direct_address: String,
    pub phone: String,
    pub fax: String,
    pub address_line: String,
    pub city: String,
    pub state: String,
    pub zip: String,
    /// Normalized last name, or name of the organization, for searching.
    pub last_key: String,
    pub first_key: String,
    pub city_key: String,
    /// Each word of the organization's and the clinic's name after a space.
    pub words: String,
    /// Digest for detecting changes in the list.
    pub digest: i64,
    /// The import that saw it last.
    pub import_id: Option<Uuid>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
