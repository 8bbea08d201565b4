//! `/api/subscriptionplans/…`

use super::{
    queries,
    types::{BilledSubscription, CancelRequest, PlanChoice, ReactivationRequest, Subscription},
};
use axum::{Json, extract::State};
use platform::{
    App, Caller, Manager, Member, Result,
    access::{ADMINS, MANAGERS},
    api::Api,
    http::{Body, Id},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(MANAGERS, routes!(subscription, change_subscription))
        .route(ADMINS, routes!(cancel_subscription))
        .route(ADMINS, routes!(reactivate_subscription))
        .route(MANAGERS, routes!(billed_subscription))
}

/// The plan of an organization and the plans available to it
#[utoipa::path(get, path = "/api/subscriptionplans/subscriptions", operation_id = "subscription",
    tag = "subscriptions", params(Manager), responses((status = 200, body = Subscription)))]
async fn subscription(State(app): State<App>, manager: Manager) -> Result<Json<Subscription>> {
    Ok(Json(queries::subscription_of(&app, manager.organization_id).await?))
}

/// Changes the plan of an organization
#[utoipa::path(post, path = "/api/subscriptionplans/subscriptions", operation_id = "changeSubscription",
    tag = "subscriptions", request_body = PlanChoice, responses((status = 200, body = Subscription),
        (status = 409, description = "The subscription is cancelled")))]
async fn change_subscription(
    State(app): State<App>,
    caller: Caller,
    Body(choice): Body<PlanChoice>,
) -> Result<Json<Subscription>> {
    caller.require_manager_of(choice.organization_id)?;
    queries::change(&app, &caller, choice.organization_id, choice.plan_id).await?;
    Ok(Json(queries::subscription_of(&app, choice.organization_id).await?))
}

/// Cancels the subscription of the caller's organization, which can be used until the end of its grace period
#[utoipa::path(post, path = "/api/subscriptionplans/cancel", operation_id = "cancelSubscription",
    tag = "subscriptions", request_body = CancelRequest, responses((status = 200, body = Subscription),
        (status = 409, description = "It is already cancelled")))]
async fn cancel_subscription(
    State(app): State<App>,
    member: Member,
    Body(body): Body<CancelRequest>,
) -> Result<Json<Subscription>> {
    queries::cancel(&app, &member, body.cancel_reason.trim()).await?;
    Ok(Json(queries::subscription_of(&app, member.organization_id).await?))
}

/// Takes back the cancellation of the caller's organization
#[utoipa::path(post, path = "/api/subscriptionplans/reactivate", operation_id = "reactivateSubscription",
    tag = "subscriptions", request_body = ReactivationRequest, responses((status = 200, body = Subscription)))]
async fn reactivate_subscription(
    State(app): State<App>,
    member: Member,
    Body(body): Body<ReactivationRequest>,
) -> Result<Json<Subscription>> {
    queries::reactivate(&app, &member, body.plan_id).await?;
    Ok(Json(queries::subscription_of(&app, member.organization_id).await?))
}

/// A subscription by the reference of the billing service
#[utoipa::path(get, path = "/api/subscriptionplans/fastspring/{id}", operation_id = "billedSubscription",
    tag = "subscriptions", params(("id" = Uuid, Path)), responses((status = 200, body = BilledSubscription)))]
async fn billed_subscription(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<BilledSubscription>> {
    Ok(Json(queries::billed(&app, &caller, id).await?))
}
