//! `/api/subscriptionplans/upgraderequest`, `/api/admin/upgraderequests`: requests for a larger plan.

use crate::person;
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Duration, Utc};
use email::{Email, Prepared, Recipient};
use platform::{
    App, Caller, Error, Member, Result, Role,
    access::{MEMBERS, SYSADMINS},
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    http::{Id, Items, Message},
    session::{ROLE_ADMINISTRATOR, full_name},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, sea_query::OnConflict,
};
use serde::Serialize;
use serde_json::json;
use store::{
    Transaction,
    entities::{app_user, email as sent, membership, organization, plan, upgrade_request},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(MEMBERS, routes!(request_upgrade))
        .route(SYSADMINS, routes!(upgrade_requests))
        .route(SYSADMINS, routes!(settle_upgrade_request))
}

const SENT: &str = "Your plan upgrade request has been sent.";
const LISTED: &str =
    "This installation does not send e-mail. Your plan upgrade request is on its operators' list.";
const ASK_YOURSELF: &str = "No e-mail can be sent from this installation. Please ask an administrator of your organization directly.";
/// Maximum length of the list; oldest requests come first.
const LIST_MAX: u64 = 200;

/// Time within which nobody is notified again.
const QUIET: Duration = Duration::hours(1);
/// Maximum number of people to notify.
const TOLD_MAX: u64 = 20;

/// The user, the resource and the present plan of a request.
#[derive(Serialize)]
struct UpgradeRequest {
    first_name: String,
    asker: String,
    organization: String,
    plan: String,
}

/// Tells the administrators of an organization that a user needs a larger plan.
#[derive(Serialize)]
#[serde(transparent)]
struct PlanUpgradeWished(UpgradeRequest);

impl Email for PlanUpgradeWished {
    const TEMPLATE: &'static str = "plan_upgrade_wished";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Choose a plan", "/account/settings/plan".into()))
    }
}

/// Tells the operators that an administrator requests a larger plan.
#[derive(Serialize)]
#[serde(transparent)]
struct PlanUpgradeRequested(UpgradeRequest);

impl Email for PlanUpgradeRequested {
    const TEMPLATE: &'static str = "plan_upgrade_requested";
}

/// Requests a larger plan: a user's request goes to the administrators of the organization by e-mail, an
/// administrator's to the operators, who also find it in their console. It is recorded in the organization's audit
/// trail
#[utoipa::path(post, path = "/api/subscriptionplans/upgraderequest", operation_id = "requestPlanUpgrade",
    tag = "subscriptions", responses((status = 200, body = Message), (status = 409, description = "No e-mail can be sent")))]
async fn request_upgrade(State(app): State<App>, member: Member) -> Result<Json<Message>> {
    let is_for_operator = member.caller.has(Role::Admin);
    let sends = email::is_available(&app);
    if !(is_for_operator || sends) {
        return Err(Error::Conflict(ASK_YOURSELF.into()));
    }
    let mails = mails(&app, &member).await?;
    let txn = app.store.begin().await?;
    if is_for_operator {
        keep(&app, &txn, &member).await?;
    }
    let act = Act::new(event::PLAN_UPGRADE_REQUESTED, "organization", member.organization_id);
    audit::record(&app, &txn, &Actor::from(&member.caller), act).await?;
    for mail in mails {
        mail.enqueue(&txn).await?;
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(Json(Message { message: if sends { SENT } else { LISTED }.into() }))
}

/// Puts the request on the list of the operators, replacing an earlier one.
async fn keep(app: &App, txn: &Transaction, member: &Member) -> Result<()> {
    use upgrade_request::Column;
    let row = upgrade_request::ActiveModel {
        organization_id: Set(member.organization_id),
        user_id: Set(member.caller.user_id),
        requested_at: Set(app.clock.now()),
    };
    let newest = OnConflict::column(Column::OrganizationId)
        .update_columns([Column::UserId, Column::RequestedAt])
        .to_owned();
    upgrade_request::Entity::insert(row).on_conflict(newest).exec_without_returning(txn).await?;
    Ok(())
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenUpgradeRequest {
    pub organization_id: Uuid,
    pub organization_name: String,
    pub plan_name: String,
    pub asked_by: String,
    pub asked_by_email: String,
    pub requested_date: DateTime<Utc>,
}

/// The organizations that requested a larger plan, oldest first
#[utoipa::path(get, path = "/api/admin/upgraderequests", operation_id = "upgradeRequests", tag = "subscriptions",
    responses((status = 200, body = Items<OpenUpgradeRequest>)))]
async fn upgrade_requests(State(app): State<App>) -> Result<Json<Items<OpenUpgradeRequest>>> {
    let db = app.store.db();
    let rows = upgrade_request::Entity::find()
        .order_by_asc(upgrade_request::Column::RequestedAt)
        .limit(LIST_MAX)
        .all(db)
        .await?;
    let mut items = Vec::new();
    for row in rows {
        let organization = organization::Entity::find_by_id(row.organization_id).one(db).await?;
        let Some(organization) = organization.filter(|o| o.deleted_at.is_none()) else { continue };
        let person = app_user::Entity::find_by_id(row.user_id).one(db).await?.ok_or(Error::NotFound)?;
        items.push(OpenUpgradeRequest {
            organization_id: row.organization_id,
            plan_name: plan_name(db, organization.plan_id).await?,
            organization_name: organization.name,
            asked_by: full_name(&person),
            asked_by_email: person.email,
            requested_date: row.requested_at,
        });
    }
    Ok(Json(Items { items }))
}

/// Removes a request from the list after it is handled
#[utoipa::path(delete, path = "/api/admin/upgraderequests/{organizationId}", operation_id = "settleUpgradeRequest",
    tag = "subscriptions", params(("organizationId" = Uuid, Path)), responses((status = 204)))]
async fn settle_upgrade_request(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    let txn = app.store.begin().await?;
    let removed = upgrade_request::Entity::delete_by_id(id).exec(&txn).await?;
    if removed.rows_affected == 0 {
        return Err(Error::NotFound);
    }
    let act = Act::new(event::CHANGED, "organization", id).detail(json!({ "upgradeRequest": "settled" }));
    audit::record(&app, &txn, &Actor::in_organization(&caller, id), act).await?;
    txn.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn plan_name(db: &impl ConnectionTrait, id: Option<Uuid>) -> Result<String> {
    let plan = match id {
        Some(id) => plan::Entity::find_by_id(id).one(db).await?,
        None => None,
    };
    Ok(plan.map_or_else(|| "Free".into(), |plan| plan.name))
}

async fn mails(app: &App, member: &Member) -> Result<Vec<Prepared>> {
    let (db, id) = (app.store.db(), member.organization_id);
    let is_for_operator = member.caller.has(Role::Admin);
    let template = if is_for_operator { PlanUpgradeRequested::TEMPLATE } else { PlanUpgradeWished::TEMPLATE };
    let told = sent::Entity::find()
        .filter(sent::Column::OrganizationId.eq(id))
        .filter(sent::Column::Template.eq(template))
        .filter(sent::Column::CreatedAt.gt(app.clock.now() - QUIET))
        .one(db)
        .await?;
    if told.is_some() || !email::is_available(app) {
        return Ok(Vec::new());
    }
    let organization = organization::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    let plan = plan_name(db, organization.plan_id).await?;
    let mut mails = Vec::new();
    let people =
        if is_for_operator { person::operators(app).await? } else { administrators(app, member).await? };
    for person in people {
        let name = full_name(&person);
        let request = UpgradeRequest {
            first_name: person.first_name,
            asker: member.caller.full_name.clone(),
            organization: organization.name.clone(),
            plan: plan.clone(),
        };
        let to = Recipient { name, address: person.email };
        mails.push(if is_for_operator {
            email::prepare(app, id, to, &PlanUpgradeRequested(request)).await?
        } else {
            email::prepare(app, id, to, &PlanUpgradeWished(request)).await?
        });
    }
    Ok(mails)
}

/// The administrators of the organization who can be reached by e-mail.
async fn administrators(app: &App, member: &Member) -> Result<Vec<app_user::Model>> {
    let administrators = membership::Entity::find()
        .select_only()
        .column(membership::Column::UserId)
        .filter(membership::Column::OrganizationId.eq(member.organization_id))
        .filter(membership::Column::IsDisabled.eq(false))
        .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR));
    Ok(app_user::Entity::find()
        .filter(app_user::Column::Id.in_subquery(administrators.into_query()))
        .filter(app_user::Column::IsDisabled.eq(false))
        .filter(app_user::Column::Email.ne(""))
        .limit(TOLD_MAX)
        .all(app.store.db())
        .await?)
}
