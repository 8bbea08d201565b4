//! Orders that an EHR reports.

use sea_orm::entity::prelude::*;

/// An order that an EHR reports. A cancelled one stays.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "feed_order")]
pub struct Model {
    /// Also the id of the order in lookups.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub feed_patient_id: Uuid,
    /// Token of the placer's number, or of the filler's if there is none.
    pub key: Vec<u8>,
    /// Token of the number of the visit ([`super::feed_visit::Model::key`]), which may be told later.
    pub visit_key: Option<Vec<u8>>,
    /// Its day, or when it was first told if that is not known.
    pub listed_at: DateTimeUtc,
    pub state: OrderState,
    /// Time of the newest event that said the state; none if it was only guessed.
    pub state_at: Option<DateTimeUtc>,
    /// The reception of that event.
    pub state_in: Uuid,
    /// Time of the newest event about it.
    pub told_at: DateTimeUtc,
    /// The reception of that event.
    pub told_in: Uuid,
    /// Numbers, name and day.
    pub sealed_details: Vec<u8>,
}

/// State of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum OrderState {
    Active,
    Held,
    Completed,
    Discontinued,
    Cancelled,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
