//! Subscription of an organization in the embedded billing.

use sea_orm::entity::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

/// Subscription of an organization in the embedded billing.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "subscription")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub organization_id: Uuid,
    pub plan_id: Option<Uuid>,
    pub status: BillingStatus,
    pub sealed_cancel_reason: Option<Vec<u8>>,
    pub started_at: DateTimeUtc,
    pub cancelled_at: Option<DateTimeUtc>,
    /// The last moment at which the organization can be used.
    pub ends_at: Option<DateTimeUtc>,
}

/// State of a subscription in billing.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay, Serialize, ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum BillingStatus {
    Active,
    /// Cancelled, and usable until `ends_at`.
    Ending,
    Cancelled,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
