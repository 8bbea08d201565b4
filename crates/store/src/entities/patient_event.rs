//! A decision of a person about who a patient is.

use super::id_list::IdList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A decision of a person about who a patient is. Whatever it moved is listed, so that it can be undone alone.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "patient_event")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// The one who stayed.
    pub patient_id: Uuid,
    /// The one who was merged or told apart, or from whom a message was taken.
    pub other_id: Option<Uuid>,
    pub kind: EventKind,
    /// The sources that were moved or written.
    #[sea_orm(column_type = "JsonBinary")]
    pub sources: IdList,
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
    /// Two patients turned out to be one.
    Merged,
    /// Two patients are two people.
    ToldApart,
    /// What is known of the patient was corrected.
    Corrected,
    /// A message that is filed was taken from one patient to another.
    Moved,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
