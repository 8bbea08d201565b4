//! `/api/admin/routingrules/{id}/test` and `/dryrun`: tests of a rule without real messages.

use super::{
    dry_run::{self, RoutingDryRun},
    rules::{self, Route},
    send,
};
use axum::{Json, extract::State};
use exchange::Outcome;
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    http::{Body, Id},
};
use sea_orm::EntityTrait;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Instant;
use store::entities::{routing_endpoint, routing_rule};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

const NO_ENDPOINT: &str = "This routing rule has no such endpoint.";

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(test_routing_rule)).route(SYSADMINS, routes!(dry_run_routing_rule))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingTestForm {
    pub endpoint_id: Uuid,
}

/// Answer of an endpoint to a test message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingTest {
    pub endpoint: String,
    pub outcome: RoutingOutcome,
    /// Why it was not accepted.
    pub reason: Option<String>,
    pub milliseconds: u64,
    /// The beginning of the sent and the received data.
    pub sent: String,
    pub received: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum RoutingOutcome {
    Accepted,
    Refused,
    /// The message was not handed over.
    NotReached,
    /// It may have arrived.
    NoAnswer,
}

/// Sends a test message without a patient to an endpoint of a rule
#[utoipa::path(post, path = "/api/admin/routingrules/{id}/test", operation_id = "testRoutingRule", tag = "routing",
    params(("id" = Uuid, Path)), request_body = RoutingTestForm, responses((status = 200, body = RoutingTest)))]
async fn test_routing_rule(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<RoutingTestForm>,
) -> Result<Json<RoutingTest>> {
    let route = find(&app, id).await?;
    let endpoint = route.endpoints.iter().find(|endpoint| endpoint.id == form.endpoint_id);
    let endpoint = endpoint.ok_or_else(|| Error::field("endpointId", NO_ENDPOINT))?;
    note(&app, &caller, id, endpoint).await?;
    let begun = Instant::now();
    let said = send::test(&app, &route, endpoint).await;
    let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (outcome, reason) = match said.outcome {
        Outcome::Accepted => (RoutingOutcome::Accepted, None),
        Outcome::Refused(reason) => (RoutingOutcome::Refused, Some(reason)),
        Outcome::NotReached(reason) => (RoutingOutcome::NotReached, Some(reason)),
        Outcome::NoAnswer(reason) => (RoutingOutcome::NoAnswer, Some(reason)),
    };
    Ok(Json(RoutingTest {
        endpoint: send::name_of(endpoint),
        outcome,
        reason,
        milliseconds,
        sent: readable(&said.sent),
        received: readable(&said.received),
    }))
}

/// Shows which recent messages a rule would have routed. Nothing is sent
#[utoipa::path(get, path = "/api/admin/routingrules/{id}/dryrun", operation_id = "dryRunRoutingRule",
    tag = "routing", params(("id" = Uuid, Path)), responses((status = 200, body = RoutingDryRun)))]
async fn dry_run_routing_rule(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<RoutingDryRun>> {
    let route = find(&app, id).await?;
    Ok(Json(dry_run::run(app.store.db(), &route, app.clock.now()).await?))
}

async fn find(app: &App, id: Uuid) -> Result<Route> {
    let db = app.store.db();
    let rule = routing_rule::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    rules::load(db, vec![rule]).await?.pop().ok_or(Error::NotFound)
}

/// Recorded before anything is sent.
async fn note(app: &App, caller: &Caller, id: Uuid, endpoint: &routing_endpoint::Model) -> Result<()> {
    let txn = app.store.begin().await?;
    let detail = json!({ "test": true, "endpoint": endpoint.ip_address });
    let act = Act::new(event::SENT, "routingrule", id).detail(detail);
    audit::record(app, &txn, &Actor::platform(caller), act).await?;
    Ok(txn.commit().await?)
}

/// Puts each segment of HL7 on a separate line.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "")
}
