//! Patients that an EHR reports.

use sea_orm::entity::prelude::*;

/// A patient that an EHR reports, known there by a record number. What the EHR says of the patient is also a source of
/// the patient index ([`super::patient_source`]).
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "feed_patient")]
pub struct Model {
    /// Also the id of the patient in lookups.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// Token of the record number and its authority.
    pub key: Vec<u8>,
    /// Token of the record number alone.
    pub number_token: Vec<u8>,
    /// The statement in the patient index; none while no name is known.
    pub source_id: Option<Uuid>,
    /// Time of the newest event with the patient's data; none for a record that was only named by a merge.
    pub told_at: Option<DateTimeUtc>,
    /// The reception of that event, which is the later one of two of the same time.
    pub told_in: Uuid,
    /// Since when the number belongs to this person, if it belonged to somebody else before. What was told of visits,
    /// orders and merges before that is not theirs.
    pub person_since: Option<DateTimeUtc>,
    pub is_deceased: bool,
    /// The record that replaces this one.
    pub merged_into: Option<Uuid>,
    /// Time of the event that replaced it.
    pub merged_at: Option<DateTimeUtc>,
    /// Whether the merge was carried over to the patient index. This happens once: people may undo it there.
    pub is_settled: bool,
    /// Record number, name, birth date, address and other numbers.
    pub sealed_details: Vec<u8>,
    /// When the last event about the patient was applied.
    pub heard_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
