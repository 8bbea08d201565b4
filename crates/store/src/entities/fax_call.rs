//! A call between two numbers of this installation.

use sea_orm::entity::prelude::*;

/// A call between two numbers of this installation.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fax_call")]
pub struct Model {
    /// The key of the fax.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: Uuid,
    /// Organization of the called number, whose key seals the pages.
    pub organization_id: Uuid,
    pub called: String,
    /// The provider's data of the call.
    #[sea_orm(column_type = "JsonBinary")]
    pub value: Json,
    pub is_withdrawn: bool,
    /// The pages, if any arrive.
    pub blob_id: Option<Uuid>,
    pub ends_at: DateTimeUtc,
    /// When the called side received it.
    pub taken_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
