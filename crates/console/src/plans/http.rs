//! `/api/organizations/plans`: the plans that an organization can choose from.

use accounts::{
    organization::{number_of_users, open},
    plan::{self as rules, SubscriptionPlan, named},
};
use axum::{Json, extract::State};
use platform::{
    App, Error, Result,
    access::SYSADMINS,
    api::Api,
    http::{Items, Params},
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use serde::Deserialize;
use store::entities::{organization, plan, reseller};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(subscription_plans))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct PlanQuery {
    /// Set if a licensing reseller offers its own plans.
    pub reseller_id: Option<Uuid>,
    /// Leaves out plans that are too small for the users of this organization, except its current plan.
    pub organization_id: Option<Uuid>,
}

/// The plans that an organization can choose from
#[utoipa::path(get, path = "/api/organizations/plans", operation_id = "subscriptionPlans", tag = "organizations",
    params(PlanQuery), responses((status = 200, body = Items<SubscriptionPlan>)))]
async fn subscription_plans(
    State(app): State<App>,
    Params(query): Params<PlanQuery>,
) -> Result<Json<Items<SubscriptionPlan>>> {
    let db = app.store.db();
    let Some(id) = query.organization_id else {
        return Ok(Json(Items { items: offered(db, query.reseller_id, 0).await? }));
    };
    let users = number_of_users(db, id).await?;
    let mut items = offered(db, query.reseller_id, users).await?;
    // The current plan is kept even if it was retired or has become too small.
    let organization = open().filter(organization::Column::Id.eq(id)).one(db).await?;
    let present = named(db, organization.ok_or(Error::NotFound)?.plan_id).await?;
    if present.id.is_some() && items.iter().all(|plan| plan.id != present.id) {
        items.push(present);
    }
    Ok(Json(Items { items }))
}

/// The plans available to customers of a reseller, or of none, with room for this number of users.
pub async fn offered(
    db: &impl ConnectionTrait,
    reseller_id: Option<Uuid>,
    users: u64,
) -> Result<Vec<SubscriptionPlan>> {
    let licenser = licenser(db, reseller_id).await?;
    let mut offered = plan::Entity::find()
        .filter(plan::Column::IsFree.eq(false))
        .order_by_asc(plan::Column::Name)
        .all(db)
        .await?;
    offered.sort_by_key(|p| (p.allowed_users == rules::UNLIMITED, p.allowed_users));
    let offered = offered
        .into_iter()
        .filter(|plan| rules::is_offered_by(plan, licenser))
        .map(|plan| SubscriptionPlan::new(Some(plan.id), plan.name, plan.allowed_users));
    let free = SubscriptionPlan::new(None, rules::FREE.into(), rules::FREE_USERS);
    Ok(std::iter::once(free).chain(offered).filter(|p| rules::has_room(p.allowed_users, users)).collect())
}

/// The reseller, if it sets its customers' plans.
async fn licenser(db: &impl ConnectionTrait, reseller_id: Option<Uuid>) -> Result<Option<Uuid>> {
    let Some(id) = reseller_id else { return Ok(None) };
    let reseller = reseller::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    Ok(rules::is_licensing(&reseller).then_some(id))
}
