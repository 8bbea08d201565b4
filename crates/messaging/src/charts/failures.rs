//! Documents that are not in a chart, for the list of all that is not out yet.

use super::{
    queries::{connections, filed_by, open_chosen, people},
    types::{FailedFiling, FailedFilingParams, FailedFilingView},
};
use crate::{
    messages::{
        list,
        queries::{self as messages, announce},
    },
    sealed::{Summary, open_name},
};
use chrono::Duration;
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    http::{Page, Paged},
    sql,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, EntityTrait, IntoActiveModel, Order,
    QueryFilter, Select, sea_query::Expr,
};
use serde_json::json;
use std::collections::HashMap;
use store::entities::{
    attachment,
    chart_filing::{Column, Entity, FilingState, Model},
    integration, message,
};
use uuid::Uuid;

/// Time on the way to the chart from which a document counts as waiting.
const WAITS_AFTER: Duration = Duration::minutes(10);
const GAVE_UP: [FilingState; 2] = [FilingState::Failed, FilingState::WithdrawalFailed];
const NOT_FAILED: &str = "This document has not failed.";
const ITS_TURN: &str = "It waits for its turn.";

/// Filings that need attention, written as in the index's condition.
fn open(app: &App, member: &Member, view: Option<FailedFilingView>) -> Select<Entity> {
    let waits = Condition::all()
        .add(Column::State.eq(FilingState::Waiting))
        .add(Column::CreatedAt.lt(app.clock.now() - WAITS_AFTER));
    let failed = Condition::all().add(Column::State.is_in(GAVE_UP));
    let wanted = match view {
        None => Condition::any().add(waits).add(failed),
        Some(FailedFilingView::Waiting) => waits,
        Some(FailedFilingView::Failed) => failed,
    };
    Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::AcknowledgedAt.is_null())
        .filter(Expr::cust("chart_filing.state IN ('Waiting', 'Failed', 'WithdrawalFailed')"))
        .filter(wanted)
        .filter(member.tenant().of_messages(Column::MessageId))
}

/// Documents that are not in a chart, newest first.
pub async fn list(app: &App, member: &Member, params: &FailedFilingParams) -> Result<Paged<FailedFiling>> {
    let (db, key) = (app.store.db(), app.keys.data_key(member.organization_id).await?);
    let page = Page::new(params.page_start, params.page_size, 10, 100)?;
    let newest = [(Column::CreatedAt, Order::Desc), (Column::Id, Order::Desc)];
    let Paged { items: rows, total_count, total_is_capped } =
        sql::page(db, open(app, member, params.view), &newest, page).await?;
    let connections = connections(db, &rows).await?;
    let people = people(db, rows.iter().map(|row| row.user_id)).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.message_id).collect();
    let messages = list::by_ids(&ids).all(db).await?;
    let messages: HashMap<Uuid, message::Model> = messages.into_iter().map(|row| (row.id, row)).collect();
    let files = attachment::Column::Id.is_in(rows.iter().map(|row| row.attachment_id));
    let files = attachment::Entity::find().filter(files).all(db).await?;
    let names = files.iter().map(|file| Ok((file.id, open_name(&key, file)?)));
    let names: HashMap<Uuid, String> = names.collect::<Result<_>>()?;
    let mut items = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(message) = messages.get(&row.message_id) else { continue };
        let connection = connections.get(&row.integration_id);
        items.push(FailedFiling {
            file_name: names.get(&row.attachment_id).cloned().unwrap_or_default(),
            subject: Summary::open(&key, message)?.subject,
            from_name: message.from_name.clone(),
            from_address: message.from_address.clone(),
            patient_name: open_chosen(&key, &row)?.patient.display_name(),
            integration_name: connection.map(|of| of.name.clone()).unwrap_or_default(),
            explanation: explanation(&row, connection),
            next_at: connection.and_then(|of| of.retry_at).filter(|at| *at > app.clock.now()),
            filed_by: filed_by(&row, &people),
            id: row.id,
            message_id: row.message_id,
            attachment_id: row.attachment_id,
            integration_id: row.integration_id,
            integration_type: row.integration_kind,
            state: row.state,
            at: row.created_at,
        });
    }
    Ok(Paged { items, total_count, total_is_capped })
}

/// Why it is not in the chart.
fn explanation(row: &Model, connection: Option<&integration::Model>) -> String {
    let of_connection = connection.filter(|of| of.failing_since.is_some()).map(|of| of.problem.clone());
    match row.state {
        FilingState::Waiting => {
            of_connection.filter(|text| !text.is_empty()).unwrap_or_else(|| ITS_TURN.into())
        }
        _ => row.problem.clone(),
    }
}

/// Acknowledges a failure; repeating it has no effect.
pub async fn acknowledge(app: &App, member: &Member, id: Uuid) -> Result<()> {
    let one = || Entity::find_by_id(id).filter(Column::OrganizationId.eq(member.organization_id));
    let found = one().one(app.store.db()).await?.ok_or(Error::NotFound)?;
    let txn = app.store.begin().await?;
    let message = messages::lock(&txn, member, found.message_id).await?;
    let row = one().one(&txn).await?.ok_or(Error::NotFound)?;
    if !GAVE_UP.contains(&row.state) {
        return Err(Error::Conflict(NOT_FAILED.into()));
    }
    if row.acknowledged_at.is_some() {
        return Ok(());
    }
    let attachment = row.attachment_id;
    let mut change = row.into_active_model();
    change.acknowledged_at = Set(Some(app.clock.now()));
    change.update(&txn).await?;
    let act = Act::new(event::CHANGED, "attachment", attachment).detail(json!({ "acknowledged": id }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    announce(app, &message).await;
    Ok(())
}
