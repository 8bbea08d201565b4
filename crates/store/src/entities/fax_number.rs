//! Details of a fax number in addition to its document source.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;

/// Details of a fax number in addition to its document source.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fax_number")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub document_source_id: Uuid,
    pub organization_id: Uuid,
    pub account_id: Uuid,
    /// Callers whose faxes are assigned to this number if the dialled number is unknown.
    #[sea_orm(column_type = "JsonBinary")]
    pub callers: StringList,
    /// Station ids whose faxes are assigned to this number if neither number is known.
    #[sea_orm(column_type = "JsonBinary")]
    pub sender_ids: StringList,
    /// Reason why it failed, or is not ready.
    #[sea_orm(column_type = "Text", nullable)]
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
