//! Database access of faxes of messages.

use super::{
    jobs,
    types::{FaxAttempt, FaxDelivery},
};
use crate::{
    deliveries::{LockedDeliveries, is_queued},
    fax::{calls, numbers::queries::display, settings::FaxSettings},
    messages::queries,
    model::{DeliveryKind, DeliveryState, SourceKind, SourceStatus},
    workflows::SEND,
};
use fax::{FaxNumber, Outcome};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{
    ActiveEnum, ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait,
    IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr,
};
use std::collections::{BTreeSet, HashMap};
use store::{
    Transaction,
    entities::{
        delivery, document_source,
        fax_attempt::{self, AttemptState},
        fax_job, fax_reception, message, user_document_source,
    },
};
use uuid::Uuid;
use workflow::NewWorkflow;

/// The active fax numbers from which the member may send.
pub async fn numbers(db: &impl ConnectionTrait, member: &Member) -> Result<Vec<document_source::Model>> {
    sources(db, member, SourceKind::Fax).await
}

/// The active addresses or numbers from which the member may send.
pub async fn sources(
    db: &impl ConnectionTrait,
    member: &Member,
    kind: SourceKind,
) -> Result<Vec<document_source::Model>> {
    let links = user_document_source::Entity::find()
        .filter(user_document_source::Column::UserId.eq(member.caller.user_id))
        .filter(user_document_source::Column::OrganizationId.eq(member.organization_id))
        .all(db)
        .await?;
    Ok(member
        .tenant()
        .document_sources()
        .filter(document_source::Column::Id.is_in(links.into_iter().map(|l| l.document_source_id)))
        .filter(document_source::Column::Kind.eq(kind))
        .filter(document_source::Column::Status.eq(SourceStatus::Activated))
        .order_by_asc(document_source::Column::AddressKey)
        .all(db)
        .await?)
}

/// The numbers to which the organization has never sent.
pub async fn unknown(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    numbers: &[FaxNumber],
) -> Result<BTreeSet<String>> {
    let keys: BTreeSet<String> = numbers.iter().map(ToString::to_string).collect();
    let known: Vec<String> = delivery::Entity::find()
        .select_only()
        .column(delivery::Column::AddressKey)
        .distinct()
        .filter(delivery::Column::OrganizationId.eq(organization_id))
        // Written as in the condition of the index of faxes.
        .filter(Expr::cust(format!("kind = {}", DeliveryKind::Fax.to_value())))
        .filter(delivery::Column::AddressKey.is_in(keys.iter().cloned()))
        .into_tuple()
        .all(db)
        .await?;
    Ok(keys.into_iter().filter(|key| !known.contains(key)).collect())
}

/// Adds the fax jobs of a message, besides its deliveries.
pub async fn add_jobs(
    txn: &Transaction,
    row: &message::Model,
    workflow_id: Uuid,
    source: &document_source::Model,
) -> Result<()> {
    let deliveries = delivery::Entity::find()
        .filter(delivery::Column::MessageId.eq(row.id))
        .filter(delivery::Column::Kind.eq(DeliveryKind::Fax))
        .all(txn)
        .await?;
    let jobs = deliveries.into_iter().map(|d| {
        fax_job::Model {
            delivery_id: d.id,
            organization_id: row.organization_id,
            message_id: row.id,
            document_source_id: source.id,
            workflow_id,
            blob_id: None,
            pages: 0,
            confirmed_pages: 0,
            dials: 0,
            waiting_since: None,
            next_at: None,
            waits_for: None,
            cancel_at: None,
            cancel_problem: None,
        }
        .into_active_model()
    });
    fax_job::Entity::insert_many(jobs).exec_without_returning(txn).await?;
    Ok(())
}

/// The faxes of a message in the order of its recipients.
pub async fn of_message(app: &App, member: &Member, message_id: Uuid) -> Result<Vec<FaxDelivery>> {
    let db = app.store.db();
    queries::find(app, member, message_id).await?;
    let deliveries = member
        .tenant()
        .deliveries()
        .filter(delivery::Column::MessageId.eq(message_id))
        .filter(delivery::Column::Kind.eq(DeliveryKind::Fax))
        .order_by_asc(delivery::Column::Position)
        .all(db)
        .await?;
    let jobs = fax_job::Entity::find().filter(fax_job::Column::MessageId.eq(message_id)).all(db).await?;
    let mut jobs: HashMap<Uuid, _> = jobs.into_iter().map(|j| (j.delivery_id, j)).collect();
    let attempts = fax_attempt::Entity::find()
        .filter(fax_attempt::Column::DeliveryId.is_in(deliveries.iter().map(|d| d.id)))
        .order_by_asc(fax_attempt::Column::Number)
        .all(db)
        .await?;
    let own = numbers(db, member).await?;
    let sources = member
        .tenant()
        .document_sources()
        .filter(document_source::Column::Id.is_in(jobs.values().map(|j| j.document_source_id)))
        .all(db)
        .await?;
    let answers = fax_reception::Entity::find()
        .filter(fax_reception::Column::Answers.eq(message_id))
        .order_by_desc(fax_reception::Column::ReceivedAt)
        .all(db)
        .await?;
    let mut shown = Vec::new();
    for row in deliveries {
        let Some(job) = jobs.remove(&row.id) else { continue };
        let calls: Vec<_> = attempts.iter().filter(|a| a.delivery_id == row.id).cloned().collect();
        let from = sources.iter().find(|s| s.id == job.document_source_id);
        let is_own = |job: &fax_job::Model| own.iter().any(|s| s.id == job.document_source_id);
        shown.push(FaxDelivery {
            delivery_id: row.id,
            to_number: display(&row.address_key),
            from_number: from.map(|s| display(&s.address)).unwrap_or_default(),
            pages: job.pages,
            confirmed_pages: job.confirmed_pages,
            now: now(&row, &job, calls.last()),
            answer_id: answers
                .iter()
                .find(|a| a.caller.as_deref() == Some(row.address_key.as_str()))
                .and_then(|a| a.message_id),
            can_send_again: has_failed(&row) && is_own(&job),
            can_cancel: is_queued(&row) && job.cancel_at.is_none() && is_own(&job),
            cancel_problem: job.cancel_problem,
            waits_for: job.waits_for,
            next_at: job.next_at,
            attempts: calls.into_iter().map(view).collect::<Result<_>>()?,
        });
    }
    Ok(shown)
}

/// Not delivered, or unknown: a person may decide to send it again.
fn has_failed(row: &delivery::Model) -> bool {
    matches!(row.state, DeliveryState::Failed | DeliveryState::Uncertain)
}

/// The present activity of a fax, in words.
fn now(row: &delivery::Model, job: &fax_job::Model, last: Option<&fax_attempt::Model>) -> String {
    match row.state {
        DeliveryState::Delivered => "Delivered".into(),
        DeliveryState::Failed => row.reason.clone().unwrap_or_else(|| "Failed".into()),
        DeliveryState::Uncertain => row.reason.clone().unwrap_or_else(|| Outcome::Uncertain.words().into()),
        _ if job.cancel_at.is_some() => "Cancelling".into(),
        _ => match last.filter(|a| a.ended_at.is_none()) {
            Some(call) => match (call.state, call.page) {
                (AttemptState::Dialling, _) => "Dialling".into(),
                (AttemptState::Sending, Some(page)) => format!("Sending page {page} of {}", call.pages),
                _ => "Waiting for the provider".into(),
            },
            None if job.blob_id.is_none() => "Preparing the pages".into(),
            None => job.waits_for.clone().unwrap_or_else(|| "Waiting for a line".into()),
        },
    }
}

fn view(row: fax_attempt::Model) -> Result<FaxAttempt> {
    let outcome = calls::outcome_of(&row)?;
    Ok(FaxAttempt {
        id: row.id,
        number: row.number,
        provider: row.provider,
        from_number: display(&row.from_number),
        state: row.state,
        first_page: row.first_page,
        pages: row.pages,
        page: row.page,
        confirmed_pages: row.confirmed_pages,
        outcome,
        explanation: outcome.map_or("", Outcome::words).into(),
        words: row.words,
        line: row.line,
        rate: row.rate,
        seconds: row.seconds,
        remote_id: row.remote_id,
        log: row.log,
        started_at: row.started_at,
        ended_at: row.ended_at,
    })
}

/// The fax of one recipient, under the lock of its message.
pub fn fax_of(locked: &mut LockedDeliveries, delivery_id: Uuid) -> Result<&mut delivery::Model> {
    let of_fax = |d: &&mut delivery::Model| d.id == delivery_id && d.kind == DeliveryKind::Fax;
    locked.deliveries.iter_mut().find(of_fax).ok_or(Error::NotFound)
}

/// Refuses people who may not send from the number of a fax.
pub async fn may_send_from(db: &impl ConnectionTrait, member: &Member, job: &fax_job::Model) -> Result<()> {
    if numbers(db, member).await?.iter().all(|s| s.id != job.document_source_id) {
        return Err(Error::Conflict("You cannot send from this fax number.".into()));
    }
    Ok(())
}

/// Sends a fax again at a person's request.
pub async fn again(app: &App, member: &Member, message_id: Uuid, delivery_id: Uuid) -> Result<()> {
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, message_id).await?;
    let mut locked = LockedDeliveries::lock(&txn, row.id).await?.ok_or(Error::NotFound)?;
    let fax = fax_of(&mut locked, delivery_id)?;
    let job = fax_job::Entity::find_by_id(delivery_id).one(&txn).await?.ok_or(Error::NotFound)?;
    if !has_failed(fax) {
        return Err(Error::Conflict("This fax was delivered, or is still being sent.".into()));
    }
    may_send_from(&txn, member, &job).await?;
    let to = FaxNumber::from_e164(&fax.address_key).map_err(|e| Error::Conflict(e.to_string().into()))?;
    if FaxSettings::of(&txn, member.organization_id).await?.is_blocked(&to) {
        return Err(Error::Conflict("Your organization has blocked this fax number.".into()));
    }
    let mut change = fax.clone().into_active_model();
    change.state = Set(DeliveryState::Queued);
    change.reason = Set(None);
    change.failed_at = Set(None);
    change.acknowledged_at = Set(None);
    *fax = change.update(&txn).await?;
    let first =
        if job.blob_id.is_some() { jobs::submit(delivery_id, now) } else { jobs::render(delivery_id, now) };
    let new = NewWorkflow {
        organization_id: row.organization_id,
        kind: SEND.into(),
        object_id: row.id,
        steps: vec![first],
    };
    let workflow_id = workflow::enqueue(&txn, now, new).await?;
    let are_pages_kept = job.blob_id.is_some();
    let mut change = job.into_active_model();
    if !are_pages_kept {
        // New pages may differ from the old ones.
        change.confirmed_pages = Set(0);
    }
    change.dials = Set(0);
    change.cancel_at = Set(None);
    change.cancel_problem = Set(None);
    change.workflow_id = Set(workflow_id);
    change.update(&txn).await?;
    let act = Act::new(event::SENT, "message", row.id).detail(serde_json::json!({ "again": delivery_id }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    let row = locked.settle(&txn, now).await?;
    app.store.commit_durable(txn).await?;
    queries::announce(app, &row).await;
    app.bus.publish(Event::Work).await;
    Ok(())
}
