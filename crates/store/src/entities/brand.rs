//! A look under which organizations work.

use super::string_list::StringList;
use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A look under which organizations work.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "brand")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    pub display_name: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub colors: StringList,
    #[sea_orm(column_type = "JsonBinary")]
    pub settings: BrandSettings,
    pub has_own_terms: bool,
}

/// Settings by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct BrandSettings(pub BTreeMap<String, String>);

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
