//! Some lines of a generated report.

use sea_orm::entity::prelude::*;

/// Some lines of a generated report.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "generated_report_piece")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub report_id: Uuid,
    /// From 0.
    #[sea_orm(primary_key, auto_increment = false)]
    pub position: i32,
    pub content: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
