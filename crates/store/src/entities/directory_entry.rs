//! A person or organization that documents may be sent to, as the provider directory shows it.

use sea_orm::entity::prelude::*;

/// A person or organization that documents may be sent to, as the provider directory shows it.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "directory_entry")]
pub struct Model {
    /// Follows from `source` and `source_key`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub kind: i16,
    /// Which list the entry comes from.
    pub source: String,
    /// What it is called there.
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
    /// The last name, or the name of the organization, as a search compares it.
    pub last_key: String,
    pub first_key: String,
    pub city_key: String,
    /// Each word of the organization's and the clinic's name after a space.
    pub words: String,
    /// Tells whether the entry is still as the list says.
    pub digest: i64,
    /// The import that saw it last.
    pub import_id: Option<Uuid>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
