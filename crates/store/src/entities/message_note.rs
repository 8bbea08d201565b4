//! Notes between colleagues about a message. They never leave the organization.

use super::id_list::IdList;
use sea_orm::entity::prelude::*;

/// Notes between colleagues about a message. They never leave the organization.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "message_note")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub message_id: Uuid,
    pub author_id: Uuid,
    pub sealed_text: Vec<u8>,
    /// The mentioned colleagues.
    #[sea_orm(column_type = "JsonBinary")]
    pub mentioned: IdList,
    pub created_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
