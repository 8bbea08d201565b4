//! A brand: the name and look under which organizations work.

use super::string_list::StringList;
use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A brand: the name and look under which organizations work.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "brand")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// Short and unique; used in commands and reports.
    #[sea_orm(unique)]
    pub name: String,
    pub display_name: String,
    /// The chosen colour (`#RRGGBB`); empty for the built-in palette.
    pub color: String,
    /// The ten steps of its palette, from light to dark; none for the built-in one.
    #[sea_orm(column_type = "JsonBinary")]
    pub colors: StringList,
    /// Host names, in lower case, under which the web app shows this brand before sign-in.
    #[sea_orm(column_type = "JsonBinary")]
    pub hosts: StringList,
    /// SHA-256 of the logo in hex; empty without one.
    pub logo_digest: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub settings: BrandSettings,
    pub has_own_terms: bool,
    pub version: i32,
}

/// Settings by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct BrandSettings(pub BTreeMap<String, String>);

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
