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
    records::{self, Part, Record},
    text::Rule,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use serde::{Deserialize, Serialize};
use store::{
    Transaction,
    entities::{
        routing_endpoint::{ActiveModel, Column, Entity, Model},
        routing_rule::{self, RoutingStep},
    },
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Field of a rule with its endpoints.
const LIST: &str = "endpoints";
/// Maximum number of endpoints of a rule.
const ENDPOINTS_MAX: usize = 10;

const TOO_MANY: &str = "A routing rule can have 10 endpoints at most.";
const NO_HOST: &str = "Please enter an IP address or a host name, optionally with a path.";
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
    const TAKEN: (&'static str, &'static str) =
        ("ipAddress", "There is already an endpoint with this address and port.");
}

platform::text! {
    /// IP address or host name, optionally with a path.
    pub EndpointHost = Rule::line(1, 255).says(NO_HOST);
    /// A port, or empty for the default port.
    pub EndpointPort = Rule::line(0, 5).pattern("[0-9]*").says(NO_PORT);
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingEndpoint {
    pub id: Uuid,
    pub routing_rule_id: Uuid,
    pub ip_address: String,
    /// Empty for the default port.
    pub port: String,
    pub oid: String,
    /// Position among the rule's endpoints, from 1.
    pub position: i32,
    /// Send it back when saving.
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
    /// Cannot be changed.
    pub routing_rule_id: Uuid,
    pub ip_address: EndpointHost,
    #[serde(default)]
    pub port: EndpointPort,
    #[serde(default)]
    pub oid: OptionalOid,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

/// An endpoint in the form of its rule.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndpointOfRule {
    /// Id of an existing endpoint of the rule; empty for a new one.
    pub id: Option<Uuid>,
    pub ip_address: EndpointHost,
    #[serde(default)]
    pub port: EndpointPort,
    #[serde(default)]
    pub oid: OptionalOid,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

impl From<RoutingEndpointForm> for EndpointOfRule {
    fn from(form: RoutingEndpointForm) -> Self {
        let RoutingEndpointForm { ip_address, port, oid, version, .. } = form;
        Self { id: None, ip_address, port, oid, version }
    }
}

/// Adds an endpoint after the others of its rule
#[utoipa::path(post, path = "/api/admin/routingrules/endpoints", operation_id = "createRoutingEndpoint",
    tag = "routing", request_body = RoutingEndpointForm, responses((status = 201, body = RoutingEndpoint)))]
async fn create_endpoint(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<RoutingEndpointForm>,
) -> Result<Created<RoutingEndpoint>> {
    let txn = app.store.begin().await?;
    let rule = rules::change(&txn, form.routing_rule_id).await?;
    let others = of(&txn, [rule.id]).await?;
    if others.len() >= ENDPOINTS_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let position = others.last().map_or(1, |last| last.position + 1);
    let given = given(&app, rule.step_type, form.into())?;
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        routing_rule_id: Set(rule.id),
        position: Set(position),
        version: Set(1),
        ..given
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
    // The rule is locked first, as everywhere: it is deleted with its endpoints.
    let before = found.clone().one(&txn).await?.ok_or(Error::NotFound)?;
    let rule = rules::change(&txn, before.routing_rule_id).await?;
    let mut edit = records::edit_in::<EndpointRecord>(&app, txn, &actor, found, form.version).await?;
    let given = given(&app, rule.step_type, form.into())?;
    edit.row.ip_address = given.ip_address;
    edit.row.port = given.port;
    edit.row.oid = given.oid;
    Ok(Json(edit.save().await?.into()))
}

/// Removes an endpoint
#[utoipa::path(delete, path = "/api/admin/routingrules/endpoints/{id}", operation_id = "deleteRoutingEndpoint",
    tag = "routing", params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_endpoint(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let actor = Actor::platform(&caller);
    let txn = app.store.begin().await?;
    let found = Entity::find_by_id(id);
    let before = found.clone().one(&txn).await?.ok_or(Error::NotFound)?;
    rules::change(&txn, before.routing_rule_id).await?;
    records::lock_in::<EndpointRecord>(&app, txn, &actor, found).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The columns of an endpoint from a form, except those that tie it to its rule. Checks that the rule's step type may
/// reach it.
fn given(app: &App, step: RoutingStep, form: EndpointOfRule) -> Result<ActiveModel> {
    let port = match &*form.port {
        "" => None,
        digits => match digits.parse::<u16>() {
            Ok(port) if port > 0 => Some(port),
            _ => return Err(Error::field("port", NO_PORT)),
        },
    };
    let target =
        Target::parse(&form.ip_address, port, 1).ok_or_else(|| Error::field("ipAddress", NO_HOST))?;
    if target.is_refused_by(&super::guard(app, step)) {
        return Err(Error::field("ipAddress", FORBIDDEN));
    }
    Ok(ActiveModel {
        ip_address: Set(form.ip_address.into()),
        port: Set(port.map(i32::from)),
        oid: Set(form.oid.into()),
        ..ActiveModel::default()
    })
}

/// Replaces the endpoints of a locked rule with those of its form, in that order. Returns `true` if something
/// changed.
pub(super) async fn replace(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    rule: &routing_rule::Model,
    wanted: Vec<EndpointOfRule>,
) -> Result<bool> {
    if wanted.len() > ENDPOINTS_MAX {
        return Err(Error::field(LIST, TOO_MANY));
    }
    let part = |(at, form): (usize, EndpointOfRule)| {
        let (id, version) = (form.id, form.version);
        let given = given(app, rule.step_type, form).map_err(|error| error.within(LIST, at))?;
        let row = ActiveModel { routing_rule_id: Set(rule.id), position: Set(at as i32 + 1), ..given };
        Ok(Part { id, version, row })
    };
    let wanted = wanted.into_iter().enumerate().map(part).collect::<Result<_>>()?;
    let before = (LIST, of(txn, [rule.id]).await?);
    records::replace_in::<EndpointRecord>(app, txn, actor, before, wanted).await
}

/// The endpoints of rules, in the order of attempts.
pub(super) async fn of(
    db: &impl ConnectionTrait,
    rules: impl IntoIterator<Item = Uuid>,
) -> Result<Vec<Model>, DbErr> {
    let of_rules = Entity::find().filter(Column::RoutingRuleId.is_in(rules));
    of_rules.order_by_asc(Column::RoutingRuleId).order_by_asc(Column::Position).all(db).await
}
