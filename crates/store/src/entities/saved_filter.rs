//! Saved filters of the Intake's list.

use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Saved filters of the Intake's list.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "saved_filter")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// Owner.
    pub user_id: Uuid,
    pub name: String,
    /// Whether everybody in the organization sees it.
    pub is_shared: bool,
    #[sea_orm(column_type = "JsonBinary")]
    pub filter: IntakeFilter,
    pub version: i32,
}

/// Filters of the Intake's list, without search words, which may name a patient. Empty lists do not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct IntakeFilter {
    /// unassigned, mine, urgent or snoozed; all when absent.
    #[schema(max_length = 20)]
    pub view: Option<String>,
    /// `all` includes finished messages; empty for open ones.
    #[schema(max_items = 20)]
    pub statuses: Vec<String>,
    #[schema(max_items = 20)]
    pub source_types: Vec<String>,
    #[schema(max_items = 20)]
    pub processed_types: Vec<String>,
    /// Own recipient addresses.
    #[schema(max_items = 100)]
    pub sources: Vec<String>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
