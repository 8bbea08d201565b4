//! `/api/admin/routingrules/endpoints`

use super::rules::{self, OptionalOid};
use axum::{Json, extract::State, http::StatusCode};
use exchange::link::{FORBIDDEN, Target};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Id},
    records::{self, Record},
    text::Rule,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use serde::{Deserialize, Serialize};
use store::entities::{
    routing_endpoint::{ActiveModel, Column, Entity, Model},
    routing_rule,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Endpoints of a rule.
const ENDPOINTS_MAX: usize = 10;

const TOO_MANY: &str = "A routing rule can have 10 endpoints at most.";
const NO_HOST: &str = "Please enter an IP address or a host name, perhaps with a path.";
const NO_PORT: &str = "Please enter a port from 1 to 65535.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(create_endpoint))
        .route(SYSADMINS, routes!(update_endpoint, delete_endpoint))
}

struct EndpointRecord;

impl Record for EndpointRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "routingendpoint";
    const NOUN: &'static str = "this endpoint";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const AUDITED: &'static [Column] =
        &[Column::RoutingRuleId, Column::Position, Column::IpAddress, Column::Port, Column::Oid];
    const TAKEN: (&'static str, &'static str) = ("ipAddress", "There is such an endpoint already.");
}

platform::text! {
    /// An IP address or host name, perhaps with a path.
    pub EndpointHost = Rule::line(1, 255).says(NO_HOST);
    /// A port, or none for the usual one.
    pub EndpointPort = Rule::line(0, 5).pattern("[0-9]*").says(NO_PORT);
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingEndpoint {
    pub id: Uuid,
    pub routing_rule_id: Uuid,
    pub ip_address: String,
    /// Empty for the usual port.
    pub port: String,
    pub oid: String,
    /// Where it stands among those of the rule, from 1.
    pub position: i32,
    /// To be sent back when saving.
    pub version: i32,
}

impl From<Model> for RoutingEndpoint {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            routing_rule_id: row.routing_rule_id,
            ip_address: row.ip_address,
            port: row.port.map(|port| port.to_string()).unwrap_or_default(),
            oid: row.oid,
            position: row.position,
            version: row.version,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingEndpointForm {
    /// Stays when an endpoint is saved.
    pub routing_rule_id: Uuid,
    pub ip_address: EndpointHost,
    #[serde(default)]
    pub port: EndpointPort,
    #[serde(default)]
    pub oid: OptionalOid,
    /// The version that was read. Not asked for when creating.
    pub version: Option<i32>,
}

/// Adds an endpoint, tried after the others of its rule
#[utoipa::path(post, path = "/api/admin/routingrules/endpoints", operation_id = "createRoutingEndpoint",
    tag = "routing", request_body = RoutingEndpointForm, responses((status = 201, body = RoutingEndpoint)))]
async fn create_endpoint(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<RoutingEndpointForm>,
) -> Result<Created<RoutingEndpoint>> {
    let txn = app.store.begin().await?;
    let rule = rules::lock(&txn, form.routing_rule_id).await?;
    let port = check(&app, &rule, &form)?;
    let others = of(&txn, [form.routing_rule_id]).await?;
    if others.len() >= ENDPOINTS_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        routing_rule_id: Set(form.routing_rule_id),
        position: Set(others.last().map_or(1, |last| last.position + 1)),
        ip_address: Set(form.ip_address.into()),
        port: Set(port),
        oid: Set(form.oid.into()),
        version: Set(1),
    };
    let created = records::create_in::<EndpointRecord>(&app, &txn, &Actor::platform(&caller), row).await?;
    txn.commit().await?;
    Ok(Created(format!("/api/admin/routingrules/{}", created.routing_rule_id), created.into()))
}

/// Changes an endpoint
#[utoipa::path(put, path = "/api/admin/routingrules/endpoints/{id}", operation_id = "updateRoutingEndpoint",
    tag = "routing", params(("id" = Uuid, Path)), request_body = RoutingEndpointForm,
    responses((status = 200, body = RoutingEndpoint), (status = 409, description = "Changed by somebody else")))]
async fn update_endpoint(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<RoutingEndpointForm>,
) -> Result<Json<RoutingEndpoint>> {
    let actor = Actor::platform(&caller);
    let txn = app.store.begin().await?;
    let found = Entity::find_by_id(id);
    // The rule first, as everywhere: it is deleted with its endpoints.
    let before = found.clone().one(&txn).await?.ok_or(Error::NotFound)?;
    let rule = rules::lock(&txn, before.routing_rule_id).await?;
    let mut edit = records::edit_in::<EndpointRecord>(&app, txn, &actor, found, form.version).await?;
    edit.row.port = Set(check(&app, &rule, &form)?);
    edit.row.ip_address = Set(form.ip_address.into());
    edit.row.oid = Set(form.oid.into());
    Ok(Json(edit.save().await?.into()))
}

/// Removes an endpoint
#[utoipa::path(delete, path = "/api/admin/routingrules/endpoints/{id}", operation_id = "deleteRoutingEndpoint",
    tag = "routing", params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_endpoint(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let actor = Actor::platform(&caller);
    records::lock::<EndpointRecord>(&app, &actor, Entity::find_by_id(id)).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The port of an endpoint that the step type of its rule may reach.
fn check(app: &App, rule: &routing_rule::Model, form: &RoutingEndpointForm) -> Result<Option<i32>> {
    let port = match &*form.port {
        "" => None,
        digits => match digits.parse::<u16>() {
            Ok(port) if port > 0 => Some(port),
            _ => return Err(Error::field("port", NO_PORT)),
        },
    };
    let target =
        Target::parse(&form.ip_address, port, 1).ok_or_else(|| Error::field("ipAddress", NO_HOST))?;
    if target.is_refused_by(&super::guard(app, rule.step_type)) {
        return Err(Error::field("ipAddress", FORBIDDEN));
    }
    Ok(port.map(i32::from))
}

/// The endpoints of rules, in the order in which they are tried.
pub(super) async fn of(
    db: &impl ConnectionTrait,
    rules: impl IntoIterator<Item = Uuid>,
) -> Result<Vec<Model>, DbErr> {
    let of_rules = Entity::find().filter(Column::RoutingRuleId.is_in(rules));
    of_rules.order_by_asc(Column::RoutingRuleId).order_by_asc(Column::Position).all(db).await
}
