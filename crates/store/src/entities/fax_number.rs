//! What a fax document source has beside its number.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;

/// What a fax document source has beside its number.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fax_number")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub document_source_id: Uuid,
    pub organization_id: Uuid,
    pub account_id: Uuid,
    /// Numbers whose faxes come here when the dialled number is not known.
    #[sea_orm(column_type = "JsonBinary")]
    pub callers: StringList,
    /// Machines whose faxes come here when neither number is known.
    #[sea_orm(column_type = "JsonBinary")]
    pub sender_ids: StringList,
    /// Why it failed, or is not ready.
    #[sea_orm(column_type = "Text", nullable)]
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
