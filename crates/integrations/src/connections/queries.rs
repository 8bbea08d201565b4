//! Connections in the database, and what they filed.

use super::types::Counts;
use chrono::{DateTime, Utc};
use platform::{App, Error, Result, integrations};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, Iterable, QueryFilter, QueryOrder,
    QuerySelect, Select, SelectExt, entity::prelude::Uuid,
};
use store::entities::{
    chart_filing::{self, FilingState},
    integration::{Column, Entity, IntegrationType, Model},
};

/// The connections of an organization.
pub fn of(organization_id: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization_id))
}

pub fn connection(organization_id: Uuid, id: Uuid) -> Select<Entity> {
    of(organization_id).filter(Column::Id.eq(id))
}

pub async fn find(db: &impl ConnectionTrait, organization_id: Uuid, id: Uuid) -> Result<Model> {
    connection(organization_id, id).one(db).await?.ok_or(Error::NotFound)
}

/// The connections by name.
pub async fn all(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<Vec<Model>> {
    Ok(of(organization_id).order_by_asc(Column::Name).all(db).await?)
}

/// The connections that are on and that operators allow, by name.
pub async fn usable(app: &App, organization_id: Uuid) -> Result<Vec<Model>> {
    let mut rows = all(app.store.db(), organization_id).await?;
    let mut allowed = Vec::new();
    for kind in IntegrationType::iter().filter(|kind| rows.iter().any(|row| row.kind == *kind)) {
        if integrations::is_allowed(app.store.db(), kind.grant(), organization_id).await? {
            allowed.push(kind);
        }
    }
    rows.retain(|row| row.is_enabled && allowed.contains(&row.kind));
    Ok(rows)
}

/// Documents on their way into a chart, or out of it.
const ON_THEIR_WAY: [FilingState; 2] = [FilingState::Waiting, FilingState::Withdrawing];

const OPEN_FILINGS: &str =
    "Documents are still on their way to this chart or out of it. Wait for them, or take them back first.";

/// Refuses to delete a connection that is needed for documents on their way.
pub async fn refuse_if_on_their_way(db: &impl ConnectionTrait, id: Uuid) -> Result<()> {
    let open = chart_filing::Entity::find()
        .filter(chart_filing::Column::IntegrationId.eq(id))
        .filter(chart_filing::Column::State.is_in(ON_THEIR_WAY));
    match open.exists(db).await? {
        true => Err(Error::Conflict(OPEN_FILINGS.into())),
        false => Ok(()),
    }
}

#[derive(FromQueryResult)]
struct Count {
    integration_id: Uuid,
    state: FilingState,
    count: i64,
}

/// Numbers of documents by connection: those filed since a time, and those not in the chart.
pub async fn filings(
    db: &impl ConnectionTrait,
    connections: impl IntoIterator<Item = Uuid>,
    since: DateTime<Utc>,
) -> Result<Counts> {
    use chart_filing::Column::{FiledAt, Id, IntegrationId, State};
    let failed = [FilingState::Failed, FilingState::WithdrawalFailed];
    let open = ON_THEIR_WAY.into_iter().chain(failed);
    let counted = Condition::any()
        .add(State.is_in(open))
        .add(Condition::all().add(State.eq(FilingState::Filed)).add(FiledAt.gte(since)));
    let rows = chart_filing::Entity::find()
        .filter(IntegrationId.is_in(connections))
        .filter(counted)
        .select_only()
        .column(IntegrationId)
        .column(State)
        .column_as(Id.count(), "count")
        .group_by(IntegrationId)
        .group_by(State)
        .into_model::<Count>()
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| (row.integration_id, row.state, row.count)).collect())
}
