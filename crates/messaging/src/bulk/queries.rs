//! Database access of bulk jobs.

use super::{
    steps::{find as find_messages, first_step},
    types::{BulkJob, BulkJobRequest, Query, RefusedMessage},
};
use crate::{
    bulk::selection::{BulkAct, BulkWhat},
    intake::types::ListRequest,
    messages::list as lists,
    sealed::Summary,
    workflows::BULK,
};
use chrono::Duration;
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    chores,
    fields::DEFAULT_FIELD_ERROR,
    http::{Page, Paged},
    sql,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Order,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde_json::json;
use std::{collections::HashMap, time};
use store::{
    Transaction,
    entities::{
        bulk_item::{self, ItemState},
        bulk_job::{ActiveModel, Column, Entity, JobAct, JobState, Model},
    },
    keys::DataKey,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use workflow::NewWorkflow;

/// Number of jobs in the list.
const SHOWN: u64 = 10;
/// How long a finished job is kept.
const KEPT: Duration = Duration::days(7);
const ROUND: time::Duration = time::Duration::from_secs(3600);
/// Number of jobs removed in one transaction: each may have many messages.
const BATCH: u64 = 10;
const ONE_AT_A_TIME: &str = "Your last bulk action is still running. Wait until it is done, or stop it.";

/// Starts a job. A person has one at a time, so that two jobs do not undo each other.
pub async fn start(app: &App, member: &Member, request: BulkJobRequest) -> Result<BulkJob> {
    let db = app.store.db();
    let BulkJobRequest { what, intake, release, undo, confirm } = request;
    let query = match (intake, release, undo, confirm) {
        (Some(list), None, None, None) => {
            let all = ListRequest {
                page_start: None,
                page_size: None,
                cursor: None,
                order_by: None,
                order_dir: None,
                ..list
            };
            Query::Intake(Box::new(all))
        }
        (None, Some(list), None, None) => Query::Release(list),
        (None, None, Some(id), None) => {
            let undone = find(db, member, id).await?;
            if undone.ended_at.is_none() || opposite(what_of(&undone)?.act) != Some(what.act) {
                return Err(Error::field("undo", DEFAULT_FIELD_ERROR));
            }
            Query::Done(id)
        }
        (None, None, None, Some(id)) => {
            let confirmed = find(db, member, id).await?;
            if what.act != BulkAct::Process
                || what_of(&confirmed)?.act != BulkAct::Process
                || !what.accepts_gaps
            {
                return Err(Error::field("confirm", DEFAULT_FIELD_ERROR));
            }
            Query::Confirmed(id)
        }
        _ => {
            return Err(Error::BadRequest(
                "Please give exactly one of intake, release, undo and confirm.".into(),
            ));
        }
    };
    // An invalid query is refused now, not later by the job.
    find_messages(app, member, &query, None).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let (id, now) = (Uuid::now_v7(), app.clock.now());
    let txn = app.store.begin().await?;
    accounts::person::locked(&txn, member.caller.user_id).await?;
    if own(member).filter(Column::EndedAt.is_null()).count(&txn).await? > 0 {
        return Err(Error::Conflict(ONE_AT_A_TIME.into()));
    }
    let row = Model {
        id,
        organization_id: member.organization_id,
        user_id: member.caller.user_id,
        state: JobState::Running,
        act: JobAct(json!(what)),
        sealed_query: key.seal_json(&context(id), &query)?,
        source_ip: member.caller.source_ip.clone(),
        total: 0,
        is_counted: false,
        created_at: now,
        ended_at: None,
    };
    Entity::insert(row.clone().into_active_model()).exec_without_returning(&txn).await?;
    let job = NewWorkflow {
        organization_id: member.organization_id,
        kind: BULK.into(),
        object_id: id,
        steps: vec![first_step(now)],
    };
    workflow::enqueue(&txn, now, job).await?;
    let act = Act::new(event::CREATED, "bulkjob", id).detail(json!({ "act": what.act }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    view(db, row).await
}

fn own(member: &Member) -> sea_orm::Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::UserId.eq(member.caller.user_id))
}

/// The action that undoes another one.
fn opposite(act: BulkAct) -> Option<BulkAct> {
    match act {
        BulkAct::Process => Some(BulkAct::Reopen),
        BulkAct::Delete => Some(BulkAct::Restore),
        _ => None,
    }
}

/// The action of a job.
pub fn what_of(job: &Model) -> Result<BulkWhat> {
    serde_json::from_value(job.act.0.clone())
        .map_err(|_| Error::internal("the action of a bulk job cannot be read"))
}

/// The messages of a job, as a query.
pub fn query_of(key: &DataKey, job: &Model) -> Result<Query> {
    Ok(key.open_json(&context(job.id), &job.sealed_query)?)
}

fn context(id: Uuid) -> String {
    format!("bulk_job.query:{id}")
}

/// A job of the caller.
pub async fn find(db: &impl ConnectionTrait, member: &Member, id: Uuid) -> Result<Model> {
    own(member).filter(Column::Id.eq(id)).one(db).await?.ok_or(Error::NotFound)
}

/// The latest jobs of the caller.
pub async fn list(app: &App, member: &Member) -> Result<Vec<BulkJob>> {
    let db = app.store.db();
    let since = app.clock.now() - KEPT;
    let rows = own(member).filter(Column::CreatedAt.gte(since)).order_by_desc(Column::CreatedAt).limit(SHOWN);
    let mut jobs = Vec::new();
    for row in rows.all(db).await? {
        jobs.push(view(db, row).await?);
    }
    Ok(jobs)
}

/// A job with its progress, counted along an index.
pub async fn view(db: &impl ConnectionTrait, job: Model) -> Result<BulkJob> {
    let what = what_of(&job)?;
    let count = async |state| items(job.id, state).count(db).await;
    Ok(BulkJob {
        id: job.id,
        act: what.act,
        state: job.state,
        total: job.total.try_into().unwrap_or_default(),
        is_counted: job.is_counted,
        done: count(ItemState::Done).await?,
        refused: count(ItemState::Refused).await?,
        created_on: job.created_at,
        ended_on: job.ended_at,
    })
}

/// The messages of a job in a given state.
pub fn items(job_id: Uuid, state: ItemState) -> sea_orm::Select<bulk_item::Entity> {
    bulk_item::Entity::find()
        .filter(bulk_item::Column::JobId.eq(job_id))
        .filter(bulk_item::Column::State.eq(state))
}

/// A page of the messages that a job refused.
pub async fn refused(app: &App, member: &Member, id: Uuid, page: Page) -> Result<Paged<RefusedMessage>> {
    let db = app.store.db();
    find(db, member, id).await?;
    let order = [(bulk_item::Column::Position, Order::Asc), (bulk_item::Column::MessageId, Order::Asc)];
    // The caller's read permissions may have changed meanwhile.
    let readable = member.tenant().of_readable(bulk_item::Column::MessageId);
    let found = sql::page(db, items(id, ItemState::Refused).filter(readable), &order, page).await?;
    let ids: Vec<Uuid> = found.items.iter().map(|item| item.message_id).collect();
    let key = app.keys.data_key(member.organization_id).await?;
    let mut subjects = HashMap::new();
    for message in lists::rows(db, &ids).await?.iter().filter(|message| message.deleted_at.is_none()) {
        subjects.insert(message.id, Summary::open(&key, message)?.subject);
    }
    let Paged { items, total_count, total_is_capped } = found;
    let items = items.into_iter().map(|item| {
        let reasons = match &item.sealed_reasons {
            Some(sealed) => key.open_json(&reasons_context(&item), sealed)?,
            None => Vec::new(),
        };
        Ok(RefusedMessage {
            id: item.message_id,
            subject: subjects.remove(&item.message_id).unwrap_or_default(),
            reasons,
            can_be_confirmed: item.can_be_confirmed,
        })
    });
    Ok(Paged { items: items.collect::<Result<_>>()?, total_count, total_is_capped })
}

/// Encryption context of the refusal reasons among the sealed values of an organization.
pub fn reasons_context(item: &bulk_item::Model) -> String {
    format!("bulk_item.reasons:{}:{}", item.job_id, item.message_id)
}

/// Stops a job; a finished job is unchanged.
pub async fn stop(app: &App, member: &Member, id: Uuid) -> Result<BulkJob> {
    let txn = app.store.begin().await?;
    let job = own(member).filter(Column::Id.eq(id)).lock_exclusive().one(&txn).await?;
    let job = job.ok_or(Error::NotFound)?;
    if job.ended_at.is_some() {
        return view(&txn, job).await;
    }
    let mut ended = job.into_active_model();
    ended.state = Set(JobState::Stopped);
    ended.ended_at = Set(Some(app.clock.now()));
    let job = ended.update(&txn).await?;
    let act = Act::new(event::CHANGED, "bulkjob", id).detail(json!({ "what": "stopped" }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    let answer = view(&txn, job).await?;
    txn.commit().await?;
    Ok(answer)
}

/// Ends a running job.
pub async fn end(
    txn: &Transaction,
    id: Uuid,
    state: JobState,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<(), sea_orm::DbErr> {
    Entity::update_many()
        .set(ActiveModel { state: Set(state), ended_at: Set(Some(now)), ..Default::default() })
        .filter(Column::Id.eq(id))
        .filter(Column::EndedAt.is_null())
        .exec(txn)
        .await?;
    Ok(())
}

/// Removes expired jobs, until the node stops.
pub async fn forget_forever(app: App, cancel: CancellationToken) {
    chores::every(ROUND, time::Duration::ZERO, cancel, "ended bulk jobs", || forget(&app)).await;
}

/// Removes expired jobs with their messages and reasons.
pub async fn forget(app: &App) -> Result<()> {
    let db = app.store.db();
    loop {
        let old: Vec<Uuid> = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::EndedAt.lt(app.clock.now() - KEPT))
            .limit(BATCH)
            .into_tuple()
            .all(db)
            .await?;
        Entity::delete_many().filter(Column::Id.is_in(old.iter().copied())).exec(db).await?;
        if (old.len() as u64) < BATCH {
            return Ok(());
        }
    }
}
