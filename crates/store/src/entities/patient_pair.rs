//! Possible duplicates.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// Two possible duplicates and the decision about them.
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
    /// Estimated percentage of such pairs that are one person.
    pub percent: i16,
    pub found_at: DateTimeUtc,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, DeriveDisplay, Serialize, Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum PairState {
    /// Undecided.
    Open,
    /// One of them is merged into another patient; open again if that is undone.
    Merged,
    /// Marked as two people; open again if that is undone.
    Distinct,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
