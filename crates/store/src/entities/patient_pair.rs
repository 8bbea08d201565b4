//! Two patients who may be one person.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// Two patients who may be one person, until somebody says whether they are.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "patient_pair")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    /// The one whose id sorts first.
    #[sea_orm(primary_key, auto_increment = false)]
    pub one: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub other: Uuid,
    pub state: PairState,
    /// Of a hundred such pairs, how many are one person, as estimated.
    pub percent: i16,
    pub found_at: DateTimeUtc,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, DeriveDisplay, Serialize, Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum PairState {
    /// Nobody has said it yet.
    Open,
    /// One of them is merged into another patient; asked again if that is undone.
    Merged,
    /// Somebody said that they are two people. Never asked again.
    Distinct,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
