//! `/api/admin/routingrules/senders`

use super::rules;
use crate::reports::queries::names_of;
use accounts::organization::open;
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Id},
    records::{self, Part, Record},
    text::{Format, Rule},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, Select,
    SelectExt,
};
use serde::{Deserialize, Serialize};
use store::{
    Transaction,
    entities::{
        organization, routing_rule,
        routing_sender::{ActiveModel, Column, Entity, Model},
    },
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Field of a rule with its senders.
const LIST: &str = "senders";
/// Maximum number of senders of a rule.
const SENDERS_MAX: usize = 500;

const TOO_MANY: &str = "500 organizations at most can send through a routing rule.";
const NO_ORGANIZATION: &str = "Please choose an organization from the list.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(create_sender))
        .route(SYSADMINS, routes!(update_sender, delete_sender))
}

struct SenderRecord;

impl Record for SenderRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "routingsender";
    const NOUN: &'static str = "this organization";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const AUDITED: &'static [Column] = &[
        Column::RoutingRuleId,
        Column::OrganizationId,
        Column::OrganizationOid,
        Column::FacilityType,
        Column::FacilityTypeCodeId,
        Column::FacilityTypeCodeScheme,
    ];
    const TAKEN: (&'static str, &'static str) =
        ("organizationId", "This organization already sends through this routing rule.");
}

platform::text! {
    /// The organization's OID at the recipient.
    pub SenderOid = Rule::line(1, 255).format(Format::Oid).says("Please enter an OID, such as 2.16.840.1.113883.3.1.");
    /// Facility type of the organization.
    pub FacilityText = Rule::line(0, 255).says("Please enter at most 255 characters.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingSender {
    pub id: Uuid,
    pub routing_rule_id: Uuid,
    pub organization_id: Uuid,
    pub organization_name: String,
    pub organization_oid: String,
    pub facility_type: String,
    pub facility_type_code_id: String,
    pub facility_type_code_scheme: String,
    /// Send it back when saving.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingSenderForm {
    /// Cannot be changed.
    pub routing_rule_id: Uuid,
    pub organization_id: Uuid,
    pub organization_oid: SenderOid,
    #[serde(default)]
    pub facility_type: FacilityText,
    #[serde(default)]
    pub facility_type_code_id: FacilityText,
    #[serde(default)]
    pub facility_type_code_scheme: FacilityText,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

/// A sender in the form of its rule.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SenderOfRule {
    /// Id of an existing sender of the rule; empty for a new one.
    pub id: Option<Uuid>,
    pub organization_id: Uuid,
    pub organization_oid: SenderOid,
    #[serde(default)]
    pub facility_type: FacilityText,
    #[serde(default)]
    pub facility_type_code_id: FacilityText,
    #[serde(default)]
    pub facility_type_code_scheme: FacilityText,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

impl From<RoutingSenderForm> for SenderOfRule {
    fn from(form: RoutingSenderForm) -> Self {
        Self {
            id: None,
            organization_id: form.organization_id,
            organization_oid: form.organization_oid,
            facility_type: form.facility_type,
            facility_type_code_id: form.facility_type_code_id,
            facility_type_code_scheme: form.facility_type_code_scheme,
            version: form.version,
        }
    }
}

/// Routes an organization's messages through a routing rule
#[utoipa::path(post, path = "/api/admin/routingrules/senders", operation_id = "createRoutingSender",
    tag = "routing", request_body = RoutingSenderForm, responses((status = 201, body = RoutingSender)))]
async fn create_sender(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<RoutingSenderForm>,
) -> Result<Created<RoutingSender>> {
    let txn = app.store.begin().await?;
    let rule = rules::change(&txn, form.routing_rule_id).await?;
    check(&txn, &rule, form.organization_id).await?;
    if of(rule.id).count(&txn).await? >= SENDERS_MAX as u64 {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        routing_rule_id: Set(rule.id),
        version: Set(1),
        ..given(form.into())
    };
    let created = records::create_in::<SenderRecord>(&app, &txn, &Actor::platform(&caller), row).await?;
    txn.commit().await?;
    let location = format!("/api/admin/routingrules/{}", created.routing_rule_id);
    Ok(Created(location, one(app.store.db(), created).await?))
}

/// Changes an organization's details at the recipient
#[utoipa::path(put, path = "/api/admin/routingrules/senders/{id}", operation_id = "updateRoutingSender",
    tag = "routing", params(("id" = Uuid, Path)), request_body = RoutingSenderForm,
    responses((status = 200, body = RoutingSender), (status = 409, description = "Changed by somebody else")))]
async fn update_sender(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<RoutingSenderForm>,
) -> Result<Json<RoutingSender>> {
    let actor = Actor::platform(&caller);
    let txn = app.store.begin().await?;
    let found = Entity::find_by_id(id);
    // The rule is locked first, as everywhere: it is deleted with its senders.
    let before = found.clone().one(&txn).await?.ok_or(Error::NotFound)?;
    let rule = rules::change(&txn, before.routing_rule_id).await?;
    let mut edit = records::edit_in::<SenderRecord>(&app, txn, &actor, found, form.version).await?;
    if form.organization_id != edit.before.organization_id {
        check(&edit.txn, &rule, form.organization_id).await?;
    }
    let before = edit.before.clone();
    edit.row = ActiveModel {
        id: Set(before.id),
        routing_rule_id: Set(before.routing_rule_id),
        version: Set(before.version),
        ..given(form.into())
    };
    let saved = edit.save().await?;
    Ok(Json(one(app.store.db(), saved).await?))
}

/// Stops routing an organization's messages through a routing rule
#[utoipa::path(delete, path = "/api/admin/routingrules/senders/{id}", operation_id = "deleteRoutingSender",
    tag = "routing", params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_sender(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let actor = Actor::platform(&caller);
    let txn = app.store.begin().await?;
    let found = Entity::find_by_id(id);
    let before = found.clone().one(&txn).await?.ok_or(Error::NotFound)?;
    rules::change(&txn, before.routing_rule_id).await?;
    records::lock_in::<SenderRecord>(&app, txn, &actor, found).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The columns of a sender from a form, except those that tie it to its rule.
fn given(form: SenderOfRule) -> ActiveModel {
    ActiveModel {
        organization_id: Set(form.organization_id),
        organization_oid: Set(form.organization_oid.into()),
        facility_type: Set(form.facility_type.into()),
        facility_type_code_id: Set(form.facility_type_code_id.into()),
        facility_type_code_scheme: Set(form.facility_type_code_scheme.into()),
        ..ActiveModel::default()
    }
}

/// Checks that the organization exists, and does not own the address of the rule.
async fn check(txn: &Transaction, rule: &routing_rule::Model, organization_id: Uuid) -> Result<()> {
    if !open().filter(organization::Column::Id.eq(organization_id)).exists(txn).await? {
        return Err(Error::field("organizationId", NO_ORGANIZATION));
    }
    rules::refuse_own_sender(txn, &rule.address_key, [organization_id], "organizationId").await
}

/// The senders of a rule.
pub(super) fn of(rule: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::RoutingRuleId.eq(rule))
}

/// Replaces the senders of a locked rule with those of its form. Returns `true` if something changed.
pub(super) async fn replace(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    rule: &routing_rule::Model,
    wanted: Vec<SenderOfRule>,
) -> Result<bool> {
    if wanted.len() > SENDERS_MAX {
        return Err(Error::field(LIST, TOO_MANY));
    }
    let before = of(rule.id).all(txn).await?;
    let mut parts = Vec::with_capacity(wanted.len());
    for (at, form) in wanted.into_iter().enumerate() {
        let is_as_it_was =
            |row: &Model| Some(row.id) == form.id && row.organization_id == form.organization_id;
        if !before.iter().any(is_as_it_was) {
            check(txn, rule, form.organization_id).await.map_err(|error| error.within(LIST, at))?;
        }
        let (id, version) = (form.id, form.version);
        let row = ActiveModel { routing_rule_id: Set(rule.id), ..given(form) };
        parts.push(Part { id, version, row });
    }
    records::replace_in::<SenderRecord>(app, txn, actor, (LIST, before), parts).await
}

async fn one(db: &impl ConnectionTrait, row: Model) -> Result<RoutingSender> {
    senders_with_organizations(db, vec![row]).await?.pop().ok_or(Error::NotFound)
}

/// Senders with the names of the organizations, in the same order.
pub(super) async fn senders_with_organizations(
    db: &impl ConnectionTrait,
    rows: Vec<Model>,
) -> Result<Vec<RoutingSender>> {
    let names = names_of(db, rows.iter().map(|row| row.organization_id)).await?;
    let sender = |row: Model| RoutingSender {
        id: row.id,
        routing_rule_id: row.routing_rule_id,
        organization_id: row.organization_id,
        organization_name: names.get(&row.organization_id).cloned().unwrap_or_default(),
        organization_oid: row.organization_oid,
        facility_type: row.facility_type,
        facility_type_code_id: row.facility_type_code_id,
        facility_type_code_scheme: row.facility_type_code_scheme,
        version: row.version,
    };
    Ok(rows.into_iter().map(sender).collect())
}
