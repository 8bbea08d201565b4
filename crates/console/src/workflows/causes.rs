//! `/api/workflows/failures`: failed steps, grouped and counted by cause.

use super::{
    refused,
    retries::{RetryStep, RetryType},
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{App, Result, access::SYSADMINS, api::Api, http::Params};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
    sea_query::Expr,
};
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, collections::HashMap};
use store::entities::workflow_step;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of failed steps of one name that are read, newest first; also the maximum of a retry.
pub const STEPS_MAX: u64 = 10_000;
const CAUSES_SHOWN: usize = 100;
const CAUSE_LENGTH_MAX: usize = 300;
/// Longer words with a digit are ids, not codes.
const CODE_LENGTH_MAX: usize = 10;
const UNKNOWN: &str = "No reason was recorded.";

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(workflow_failures))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FailuresQuery {
    #[param(inline)]
    pub r#type: RetryType,
}

/// Steps that failed for the same reason.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureCause {
    pub retry_step: RetryStep,
    /// The reason, without addresses and ids.
    pub cause: String,
    pub count: u64,
    pub first: DateTime<Utc>,
    pub last: DateTime<Utc>,
    /// One of the workflows, as an example.
    pub workflow_id: Uuid,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureCauses {
    pub items: Vec<FailureCause>,
    /// Whether more than 10,000 steps of one kind failed, of which the newest were counted.
    pub is_capped: bool,
}

/// Causes of failed workflow steps, most frequent first
#[utoipa::path(get, path = "/api/workflows/failures", operation_id = "workflowFailures", tag = "workflows",
    params(FailuresQuery), responses((status = 200, body = FailureCauses)))]
async fn workflow_failures(
    State(app): State<App>,
    Params(query): Params<FailuresQuery>,
) -> Result<Json<FailureCauses>> {
    let (mut items, mut is_capped) = (Vec::new(), false);
    for step in query.r#type.steps() {
        let failed = failed(app.store.db(), *step, None).await?;
        is_capped |= failed.len() as u64 >= STEPS_MAX;
        items.extend(grouped(*step, failed));
    }
    items.sort_by(|a, b| b.count.cmp(&a.count).then(b.last.cmp(&a.last)));
    items.truncate(CAUSES_SHOWN);
    Ok(Json(FailureCauses { items, is_capped }))
}

/// A step that failed.
#[derive(Clone, Debug, FromQueryResult)]
pub struct Failed {
    pub id: Uuid,
    pub workflow_id: Uuid,
    pub error: Option<String>,
    pub ended_at: DateTime<Utc>,
}

/// The failed steps of a name that have not been retried since, newest first, including completed ones with refused
/// recipients.
pub async fn failed(
    db: &impl ConnectionTrait,
    step: RetryStep,
    until: Option<DateTime<Utc>>,
) -> Result<Vec<Failed>> {
    let mut failed = failed_alone(db, step, until).await?;
    if step == RetryStep::Deliver {
        failed.extend(refused::steps(db, until, None).await?);
        failed.sort_by_key(|step| Reverse(step.ended_at));
        failed.truncate(STEPS_MAX as usize);
    }
    Ok(failed)
}

/// The failed steps of a name: a range of their index.
async fn failed_alone(
    db: &impl ConnectionTrait,
    step: RetryStep,
    until: Option<DateTime<Utc>>,
) -> Result<Vec<Failed>> {
    use workflow_step::Column;
    let mut rows = workflow_step::Entity::find()
        .select_only()
        .columns([Column::Id, Column::WorkflowId, Column::Error, Column::EndedAt])
        .filter(Column::Name.eq(step.name()))
        // In literals, for the index of failed steps.
        .filter(Expr::cust("status = 'Failed'"))
        .filter(Column::EndedAt.is_not_null());
    if let Some(until) = until {
        rows = rows.filter(Column::EndedAt.lte(until));
    }
    let rows = rows.order_by_desc(Column::EndedAt).limit(STEPS_MAX);
    Ok(rows.into_model::<Failed>().all(db).await?)
}

fn grouped(retry_step: RetryStep, failed: Vec<Failed>) -> Vec<FailureCause> {
    let mut groups: HashMap<String, FailureCause> = HashMap::new();
    for step in failed {
        let cause = cause_of(step.error.as_deref());
        let group = groups.entry(cause.clone()).or_insert(FailureCause {
            retry_step,
            cause,
            count: 0,
            first: step.ended_at,
            last: step.ended_at,
            workflow_id: step.workflow_id,
        });
        group.count += 1;
        group.first = group.first.min(step.ended_at);
        group.last = group.last.max(step.ended_at);
    }
    groups.into_values().collect()
}

/// The common part of errors with one cause: without addresses and ids, with codes.
pub fn cause_of(error: Option<&str>) -> String {
    let word = |word: &str| {
        if word.contains('@') {
            return "(address)".to_owned();
        }
        let is_id = word.chars().count() > CODE_LENGTH_MAX && word.contains(|c: char| c.is_ascii_digit());
        if is_id { "(id)".to_owned() } else { word.to_owned() }
    };
    let words: Vec<String> = error.unwrap_or(UNKNOWN).split_whitespace().map(word).collect();
    words.join(" ").chars().take(CAUSE_LENGTH_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_one_cause_differ_in_addresses_and_ids_alone() {
        let error = |address, id| format!("451 4.7.1 <{address}>: try again later, ref {id}");
        let one = cause_of(Some(&error("dana@alder.example", "4XqZ9a1b2c3d")));
        assert_eq!(one, cause_of(Some(&error("nia@birch.example", "5YpQ8d3c2b1a"))));
        assert_eq!(one, "451 4.7.1 (address) try again later, ref (id)");
        assert_ne!(one, cause_of(Some("550 5.7.1 no")));
        assert_eq!(cause_of(None), UNKNOWN);
        assert_eq!(cause_of(Some(&"x ".repeat(1_000))).len(), CAUSE_LENGTH_MAX);
    }
}
