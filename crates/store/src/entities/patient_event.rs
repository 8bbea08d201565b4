//! A decision about a patient's identity. It lists all moved sources, so that it can be undone
//! separately.

use super::id_list::IdList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A decision about a patient's identity. It lists all moved sources, so that it can be undone
/// separately.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "patient_event")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// The remaining patient.
    pub patient_id: Uuid,
    /// The patient who was merged or marked as different, or from whom a message was moved.
    pub other_id: Option<Uuid>,
    pub kind: EventKind,
    /// The moved or written sources.
    #[sea_orm(column_type = "JsonBinary")]
    pub sources: IdList,
    /// The person who decided; nil for a merge that an EHR reported.
    pub user_id: Uuid,
    pub at: DateTimeUtc,
    pub undone_at: Option<DateTimeUtc>,
    pub undone_by: Option<Uuid>,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, DeriveDisplay, Serialize, Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum EventKind {
    /// Two patients were merged.
    Merged,
    /// Two patients were marked as different people.
    ToldApart,
    /// The patient was corrected.
    Corrected,
    /// A filed message was moved from one patient to another.
    Moved,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
