//! `POST /api/subscriptionplans/upgraderequest`

use axum::{Json, extract::State};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, Actor, event},
    http::Message,
};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(MEMBERS, routes!(request_upgrade))
}

/// Asks the operator for a larger plan; the request stands in the organization's audit trail
#[utoipa::path(post, path = "/api/subscriptionplans/upgraderequest", operation_id = "requestPlanUpgrade",
    tag = "subscriptions", responses((status = 200, body = Message)))]
async fn request_upgrade(State(app): State<App>, member: Member) -> Result<Json<Message>> {
    let txn = app.store.begin().await?;
    let act = Act::new(event::PLAN_UPGRADE_REQUESTED, "organization", member.organization_id);
    audit::record(&app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    Ok(Json(Message { message: "Your plan upgrade request has been sent.".into() }))
}
