//! Filters of the Intake's list that somebody kept under a name.

use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Filters of the Intake's list that somebody kept under a name.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "saved_filter")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// Who made it.
    pub user_id: Uuid,
    pub name: String,
    /// All of the organization see it.
    pub is_shared: bool,
    #[sea_orm(column_type = "JsonBinary")]
    pub filter: IntakeFilter,
    pub version: i32,
}

/// What the list of the Intake can be narrowed by, but for search words, which may name a patient. Empty lists do not
/// filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct IntakeFilter {
    /// unassigned, mine, urgent or snoozed; all when absent.
    #[schema(max_length = 20)]
    pub view: Option<String>,
    /// `all` for messages that are done too; what is to be done when empty.
    #[schema(max_items = 20)]
    pub statuses: Vec<String>,
    #[schema(max_items = 20)]
    pub source_types: Vec<String>,
    #[schema(max_items = 20)]
    pub processed_types: Vec<String>,
    /// Own addresses to which the messages came.
    #[schema(max_items = 100)]
    pub sources: Vec<String>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
