//! A kind of release that may fix sender, recipient and classification.

use sea_orm::entity::prelude::*;

/// A kind of release that may fix sender, recipient and classification.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "release_type")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Option<Uuid>,
    pub name: String,
    /// Unique search key.
    pub name_key: String,
    /// The form in which files are sent: `Original`, `Pdf` or `Cda`.
    pub send_type: String,
    pub origin_address_id: Option<Uuid>,
    pub destination_address: Option<String>,
    pub classification_code: Option<String>,
    pub conversion: Option<String>,
    pub subject: Option<String>,
    pub track_fax_responses: bool,
    /// No longer offered; messages with it keep it.
    pub is_retired: bool,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
