//! What rules filed, and what they left to people.

use super::types::{FiledByRule, FiledParams, LeftByRule, RuleCounts};
use crate::{
    charts::queries::{chart_url, connections, open_chosen},
    messages::list,
    sealed::{Summary, open_name},
};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Member, Result,
    http::{Page, Paged},
    sql,
};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, Order, QueryFilter, QuerySelect, Select};
use std::collections::{BTreeMap, HashMap};
use store::entities::{
    attachment,
    chart_filing::{self, FilingState},
    filing_refusal, message,
};
use uuid::Uuid;

/// Time that is listed by default.
const USUAL: Duration = Duration::days(2);

/// From the first time, inclusive, to the second, exclusive.
pub type Span = (DateTime<Utc>, DateTime<Utc>);

fn span(app: &App, params: &FiledParams) -> Span {
    let now = app.clock.now();
    (params.start.unwrap_or(now - USUAL), params.end.unwrap_or(now + Duration::minutes(1)))
}

/// Filings by rules in a time, written as in the index's condition.
pub fn filed_in(organization_id: Uuid, (start, end): Span) -> Select<chart_filing::Entity> {
    use chart_filing::Column;
    chart_filing::Entity::find()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::RuleId.is_not_null())
        .filter(Column::CreatedAt.gte(start))
        .filter(Column::CreatedAt.lt(end))
}

/// Messages that rules left to people in a time.
pub fn left_in(organization_id: Uuid, (start, end): Span) -> Select<filing_refusal::Entity> {
    use filing_refusal::Column;
    filing_refusal::Entity::find()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::At.gte(start))
        .filter(Column::At.lt(end))
}

fn filed(app: &App, member: &Member, params: &FiledParams) -> Select<chart_filing::Entity> {
    use chart_filing::Column;
    let mut rows = filed_in(member.organization_id, span(app, params));
    if let Some(rule) = params.rule_id {
        rows = rows.filter(Column::RuleId.eq(rule));
    }
    rows.filter(member.tenant().of_messages(Column::MessageId))
}

fn left(app: &App, member: &Member, params: &FiledParams) -> Select<filing_refusal::Entity> {
    use filing_refusal::Column;
    let mut rows = left_in(member.organization_id, span(app, params));
    if let Some(rule) = params.rule_id {
        rows = rows.filter(Column::RuleId.eq(rule));
    }
    rows.filter(member.tenant().of_messages(Column::MessageId))
}

fn page_of(params: &FiledParams) -> Result<Page> {
    Page::new(params.page_start, params.page_size, 20, 100)
}

async fn messages(app: &App, ids: &[Uuid]) -> Result<HashMap<Uuid, message::Model>> {
    let rows = list::by_ids(ids).all(app.store.db()).await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// The documents that rules filed, newest first.
pub async fn filed_page(app: &App, member: &Member, params: &FiledParams) -> Result<Paged<FiledByRule>> {
    use chart_filing::Column;
    let (db, key) = (app.store.db(), app.keys.data_key(member.organization_id).await?);
    let newest = [(Column::CreatedAt, Order::Desc), (Column::Id, Order::Desc)];
    let found = sql::page(db, filed(app, member, params), &newest, page_of(params)?).await?;
    let connections = connections(db, &found.items).await?;
    let messages = messages(app, &found.items.iter().map(|row| row.message_id).collect::<Vec<_>>()).await?;
    let files = attachment::Column::Id.is_in(found.items.iter().map(|row| row.attachment_id));
    let files = attachment::Entity::find().filter(files).all(db).await?;
    let names = files.iter().map(|file| Ok((file.id, open_name(&key, file)?)));
    let names: HashMap<Uuid, String> = names.collect::<Result<_>>()?;
    let view = |row: chart_filing::Model| {
        let chosen = open_chosen(&key, &row)?;
        let connection = connections.get(&row.integration_id);
        let message = messages.get(&row.message_id);
        Ok(FiledByRule {
            id: row.id,
            message_id: row.message_id,
            at: row.created_at,
            rule_id: row.rule_id.unwrap_or_default(),
            rule_name: row.rule_name.unwrap_or_default(),
            patient_name: chosen.patient.display_name(),
            file_name: names.get(&row.attachment_id).cloned().unwrap_or_default(),
            from_name: message.map(|of| of.from_name.clone()).unwrap_or_default(),
            from_address: message.map(|of| of.from_address.clone()).unwrap_or_default(),
            integration_id: row.integration_id,
            integration_name: connection.map(|of| of.name.clone()).unwrap_or_default(),
            chart_url: chart_url(connection, &chosen.patient_id),
            percent: row.percent.unwrap_or_default(),
            state: row.state,
            problem: row.problem,
        })
    };
    let Paged { items, total_count, total_is_capped } = found;
    let items = items.into_iter().map(view).collect::<Result<_>>()?;
    Ok(Paged { items, total_count, total_is_capped })
}

/// The messages that rules left to people, newest first.
pub async fn left_page(app: &App, member: &Member, params: &FiledParams) -> Result<Paged<LeftByRule>> {
    use filing_refusal::Column;
    let (db, key) = (app.store.db(), app.keys.data_key(member.organization_id).await?);
    let newest = [(Column::At, Order::Desc), (Column::MessageId, Order::Desc)];
    let found = sql::page(db, left(app, member, params), &newest, page_of(params)?).await?;
    let messages = messages(app, &found.items.iter().map(|row| row.message_id).collect::<Vec<_>>()).await?;
    let Paged { items, total_count, total_is_capped } = found;
    let mut views = Vec::with_capacity(items.len());
    for row in items {
        let Some(message) = messages.get(&row.message_id) else { continue };
        let summary = Summary::open(&key, message)?;
        views.push(LeftByRule {
            message_id: row.message_id,
            at: row.at,
            rule_id: row.rule_id,
            rule_name: row.rule_name,
            reason: row.reason,
            subject: summary.subject,
            patient_name: summary.patient_name,
            from_name: message.from_name.clone(),
            from_address: message.from_address.clone(),
            is_processed: message.processed_at.is_some(),
        });
    }
    Ok(Paged { items: views, total_count, total_is_capped })
}

#[derive(FromQueryResult)]
struct Counted {
    rule_id: Uuid,
    rule_name: String,
    state: FilingState,
    n: i64,
}

/// What each rule filed and left, by name.
pub async fn counts(app: &App, member: &Member, params: &FiledParams) -> Result<Vec<RuleCounts>> {
    let db = app.store.db();
    let counted = filed(app, member, params)
        .select_only()
        .column(chart_filing::Column::RuleId)
        .column_as(chart_filing::Column::RuleName.max(), "rule_name")
        .column(chart_filing::Column::State)
        .column_as(chart_filing::Column::Id.count(), "n")
        .group_by(chart_filing::Column::RuleId)
        .group_by(chart_filing::Column::State);
    let counted: Vec<Counted> = counted.into_model().all(db).await?;
    let left: Vec<(Uuid, String, i64)> = left(app, member, params)
        .select_only()
        .column(filing_refusal::Column::RuleId)
        .column_as(filing_refusal::Column::RuleName.max(), "rule_name")
        .column_as(filing_refusal::Column::MessageId.count(), "n")
        .group_by(filing_refusal::Column::RuleId)
        .into_tuple()
        .all(db)
        .await?;
    let mut rules: BTreeMap<Uuid, RuleCounts> = BTreeMap::new();
    for Counted { rule_id, rule_name, state, n } in counted {
        let counts = rules.entry(rule_id).or_default();
        let n = n.unsigned_abs();
        match state {
            FilingState::Waiting | FilingState::Filed => counts.filed += n,
            FilingState::Failed | FilingState::WithdrawalFailed => counts.failed += n,
            FilingState::Withdrawing | FilingState::Withdrawn => counts.withdrawn += n,
        }
        *counts = RuleCounts { rule_id, rule_name, ..std::mem::take(counts) };
    }
    for (rule_id, rule_name, n) in left {
        let counts = rules.entry(rule_id).or_default();
        *counts = RuleCounts { rule_id, rule_name, left: n.unsigned_abs(), ..std::mem::take(counts) };
    }
    let mut rules: Vec<RuleCounts> = rules.into_values().collect();
    rules.sort_by(|one, other| one.rule_name.cmp(&other.rule_name));
    Ok(rules)
}
