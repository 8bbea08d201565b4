//! `/api/diagnostics/apicapture`: the captured calls of organizations, for operators. Requests and answers may
//! contain patient data: they are shown one by one, for a stated reason, and each view is audited.

use axum::{Json, extract::State};
use chrono::{DateTime, Days, NaiveTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    capture::{self, Exchange, Side},
    fields::{FieldErrors, user_name_key},
    http::{Body, DayOrMoment, Id, Page, Paged, Params},
    sql::{self, holds},
    text::Rule,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QuerySelect, Select};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use store::entities::{
    api_capture::{Column, Entity, Model},
    app_user, service_account,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::reserved_words::SortDir;

const DATES: &str = "Start Date must be smaller or equal than End Date.";
const NO_ID: &str = "Please enter the whole id.";
const NO_SEARCH: &str = "The search is not valid JSON.";
/// Maximum length of the search text.
const SEARCH_MAX: usize = 2_000;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(captured_calls)).route(SYSADMINS, routes!(reveal_captured_call))
}

platform::text! {
    /// Reason for viewing possible patient data.
    pub RevealReason = Rule::line(5, 255).says("Please enter a reason of 5 to 255 characters.");
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct CaptureQuery {
    /// The beginning of today by default.
    pub start: Option<DayOrMoment>,
    /// The whole day is included. The end of today by default.
    pub end: Option<DayOrMoment>,
    /// JSON with `tenantId`, `networkId`, `userId` (or a user name), `url`, `method` and `statusCode`, each optional.
    pub search: Option<String>,
    #[serde(default = "newest")]
    #[param(inline, required = false)]
    pub sort_dir: SortDir,
    pub page_number: Option<u64>,
    /// At most 100; 20 by default.
    pub page_size: Option<u64>,
}

fn newest() -> SortDir {
    SortDir::Desc
}

/// Content of `search`. Blank members are ignored.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Search {
    tenant_id: Option<String>,
    network_id: Option<String>,
    user_id: Option<String>,
    url: Option<String>,
    method: Option<String>,
    status_code: Option<StatusCode>,
}

/// A number, or its digits as text.
#[derive(Deserialize)]
#[serde(untagged)]
enum StatusCode {
    Number(i32),
    Digits(String),
}

#[derive(Clone, Copy, Serialize, ToSchema)]
pub enum UserIdSourceType {
    User,
    ServiceAccount,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapturedCall {
    pub id: Uuid,
    pub user_id: Uuid,
    pub user_name: String,
    /// A keyed hash of the token, in hexadecimal digits: equal for equal tokens of an organization.
    pub token_hash: String,
    pub date: DateTime<Utc>,
    #[schema(inline)]
    pub user_id_source_type: UserIdSourceType,
    pub milliseconds: i32,
    pub value: CapturedExchange,
}

#[derive(Serialize, ToSchema)]
pub struct CapturedExchange {
    #[serde(rename = "tenantid")]
    pub tenant_id: Uuid,
    pub tenant_name: Option<String>,
    #[serde(rename = "networkid")]
    pub network_id: Option<Uuid>,
    pub request: CapturedRequest,
    pub response: CapturedResponse,
}

#[derive(Serialize, ToSchema)]
pub struct CapturedRequest {
    /// Without its query in lists.
    pub url: String,
    pub method: String,
    pub headers: BTreeMap<String, String>,
    /// Null in lists, and if none was stored.
    pub body: Option<String>,
    /// Why no body was stored.
    pub omitted: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct CapturedResponse {
    pub status: i32,
    pub headers: BTreeMap<String, String>,
    /// Null in lists, and if none was stored.
    pub body: Option<String>,
    /// Why no body was stored.
    pub omitted: Option<String>,
}

#[derive(Deserialize, ToSchema)]
pub struct RevealForm {
    pub reason: RevealReason,
}

/// The captured calls of organizations, without bodies
#[utoipa::path(get, path = "/api/diagnostics/apicapture", operation_id = "capturedCalls", tag = "diagnostics",
    params(CaptureQuery), responses((status = 200, body = Paged<CapturedCall>)))]
async fn captured_calls(
    State(app): State<App>,
    Params(query): Params<CaptureQuery>,
) -> Result<Json<Paged<CapturedCall>>> {
    let page = Page::new(query.page_number, query.page_size, 20, 100)?;
    let db = app.store.db();
    let rows = found(&app, db, &query).await?;
    let order = match query.sort_dir {
        SortDir::Asc => Order::Asc,
        SortDir::Desc => Order::Desc,
    };
    let sorted = [(Column::At, order.clone()), (Column::Id, order)];
    let Paged { items, total_count, total_is_capped } = sql::page(db, rows, &sorted, page).await?;
    let mut calls = Vec::with_capacity(items.len());
    for row in items {
        let exchange = capture::opened(&app, &row).await?;
        let path = row.path.clone();
        let without = |side: Side| Side { body: None, ..side };
        let request = Side { url: path, ..without(exchange.request) };
        calls.push((row, Exchange { request, response: without(exchange.response) }));
    }
    Ok(Json(Paged { items: shown(db, calls).await?, total_count, total_is_capped }))
}

/// Shows the request and the answer, for a stated reason
#[utoipa::path(post, path = "/api/diagnostics/apicapture/{id}/reveal", operation_id = "revealCapturedCall",
    tag = "diagnostics", params(("id" = Uuid, Path)), request_body = RevealForm,
    responses((status = 200, body = CapturedCall)))]
async fn reveal_captured_call(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<RevealForm>,
) -> Result<Json<CapturedCall>> {
    let db = app.store.db();
    let row = Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    let exchange = capture::opened(&app, &row).await?;
    let txn = app.store.begin().await?;
    let act = Act::new(event::VIEWED, "apicapture", id).detail(json!({ "reason": &*form.reason }));
    audit::record(&app, &txn, &Actor::in_organization(&caller, row.organization_id), act).await?;
    txn.commit().await?;
    Ok(Json(shown(db, vec![(row, exchange)]).await?.pop().ok_or(Error::NotFound)?))
}

async fn found(app: &App, db: &impl ConnectionTrait, query: &CaptureQuery) -> Result<Select<Entity>> {
    let today = app.clock.now().date_naive();
    let begin_of = |day: chrono::NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
    let start = query.start.map_or_else(|| begin_of(today), DayOrMoment::begin);
    let tomorrow = || today.checked_add_days(Days::new(1)).map(begin_of);
    let end = query.end.map_or_else(tomorrow, DayOrMoment::behind).unwrap_or(DateTime::<Utc>::MAX_UTC);
    let search = read(query.search.as_deref().unwrap_or_default())?;
    let mut errors = FieldErrors::default();
    errors.require(start < end, "start", DATES);
    let tenant = id_of(search.tenant_id.as_deref(), "tenantId", &mut errors);
    let network = id_of(search.network_id.as_deref(), "networkId", &mut errors);
    let status = match search.status_code {
        None => None,
        Some(StatusCode::Number(number)) => Some(number),
        Some(StatusCode::Digits(digits)) if digits.trim().is_empty() => None,
        Some(StatusCode::Digits(digits)) => {
            let number = digits.trim().parse().ok();
            errors.require(number.is_some(), "statusCode", "Please enter a status such as 404.");
            number
        }
    };
    errors.check()?;
    let mut rows = Entity::find().filter(Column::At.gte(start)).filter(Column::At.lt(end));
    if let Some(id) = tenant {
        rows = rows.filter(Column::OrganizationId.eq(id));
    }
    if let Some(id) = network {
        rows = rows.filter(Column::NetworkId.eq(id));
    }
    if let Some(text) = given(search.user_id.as_deref()) {
        rows = rows.filter(Column::UserId.is_in(users(db, text).await?));
    }
    if let Some(text) = given(search.url.as_deref()) {
        rows = rows.filter(holds(Column::Path, &text.to_lowercase()));
    }
    if let Some(text) = given(search.method.as_deref()) {
        rows = rows.filter(Column::Method.eq(text.to_uppercase()));
    }
    if let Some(status) = status {
        rows = rows.filter(Column::Status.eq(status));
    }
    Ok(rows)
}

fn read(text: &str) -> Result<Search> {
    if text.trim().is_empty() {
        return Ok(Search::default());
    }
    let refused = || Error::BadRequest(NO_SEARCH.into());
    if text.len() > SEARCH_MAX {
        return Err(refused());
    }
    serde_json::from_str(text).map_err(|_| refused())
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn id_of(text: Option<&str>, field: &str, errors: &mut FieldErrors) -> Option<Uuid> {
    let id = given(text)?.parse().ok();
    errors.require(id.is_some(), field, NO_ID);
    id
}

/// The account with an id, or those with a user name.
async fn users(db: &impl ConnectionTrait, text: &str) -> Result<Vec<Uuid>> {
    if let Ok(id) = text.parse() {
        return Ok(vec![id]);
    }
    let people = app_user::Entity::find()
        .filter(app_user::Column::UserNameKey.eq(user_name_key(text)))
        .select_only()
        .column(app_user::Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    let systems: Vec<Uuid> = service_account::Entity::find()
        .filter(service_account::Column::ClientId.eq(text))
        .select_only()
        .column(service_account::Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    Ok(people.into_iter().chain(systems).collect())
}

async fn shown(db: &impl ConnectionTrait, calls: Vec<(Model, Exchange)>) -> Result<Vec<CapturedCall>> {
    let ids = calls.iter().map(|(row, _)| row.organization_id);
    let names = crate::reports::queries::names_of(db, ids).await?;
    let call = |(row, Exchange { request, response }): (Model, Exchange)| CapturedCall {
        id: row.id,
        user_id: row.user_id,
        user_name: row.user_name,
        token_hash: row.token_hash,
        date: row.at,
        user_id_source_type: if row.is_service {
            UserIdSourceType::ServiceAccount
        } else {
            UserIdSourceType::User
        },
        milliseconds: row.milliseconds,
        value: CapturedExchange {
            tenant_id: row.organization_id,
            tenant_name: names.get(&row.organization_id).cloned(),
            network_id: row.network_id,
            request: CapturedRequest {
                url: request.url,
                method: row.method,
                headers: request.headers,
                body: request.body,
                omitted: request.omitted,
            },
            response: CapturedResponse {
                status: row.status,
                headers: response.headers,
                body: response.body,
                omitted: response.omitted,
            },
        },
    };
    Ok(calls.into_iter().map(call).collect())
}
