//! A subscription plan and what it leaves out.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;

/// A subscription plan and what it leaves out.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "plan")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    pub tier_code: String,
    pub allowed_users: i32,
    #[sea_orm(column_type = "JsonBinary")]
    pub restricted: StringList,
    pub reseller_id: Option<Uuid>,
    pub is_free: bool,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
