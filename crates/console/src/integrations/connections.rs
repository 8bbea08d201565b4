//! `/api/admin/integrations/connections`: the EHRs and other systems that organizations have connected, and how they are.

use crate::reports::queries::names_of;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Result,
    access::SYSADMINS,
    api::Api,
    http::{Page, Paged, Params},
    sql::{self, holds_words},
    text::SearchWords,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, Order, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, sea_query::NullOrdering,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::entities::{
    chart_filing::{self, FilingState},
    integration::{Column, Entity, IntegrationType},
    organization,
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(connected_systems))
}

/// A system that an organization has connected.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectedSystem {
    pub id: Uuid,
    pub organization_id: Uuid,
    pub organization_name: String,
    pub integration_type: IntegrationType,
    pub name: String,
    /// Whether its administrators switched it on.
    pub is_active: bool,
    /// Its address.
    pub base_url: String,
    pub software: String,
    /// Start of continuous failure.
    pub failing_since: Option<DateTime<Utc>>,
    /// What failed.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
    /// Time of the next try; until then, calls are refused at once.
    pub next_try_at: Option<DateTime<Utc>>,
    pub answered_at: Option<DateTime<Utc>>,
    pub answer_milliseconds: Option<i32>,
    /// Documents on their way.
    pub waiting: u64,
    /// Documents that could not be filed or taken back.
    pub failed: u64,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ConnectedQuery {
    /// Each word is contained in the organization's name.
    #[param(inline)]
    search: Option<SearchWords>,
    #[param(inline)]
    integration_type: Option<IntegrationType>,
    /// Only those that fail.
    failing: Option<bool>,
    page_number: Option<u64>,
    /// At most 100.
    page_size: Option<u64>,
}

/// The systems that organizations have connected: those that fail first, the longest failing at the top
#[utoipa::path(get, path = "/api/admin/integrations/connections", operation_id = "connectedSystems",
    tag = "integrations", params(ConnectedQuery), responses((status = 200, body = Paged<ConnectedSystem>)))]
async fn connected_systems(
    State(app): State<App>,
    Params(query): Params<ConnectedQuery>,
) -> Result<Json<Paged<ConnectedSystem>>> {
    let page = Page::new(query.page_number, query.page_size, 20, 100)?;
    let (db, now) = (app.store.db(), app.clock.now());
    let words = query.search.as_deref().unwrap_or_default();
    let organizations = organization::Entity::find()
        .select_only()
        .column(organization::Column::Id)
        .filter(organization::Column::DeletedAt.is_null())
        .filter(holds_words(organization::Column::NameKey, words));
    let mut rows = Entity::find().filter(Column::OrganizationId.in_subquery(organizations.into_query()));
    if let Some(kind) = query.integration_type {
        rows = rows.filter(Column::Kind.eq(kind));
    }
    if query.failing == Some(true) {
        rows = rows.filter(Column::FailingSince.is_not_null());
    }
    let counted = sql::capped_count(db, rows.clone()).await?;
    let sorted = rows
        .order_by_with_nulls(Column::FailingSince, Order::Asc, NullOrdering::Last)
        .order_by_asc(Column::Id);
    let found = Paged::capped(sorted.offset(page.offset()).limit(page.size).all(db).await?, counted);
    let names = names_of(db, found.items.iter().map(|row| row.organization_id)).await?;
    let counts = counts(db, found.items.iter().map(|row| row.id)).await?;
    Ok(Json(found.map(|row| {
        let (waiting, failed) = counts.get(&row.id).copied().unwrap_or_default();
        ConnectedSystem {
            organization_name: names.get(&row.organization_id).cloned().unwrap_or_default(),
            next_try_at: row.retry_at.filter(|at| *at > now),
            software: row.offers.map(|offers| offers.software).unwrap_or_default(),
            id: row.id,
            organization_id: row.organization_id,
            integration_type: row.kind,
            name: row.name,
            is_active: row.is_enabled,
            base_url: row.settings.base_url,
            failing_since: row.failing_since,
            problem: row.problem,
            remedy: row.remedy,
            answered_at: row.answered_at,
            answer_milliseconds: row.answer_milliseconds,
            waiting,
            failed,
        }
    })))
}

#[derive(FromQueryResult)]
struct Count {
    integration_id: Uuid,
    state: FilingState,
    count: i64,
}

/// Documents on their way and failed ones, by connection.
async fn counts(
    db: &impl ConnectionTrait,
    connections: impl Iterator<Item = Uuid>,
) -> Result<HashMap<Uuid, (u64, u64)>> {
    use chart_filing::Column::{Id, IntegrationId, State};
    let waiting = [FilingState::Waiting, FilingState::Withdrawing];
    let failed = [FilingState::Failed, FilingState::WithdrawalFailed];
    let rows = chart_filing::Entity::find()
        .filter(IntegrationId.is_in(connections))
        .filter(State.is_in(waiting.into_iter().chain(failed)))
        .select_only()
        .column(IntegrationId)
        .column(State)
        .column_as(Id.count(), "count")
        .group_by(IntegrationId)
        .group_by(State)
        .into_model::<Count>()
        .all(db)
        .await?;
    let mut counts: HashMap<Uuid, (u64, u64)> = HashMap::new();
    for row in rows {
        let of = counts.entry(row.integration_id).or_default();
        let count = u64::try_from(row.count).unwrap_or(0);
        if waiting.contains(&row.state) { of.0 += count } else { of.1 += count }
    }
    Ok(counts)
}
