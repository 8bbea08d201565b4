//! What an organization pays for, as the embedded billing keeps it.

use sea_orm::entity::prelude::*;

/// What an organization pays for, as the embedded billing keeps it.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "subscription")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub organization_id: Uuid,
    pub plan_id: Option<Uuid>,
    /// `Active`, `Ending` or `Cancelled`.
    pub status: String,
    pub sealed_cancel_reason: Option<Vec<u8>>,
    pub started_at: DateTimeUtc,
    pub cancelled_at: Option<DateTimeUtc>,
    /// The last moment at which the organization can be used.
    pub ends_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
