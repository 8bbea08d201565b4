//! Number of times staff chose a value for documents with a common feature. Features and values are tokens.

use sea_orm::entity::prelude::*;

/// Number of times staff chose a value for documents with a common feature. Features and values are tokens.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "filing_evidence")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    /// The token of a sender, of a word of the subject, or of both.
    #[sea_orm(primary_key, auto_increment = false)]
    pub feature: Vec<u8>,
    #[sea_orm(primary_key, auto_increment = false)]
    pub aspect: Aspect,
    #[sea_orm(primary_key, auto_increment = false)]
    pub choice: Vec<u8>,
    pub sealed_choice: Vec<u8>,
    pub times: i32,
}

/// The chosen field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum Aspect {
    DocumentType = 0,
    Assignee = 1,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
