//! Requests and answers of the API.

use accounts::plan::SubscriptionPlan;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use store::entities::subscription::BillingStatus;
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
    /// Reference of the billing service; none before the first plan was chosen here.
    pub subscription_reference: Option<String>,
    pub status: SubscriptionStatus,
    /// Last moment at which the organization can be used.
    pub end_date: Option<DateTime<Utc>>,
    /// The organization's reason for leaving, if given.
    pub cancel_reason: Option<String>,
    /// Null for the Free plan.
    pub plan_id: Option<Uuid>,
    pub plan: SubscriptionPlan,
    pub number_of_users: u64,
    /// The plans with room for the organization's users.
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
    /// Null keeps the organization's previous plan.
    pub plan_id: Option<Uuid>,
}

/// A subscription at the billing service.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BilledSubscription {
    pub id: Uuid,
    pub organization_id: Uuid,
    /// Null for the Free plan.
    pub plan_id: Option<Uuid>,
    pub plan: SubscriptionPlan,
    pub status: BillingStatus,
    pub start_date: DateTime<Utc>,
    pub end_date: Option<DateTime<Utc>>,
}
