//! Visits that an EHR reports.

use sea_orm::entity::prelude::*;

/// A visit, or an appointment, that an EHR reports.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "feed_visit")]
pub struct Model {
    /// Also the id of the visit in lookups.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub feed_patient_id: Uuid,
    /// Token of the visit number and its authority. A visit has this or an appointment, or both.
    pub key: Option<Vec<u8>>,
    /// Token of the number of the appointment.
    pub appointment_key: Option<Vec<u8>>,
    /// Its begin, or when it was first told if that is not known.
    pub listed_at: DateTimeUtc,
    pub state: VisitState,
    /// Time of the newest event that said the state; none if it was only guessed.
    pub state_at: Option<DateTimeUtc>,
    /// The reception of that event.
    pub state_in: Uuid,
    /// Time of the newest event about it.
    pub told_at: DateTimeUtc,
    /// The reception of that event.
    pub told_in: Uuid,
    /// Numbers, times, class, clinician, location and reason.
    pub sealed_details: Vec<u8>,
}

/// State of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum VisitState {
    Planned,
    Open,
    Ended,
    Cancelled,
    NoShow,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
