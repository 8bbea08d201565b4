//! `POST /api/subscriptionplans/upgraderequest`

use axum::{Json, extract::State};
use chrono::Duration;
use email::{Email, Prepared, Recipient};
use platform::{
    App, Error, Member, Result, Role,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    http::Message,
    session::{ROLE_ADMINISTRATOR, ROLE_SYSADMIN},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait};
use serde::Serialize;
use store::entities::{app_user, email as sent, membership, organization, plan};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(MEMBERS, routes!(request_upgrade))
}

/// Within which nobody is told again.
const QUIET: Duration = Duration::hours(1);
/// Nobody needs to tell more people than these.
const TOLD_MAX: u64 = 20;

/// Who needs a larger plan than what.
#[derive(Serialize)]
struct UpgradeRequest {
    first_name: String,
    asker: String,
    organization: String,
    plan: String,
}

/// Tells the administrators of an organization that somebody needs a larger plan.
#[derive(Serialize)]
#[serde(transparent)]
struct PlanUpgradeWished(UpgradeRequest);

impl Email for PlanUpgradeWished {
    const TEMPLATE: &'static str = "plan_upgrade_wished";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Choose a plan", "/account/settings/plan".into()))
    }
}

/// Tells the operators that an administrator asks for a larger plan.
#[derive(Serialize)]
#[serde(transparent)]
struct PlanUpgradeRequested(UpgradeRequest);

impl Email for PlanUpgradeRequested {
    const TEMPLATE: &'static str = "plan_upgrade_requested";
}

/// Asks for a larger plan: a user asks the administrators of the organization, an administrator the operator. The
/// request stands in the organization's audit trail
#[utoipa::path(post, path = "/api/subscriptionplans/upgraderequest", operation_id = "requestPlanUpgrade",
    tag = "subscriptions", responses((status = 200, body = Message)))]
async fn request_upgrade(State(app): State<App>, member: Member) -> Result<Json<Message>> {
    let mails = mails(&app, &member).await?;
    let txn = app.store.begin().await?;
    let act = Act::new(event::PLAN_UPGRADE_REQUESTED, "organization", member.organization_id);
    audit::record(&app, &txn, &Actor::from(&member.caller), act).await?;
    for mail in mails {
        mail.enqueue(&txn).await?;
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(Json(Message { message: "Your plan upgrade request has been sent.".into() }))
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
    let plan = match organization.plan_id {
        Some(plan) => plan::Entity::find_by_id(plan).one(db).await?.map(|p| p.name),
        None => None,
    };
    let mut mails = Vec::new();
    for person in people(app, member, is_for_operator).await? {
        let name = format!("{} {}", person.first_name, person.last_name).trim().to_owned();
        let request = UpgradeRequest {
            first_name: person.first_name,
            asker: member.caller.full_name.clone(),
            organization: organization.name.clone(),
            plan: plan.clone().unwrap_or_else(|| "Free".into()),
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

/// Those who are told.
async fn people(app: &App, member: &Member, operators: bool) -> Result<Vec<app_user::Model>> {
    let administrators = membership::Entity::find()
        .select_only()
        .column(membership::Column::UserId)
        .filter(membership::Column::OrganizationId.eq(member.organization_id))
        .filter(membership::Column::IsDisabled.eq(false))
        .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR));
    let who = if operators {
        app_user::Column::SystemRole.eq(ROLE_SYSADMIN)
    } else {
        app_user::Column::Id.in_subquery(administrators.into_query())
    };
    Ok(app_user::Entity::find()
        .filter(who)
        .filter(app_user::Column::IsDisabled.eq(false))
        .filter(app_user::Column::Email.ne(""))
        .limit(TOLD_MAX)
        .all(app.store.db())
        .await?)
}
