//! A message whose documents an intake rule did not file into a chart, although it files others.

use sea_orm::entity::prelude::*;

/// A message whose documents an intake rule did not file into a chart, although it files others.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "filing_refusal")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub organization_id: Uuid,
    pub rule_id: Uuid,
    /// Its name at that time.
    pub rule_name: String,
    /// Why, as part of a sentence without patient data.
    #[sea_orm(column_type = "Text")]
    pub reason: String,
    pub at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
