//! A kind of release that may fix sender, recipient and classification.

use super::message::Conversion;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
    pub send_type: SendType,
    pub origin_address_id: Option<Uuid>,
    pub destination_address: Option<String>,
    pub classification_code: Option<String>,
    pub subject: Option<String>,
    pub track_fax_responses: bool,
    /// No longer offered; messages with it keep it.
    pub is_retired: bool,
    pub version: i32,
}

/// Format in which files are sent.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum SendType {
    #[default]
    Original,
    Pdf,
    /// A C-CDA Unstructured Document around each file.
    Cda,
}

impl SendType {
    /// The conversion of messages with the release type.
    pub fn conversion(self) -> Option<Conversion> {
        match self {
            Self::Original => None,
            Self::Pdf => Some(Conversion::Pdf),
            Self::Cda => Some(Conversion::Cda),
        }
    }
}

impl From<Option<Conversion>> for SendType {
    fn from(conversion: Option<Conversion>) -> Self {
        match conversion {
            None => Self::Original,
            Some(Conversion::Pdf) => Self::Pdf,
            Some(Conversion::Cda) => Self::Cda,
        }
    }
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
