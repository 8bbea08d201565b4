//! `/api/admin/plans`: the subscription plans, for operators. The Free plan has no row and cannot be changed.

use crate::vocabulary::lists::{EntryName, ListQuery};
use accounts::plan::{self as rules, UNLIMITED};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    fields::FieldErrors,
    http::{Body, Created, Id, Paged, Params},
    records::{self, Edit, Record},
    sql::{self, holds_words},
    text::Rule,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, Iterable, JoinType, Order, QueryFilter,
    QueryOrder, QuerySelect, RelationDef, Select,
    sea_query::{Expr, ExprTrait},
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use store::entities::{
    membership, organization,
    plan::{ActiveModel, Column, Entity, Function, Model},
    reseller, subscription,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Largest number of users; for more, operators enter -1.
const USERS_MAX: i32 = 1_000_000;

const USERS_REFUSED: &str = "Please enter a number of users from 1 to 1,000,000, or -1 for any number.";
const RESELLER_REFUSED: &str = "Please choose a licensing reseller.";
const RESELLER_FIXED: &str = "Organizations have this plan, so its reseller cannot be changed.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(plans, create_plan))
        .route(SYSADMINS, routes!(plan, update_plan, delete_plan))
}

pub(crate) struct PlanRecord;

impl Record for PlanRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "plan";
    const NOUN: &'static str = "this plan";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[
        Column::Name,
        Column::TierCode,
        Column::AllowedUsers,
        Column::Restricted,
        Column::ResellerId,
        Column::IsRetired,
    ];
    const TAKEN: (&'static str, &'static str) = ("name", "Another plan has this name.");
}

platform::text! {
    /// Name of a plan in lists of organizations.
    pub TierCode = Rule::line(1, 20).pattern("[A-Za-z0-9._-]+")
        .says("Please enter a code of up to 20 letters, digits, dots and hyphens.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub id: Uuid,
    pub name: String,
    pub tier_code: String,
    /// -1 for no limit
    pub allowed_users: i32,
    pub allowed_users_description: String,
    /// Functions that the plan excludes.
    pub restricted: Vec<Function>,
    /// The licensing reseller whose customers can choose it; null for customers without a reseller.
    pub reseller_id: Option<Uuid>,
    pub reseller_name: Option<String>,
    /// No longer offered; organizations that have it keep it.
    pub is_retired: bool,
    /// Send it back when saving.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanForm {
    pub name: EntryName,
    pub tier_code: TierCode,
    /// 1 or more, or -1 for no limit.
    #[schema(minimum = -1, maximum = 1_000_000)]
    pub allowed_users: i32,
    #[serde(default)]
    pub restricted: BTreeSet<Function>,
    pub reseller_id: Option<Uuid>,
    #[serde(default)]
    pub is_retired: bool,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

impl PlanForm {
    async fn check(&self, db: &impl ConnectionTrait) -> Result<FieldErrors> {
        let mut errors = FieldErrors::default();
        let is_number = self.allowed_users == UNLIMITED || (1..=USERS_MAX).contains(&self.allowed_users);
        errors.require(is_number, "allowedUsers", USERS_REFUSED);
        if let Some(id) = self.reseller_id {
            let reseller = reseller::Entity::find_by_id(id).one(db).await?;
            errors.require(reseller.is_some_and(|r| rules::is_licensing(&r)), "resellerId", RESELLER_REFUSED);
        }
        Ok(errors)
    }

    fn fill(self, row: &mut ActiveModel) {
        row.name_key = Set(sql::key(&self.name));
        row.name = Set(self.name.into());
        row.tier_code = Set(self.tier_code.into());
        row.allowed_users = Set(self.allowed_users);
        row.restricted = Set(self.restricted.into_iter().map(Function::name).collect());
        row.reseller_id = Set(self.reseller_id);
        row.is_retired = Set(self.is_retired);
    }
}

/// All plans except the Free plan, which cannot be edited.
fn all() -> Select<Entity> {
    Entity::find().filter(Column::IsFree.eq(false))
}

fn one(id: Uuid) -> Select<Entity> {
    all().filter(Column::Id.eq(id))
}

/// Plans in the shape of the API, in the same order.
async fn shown(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<Plan>> {
    let ids: BTreeSet<Uuid> = rows.iter().filter_map(|row| row.reseller_id).collect();
    let names: HashMap<Uuid, String> = reseller::Entity::find()
        .filter(reseller::Column::Id.is_in(ids))
        .all(db)
        .await?
        .into_iter()
        .map(|reseller| (reseller.id, reseller.name))
        .collect();
    let plan = |row: Model| Plan {
        restricted: Function::iter().filter(|function| row.lacks(*function)).collect(),
        allowed_users_description: rules::allowed_users_description(row.allowed_users),
        reseller_name: row.reseller_id.and_then(|id| names.get(&id).cloned()),
        id: row.id,
        name: row.name,
        tier_code: row.tier_code,
        allowed_users: row.allowed_users,
        reseller_id: row.reseller_id,
        is_retired: row.is_retired,
        version: row.version,
    };
    Ok(rows.into_iter().map(plan).collect())
}

async fn shown_one(app: &App, row: Model) -> Result<Plan> {
    shown(app.store.db(), vec![row]).await?.pop().ok_or(Error::NotFound)
}

/// The subscription plans, by name
#[utoipa::path(get, path = "/api/admin/plans", operation_id = "plans", tag = "plans",
    params(ListQuery), responses((status = 200, body = Paged<Plan>)))]
async fn plans(State(app): State<App>, Params(query): Params<ListQuery>) -> Result<Json<Paged<Plan>>> {
    let db = app.store.db();
    let rows = all().filter(holds_words(Column::NameKey, query.words()));
    let found = sql::page(db, rows, &[(Column::NameKey, Order::Asc)], query.page()?).await?;
    let Paged { items, total_count, total_is_capped } = found;
    Ok(Json(Paged { items: shown(db, items).await?, total_count, total_is_capped }))
}

/// Adds a subscription plan
#[utoipa::path(post, path = "/api/admin/plans", operation_id = "createPlan", tag = "plans",
    request_body = PlanForm, responses((status = 201, body = Plan)))]
async fn create_plan(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<PlanForm>,
) -> Result<Created<Plan>> {
    form.check(app.store.db()).await?.check()?;
    let mut row =
        ActiveModel { id: Set(Uuid::now_v7()), is_free: Set(false), version: Set(1), ..Default::default() };
    form.fill(&mut row);
    let created = records::create::<PlanRecord>(&app, &Actor::platform(&caller), row).await?;
    Ok(Created(format!("/api/admin/plans/{}", created.id), shown_one(&app, created).await?))
}

/// Reads a subscription plan
#[utoipa::path(get, path = "/api/admin/plans/{id}", operation_id = "plan", tag = "plans",
    params(("id" = Uuid, Path)), responses((status = 200, body = Plan)))]
async fn plan(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<Plan>> {
    let row = one(id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    Ok(Json(shown_one(&app, row).await?))
}

/// Changes or retires a subscription plan. It must keep room for the users of every organization that has it
#[utoipa::path(put, path = "/api/admin/plans/{id}", operation_id = "updatePlan", tag = "plans",
    params(("id" = Uuid, Path)), request_body = PlanForm,
    responses((status = 200, body = Plan), (status = 409, description = "Changed by somebody else")))]
async fn update_plan(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<PlanForm>,
) -> Result<Json<Plan>> {
    let actor = Actor::platform(&caller);
    let mut edit = records::edit::<PlanRecord>(&app, &actor, one(id), form.version).await?;
    let mut errors = form.check(&edit.txn).await?;
    check_users(&edit, &form, &mut errors).await?;
    errors.check()?;
    form.fill(&mut edit.row);
    let saved = edit.save().await?;
    Ok(Json(shown_one(&app, saved).await?))
}

/// Refuses changes that do not fit the organizations that have the plan.
async fn check_users(edit: &Edit<'_, PlanRecord>, form: &PlanForm, errors: &mut FieldErrors) -> Result<()> {
    let before = &edit.before;
    if form.reseller_id != before.reseller_id {
        let in_use = organizations(before.id).limit(1).one(&edit.txn).await?.is_some();
        errors.require(!in_use, "resellerId", RESELLER_FIXED);
    }
    let is_lowered = form.allowed_users != before.allowed_users && form.allowed_users != UNLIMITED;
    if is_lowered && errors.is_empty() {
        let users = most_users(&edit.txn, before.id).await?;
        let text = format!("An organization that has this plan has {users} users.");
        errors.require(rules::has_room(form.allowed_users, users), "allowedUsers", text);
    }
    Ok(())
}

fn organizations(plan_id: Uuid) -> Select<organization::Entity> {
    organization::Entity::find().filter(organization::Column::PlanId.eq(plan_id))
}

#[derive(FromQueryResult)]
struct Users {
    users: i64,
}

/// Number of users of the largest organization that has the plan.
async fn most_users(db: &impl ConnectionTrait, plan_id: Uuid) -> Result<u64> {
    let to_organization: RelationDef = membership::Entity::belongs_to(organization::Entity)
        .from(membership::Column::OrganizationId)
        .to(organization::Column::Id)
        .into();
    let largest = membership::Entity::find()
        .select_only()
        .column_as(Expr::col((membership::Entity, membership::Column::UserId)).count(), "users")
        .join(JoinType::InnerJoin, to_organization)
        .filter(organization::Column::PlanId.eq(plan_id))
        .filter(membership::Column::IsDisabled.eq(false))
        .group_by(membership::Column::OrganizationId)
        .order_by(Expr::col("users"), Order::Desc)
        .limit(1)
        .into_model::<Users>()
        .one(db)
        .await?;
    Ok(largest.map_or(0, |found| found.users.try_into().unwrap_or(0)))
}

/// Removes a subscription plan that no organization has
#[utoipa::path(delete, path = "/api/admin/plans/{id}", operation_id = "deletePlan", tag = "plans",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "Organizations have it")))]
async fn delete_plan(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let edit = records::lock::<PlanRecord>(&app, &Actor::platform(&caller), one(id)).await?;
    records::refuse_in_use(sql::capped_count(&edit.txn, organizations(id)).await?, "organization")?;
    // An organization that has left the plan may still be billed for it.
    let billed = subscription::Entity::find().filter(subscription::Column::PlanId.eq(id));
    records::refuse_in_use(sql::capped_count(&edit.txn, billed).await?, "subscription")?;
    edit.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
