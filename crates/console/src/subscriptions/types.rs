//! What goes over the wire.

use accounts::plan::SubscriptionPlan;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Whether an organization can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum SubscriptionStatus {
    Active,
    /// Cancelled, and usable until its final date.
    GracePeriod,
    Cancelled,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    pub organization_id: Uuid,
    pub organization_name: String,
    /// Of the billing service; none before the first plan was chosen here.
    pub subscription_reference: Option<String>,
    pub status: SubscriptionStatus,
    /// The last moment at which the organization can be used.
    pub end_date: Option<DateTime<Utc>>,
    /// Why the organization is leaving, if it said so.
    pub cancel_reason: Option<String>,
    /// Null for the Free plan.
    pub plan_id: Option<Uuid>,
    pub plan: SubscriptionPlan,
    pub number_of_users: u64,
    /// The plans that have room for the organization.
    pub offered_plans: Vec<SubscriptionPlan>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanChoice {
    pub organization_id: Uuid,
    /// Null for the Free plan.
    pub plan_id: Option<Uuid>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancelRequest {
    #[serde(default)]
    pub cancel_reason: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReactivationRequest {
    /// Null keeps the plan that the organization had.
    pub plan_id: Option<Uuid>,
}

/// A subscription as the billing service knows it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BilledSubscription {
    pub id: Uuid,
    pub organization_id: Uuid,
    /// Null for the Free plan.
    pub plan_id: Option<Uuid>,
    pub plan: SubscriptionPlan,
    /// Active, Ending or Cancelled
    pub status: String,
    pub start_date: DateTime<Utc>,
    pub end_date: Option<DateTime<Utc>>,
}
