//! The two steps of a bulk job. Each run takes a limited number of messages and schedules the next run, so that other
//! organizations get their turn. Each message is recorded as done or refused right away, so that a repeated run
//! continues where the first one ended.

use super::{
    queries::{self, items, query_of, what_of},
    types::{Query, ReleaseMatch},
};
use crate::{
    bulk::selection::{self, BulkAct, BulkWhat, Refused},
    intake::{queries as intake, types::ListRequest},
    messages::list::{asked, next_cursor},
    model::{Status, named},
    release::list as release,
    workflows::platform_error,
};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result, bus::Event, fields::DEFAULT_FIELD_ERROR, http::DayOrMoment, session,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, SelectExt,
    sea_query::{Expr, OnConflict},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        bulk_item::{self, ItemState},
        bulk_job::{Column, Entity, JobState, Model},
    },
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, Step, StepContext, StepError, StepType};

/// Collects the messages.
pub const COLLECT: StepType = StepType::new("CollectMessages", Lane::Chores);
/// Performs the action on them.
pub const ACT: StepType = StepType::new("ActOnMessages", Lane::Chores);

/// Number of messages collected per run.
const FOUND: u64 = 100;
/// Number of messages processed per run.
const ACTED_ON: u64 = 50;

/// Position at which the search continues.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Meta {
    cursor: Option<String>,
}

/// The first step of a job.
pub fn first_step(now: DateTime<Utc>) -> NewStep {
    NewStep::new(0, COLLECT, now).with_meta(json!(Meta::default()))
}

/// The job of a step, if it is still running.
async fn running(app: &App, cx: &StepContext) -> Result<Option<Model>, StepError> {
    let job = Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
    Ok(job.filter(|job| job.ended_at.is_none()))
}

/// The query of a job.
async fn query(app: &App, job: &Model) -> Result<Query> {
    query_of(&app.keys.data_key(job.organization_id).await?, job)
}

/// The person who started the job, with their present rights; `None` if they left the organization.
async fn beginner(app: &App, job: &Model) -> Result<Option<Member>> {
    session::member_at_work(app.store.db(), job.user_id, job.organization_id, job.source_ip.clone()).await
}

pub struct CollectMessages {
    pub app: App,
}

#[async_trait::async_trait]
impl Step for CollectMessages {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.app.clone();
        let Meta { cursor } = cx.meta()?;
        let Some(job) = running(&app, cx).await? else { return Ok(Done::skipped()) };
        let Some(member) = beginner(&app, &job).await.map_err(platform_error)? else {
            return Ok(ended(&app, &job, JobState::Stopped));
        };
        let query = query(&app, &job).await.map_err(platform_error)?;
        let (ids, next) = match find(&app, &member, &query, cursor.as_deref()).await {
            Ok(found) => found,
            // A query that is invalid now stays invalid.
            Err(error @ (Error::Invalid(_) | Error::BadRequest(_))) => {
                return Err(StepError::failed(format!(
                    "the messages of a bulk job cannot be listed: {error:?}"
                )));
            }
            Err(error) => return Err(platform_error(error)),
        };
        let (now, workflow_id) = (app.clock.now(), cx.workflow_id());
        let published = app.clone();
        let done = Done::with(move |txn| {
            Box::pin(async move {
                insert(txn, &job, &ids, next.is_none()).await?;
                let step = match next {
                    Some(cursor) => {
                        NewStep::new(0, COLLECT, now).with_meta(json!(Meta { cursor: Some(cursor) }))
                    }
                    None => NewStep::new(0, ACT, now),
                };
                Ok(workflow::add_steps(txn, workflow_id, job.organization_id, vec![step]).await?)
            })
        });
        Ok(done.then(async move { published.bus.publish(Event::Work).await }))
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        queries::end(txn, cx.object_id(), JobState::Failed, self.app.clock.now()).await
    }
}

fn ended(app: &App, job: &Model, state: JobState) -> Done {
    let (id, now) = (job.id, app.clock.now());
    Done::with(move |txn| Box::pin(async move { Ok(queries::end(txn, id, state, now).await?) }))
}

/// The ids of one run, and the position of the next one.
pub async fn find(
    app: &App,
    member: &Member,
    query: &Query,
    cursor: Option<&str>,
) -> Result<(Vec<Uuid>, Option<String>)> {
    match query {
        Query::Intake(list) => {
            let cursor = cursor.map(str::to_owned);
            let list = ListRequest { page_size: Some(FOUND), cursor, ..ListRequest::clone(list) };
            let found = intake::list(app, member, &list).await?;
            Ok((found.rows.iter().map(|row| row.id).collect(), found.next_cursor))
        }
        Query::Release(list) => of_release(app, member, list, cursor).await,
        Query::Done(other) => of_job(app, *other, false, cursor).await,
        Query::Confirmed(other) => of_job(app, *other, true, cursor).await,
    }
}

async fn of_release(
    app: &App,
    member: &Member,
    list: &ReleaseMatch,
    cursor: Option<&str>,
) -> Result<(Vec<Uuid>, Option<String>)> {
    let (page, behind) = asked(None, Some(FOUND), FOUND, cursor)?;
    let statuses = list.statuses.as_deref().unwrap_or_default();
    let statuses = statuses.split(',').filter(|s| !s.is_empty()).map(|word| {
        named::<Status>(word.trim()).ok_or_else(|| Error::field("statuses", DEFAULT_FIELD_ERROR))
    });
    let filter = release::Filter {
        is_draft: list.is_draft,
        statuses: statuses.collect::<Result<_>>()?,
        text: list.filter.as_deref().unwrap_or_default().to_owned(),
        since: list.start_date.map(DayOrMoment::begin),
        until: list.end_date.and_then(DayOrMoment::behind),
        order: release::Order::default(),
        behind,
    };
    let (rows, _) = release::page(app, member, &filter, page).await?;
    Ok((rows.iter().map(|row| row.id).collect(), next_cursor(page, &rows)))
}

/// Messages of another job, by their position in it.
async fn of_job(
    app: &App,
    other: Uuid,
    confirms: bool,
    cursor: Option<&str>,
) -> Result<(Vec<Uuid>, Option<String>)> {
    let behind = cursor.and_then(|cursor| cursor.parse::<i32>().ok()).unwrap_or(-1);
    let wanted = if confirms {
        items(other, ItemState::Refused).filter(bulk_item::Column::CanBeConfirmed.eq(true))
    } else {
        items(other, ItemState::Done)
    };
    let rows = wanted
        .filter(bulk_item::Column::Position.gt(behind))
        .order_by_asc(bulk_item::Column::Position)
        .limit(FOUND)
        .all(app.store.db())
        .await?;
    let next = rows.last().filter(|_| rows.len() as u64 == FOUND).map(|last| last.position.to_string());
    Ok((rows.into_iter().map(|row| row.message_id).collect(), next))
}

async fn insert(txn: &Transaction, job: &Model, ids: &[Uuid], is_last: bool) -> Result<(), DbErr> {
    let rows = ids.iter().zip(job.total..).map(|(id, position)| bulk_item::ActiveModel {
        job_id: Set(job.id),
        message_id: Set(*id),
        position: Set(position),
        state: Set(ItemState::Waiting),
        sealed_reasons: Set(None),
        can_be_confirmed: Set(false),
    });
    if !ids.is_empty() {
        let twice = [bulk_item::Column::JobId, bulk_item::Column::MessageId];
        bulk_item::Entity::insert_many(rows)
            .on_conflict(OnConflict::columns(twice).do_nothing().to_owned())
            .exec_without_returning(txn)
            .await?;
    }
    Entity::update_many()
        .col_expr(Column::Total, Expr::value(job.total + ids.len() as i32))
        .col_expr(Column::IsCounted, Expr::value(is_last))
        .filter(Column::Id.eq(job.id))
        .exec(txn)
        .await?;
    Ok(())
}

pub struct ActOnMessages {
    pub app: App,
}

#[async_trait::async_trait]
impl Step for ActOnMessages {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.app.clone();
        let db = app.store.db();
        let Some(job) = running(&app, cx).await? else { return Ok(Done::skipped()) };
        let Some(member) = beginner(&app, &job).await.map_err(platform_error)? else {
            return Ok(ended(&app, &job, JobState::Stopped));
        };
        let what = what_of(&job).map_err(platform_error)?;
        let waiting = items(job.id, ItemState::Waiting)
            .order_by_asc(bulk_item::Column::Position)
            .limit(ACTED_ON)
            .all(db)
            .await?;
        for item in waiting {
            if running(&app, cx).await?.is_none() {
                return Ok(Done::skipped());
            }
            let refused = act(&app, &member, item.message_id, &what, cx.attempt()).await;
            write_down(&app, &job, &item, refused).await?;
        }
        if !items(job.id, ItemState::Waiting).exists(db).await? {
            return Ok(ended(&app, &job, JobState::Done));
        }
        let (now, workflow_id, published) = (app.clock.now(), cx.workflow_id(), app.clone());
        let done = Done::with(move |txn| {
            Box::pin(async move {
                let next = vec![NewStep::new(0, ACT, now)];
                Ok(workflow::add_steps(txn, workflow_id, job.organization_id, next).await?)
            })
        });
        Ok(done.then(async move { published.bus.publish(Event::Work).await }))
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        queries::end(txn, cx.object_id(), JobState::Failed, self.app.clock.now()).await
    }
}

/// Why the action was refused for a message; `None` if it was done. If a message is missing in a repeated run, the run
/// that crashed before recording it had deleted it.
async fn act(app: &App, member: &Member, id: Uuid, what: &BulkWhat, attempt: i32) -> Option<Refused> {
    match selection::apply_to(app, member, id, what).await {
        Ok(()) => None,
        Err(Error::NotFound) if what.act == BulkAct::Delete && attempt > 1 => None,
        Err(error) => Some(selection::refused(id, error)),
    }
}

async fn write_down(
    app: &App,
    job: &Model,
    item: &bulk_item::Model,
    refused: Option<Refused>,
) -> Result<(), StepError> {
    let sealed = match &refused {
        Some(refused) => Some(seal_reasons(app, job, item, refused).await.map_err(platform_error)?),
        None => None,
    };
    let state = if refused.is_some() { ItemState::Refused } else { ItemState::Done };
    bulk_item::Entity::update_many()
        .set(bulk_item::ActiveModel {
            state: Set(state),
            can_be_confirmed: Set(refused.as_ref().is_some_and(|refused| refused.can_be_confirmed)),
            sealed_reasons: Set(sealed),
            ..Default::default()
        })
        .filter(bulk_item::Column::JobId.eq(item.job_id))
        .filter(bulk_item::Column::MessageId.eq(item.message_id))
        .exec(app.store.db())
        .await?;
    Ok(())
}

async fn seal_reasons(app: &App, job: &Model, item: &bulk_item::Model, refused: &Refused) -> Result<Vec<u8>> {
    let key = app.keys.data_key(job.organization_id).await?;
    Ok(key.seal_json(&queries::reasons_context(item), &refused.reasons)?)
}
