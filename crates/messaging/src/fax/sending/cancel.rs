//! Cancels a fax in progress.
//!
//! The request is recorded before the provider is asked, so the process may crash at any point: the submitting step
//! then does not submit, and the step that tracks the call asks the provider again.

use super::queries::{fax_of, may_send_from};
use crate::{
    deliveries::{LockedDeliveries, fail, is_queued},
    fax::{calls, sending::jobs},
    messages::queries::{self, announce},
};
use chrono::{DateTime, Utc};
use fax::{ProviderError, ProviderJob};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel,
    QueryFilter,
};
use serde_json::json;
use store::{
    Transaction,
    entities::{delivery, fax_attempt, fax_job},
};
use uuid::Uuid;
use workflow::names;

const TOO_LATE: &str = "The fax was delivered before it could be cancelled.";

/// Cancels a fax for its sender: a waiting one never starts, one at the provider is cancelled there.
pub async fn cancel(app: &App, member: &Member, message_id: Uuid, delivery_id: Uuid) -> Result<()> {
    let Some(call) = ask(app, member, message_id, delivery_id).await? else { return Ok(()) };
    let Some(job) = call.job.clone().map(|id| ProviderJob { id }) else { return Ok(()) };
    let account = calls::account_of(app.store.db(), &call).await?.ok_or(Error::NotFound)?;
    let answer = calls::provider(app, &account).await?.cancel(&job).await;
    match answer {
        Ok(()) => look(app, &call).await,
        Err(error) => {
            let words = refusal(&error);
            let goes_on = take_back(app, &Actor::from(&member.caller), &call, &words).await?;
            if goes_on { Err(Error::Conflict(words.into())) } else { Ok(()) }
        }
    }
}

fn act(message_id: Uuid, delivery_id: Uuid) -> Act {
    Act::new(event::CHANGED, "message", message_id).detail(json!({ "cancelled": delivery_id }))
}

/// Records the request. Returns the open call, if any; otherwise the fax is cancelled now.
async fn ask(
    app: &App,
    member: &Member,
    message_id: Uuid,
    delivery_id: Uuid,
) -> Result<Option<fax_attempt::Model>> {
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, message_id).await?;
    let mut locked = LockedDeliveries::lock(&txn, row.id).await?.ok_or(Error::NotFound)?;
    let fax = fax_of(&mut locked, delivery_id)?;
    let job = fax_job::Entity::find_by_id(delivery_id).one(&txn).await?.ok_or(Error::NotFound)?;
    if !is_queued(fax) {
        return Err(Error::Conflict("This fax is no longer being sent.".into()));
    }
    may_send_from(&txn, member, &job).await?;
    let call = open_call(&txn, delivery_id).await?;
    audit::record(app, &txn, &Actor::from(&member.caller), act(row.id, delivery_id)).await?;
    let row = if call.is_none() {
        stop(&txn, fax, job, now).await?;
        locked.settle(&txn, now).await?
    } else {
        set_cancel(&txn, job, Some(now), None).await?;
        row
    };
    app.store.commit_durable(txn).await?;
    announce(app, &row).await;
    app.bus.publish(Event::Work).await;
    Ok(call)
}

async fn open_call(txn: &Transaction, delivery_id: Uuid) -> Result<Option<fax_attempt::Model>> {
    let of_fax = fax_attempt::Entity::find().filter(fax_attempt::Column::DeliveryId.eq(delivery_id));
    Ok(of_fax.filter(fax_attempt::Column::EndedAt.is_null()).one(txn).await?)
}

/// Ends a fax that has no call. Its step is woken and finds nothing to do.
async fn stop(
    txn: &Transaction,
    fax: &mut delivery::Model,
    job: fax_job::Model,
    now: DateTime<Utc>,
) -> Result<()> {
    fail(txn, fax, &reason(txn, &job).await?, now).await?;
    jobs::rest(txn, job.delivery_id).await?;
    workflow::wake(txn, now, job.workflow_id, names::SUBMIT_FAX).await?;
    // It may have been first in the queue for its line.
    calls::wake_next(txn, job.document_source_id, now).await?;
    Ok(())
}

async fn set_cancel(
    txn: &Transaction,
    job: fax_job::Model,
    at: Option<DateTime<Utc>>,
    problem: Option<String>,
) -> Result<(), DbErr> {
    let mut change = job.into_active_model();
    change.cancel_at = Set(at);
    change.cancel_problem = Set(problem);
    change.update(txn).await.map(|_| ())
}

/// Wakes the step that tracks the call, now that the provider has cancelled it.
async fn look(app: &App, call: &fax_attempt::Model) -> Result<()> {
    let txn = app.store.begin().await?;
    if let Some(job) = fax_job::Entity::find_by_id(call.delivery_id).one(&txn).await? {
        workflow::wake(&txn, app.clock.now(), job.workflow_id, names::FOLLOW_FAX).await?;
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}

/// Withdraws the request, with a reason for the sender. Returns whether the fax is still in progress.
pub async fn take_back(app: &App, actor: &Actor, call: &fax_attempt::Model, words: &str) -> Result<bool> {
    let txn = app.store.begin().await?;
    let Some(locked) = LockedDeliveries::lock(&txn, call.message_id).await? else { return Ok(false) };
    let is_open = locked.deliveries.iter().any(|d| d.id == call.delivery_id && is_queued(d));
    let job = fax_job::Entity::find_by_id(call.delivery_id).one(&txn).await?;
    let Some(job) = job.filter(|_| is_open) else { return Ok(false) };
    set_cancel(&txn, job, None, Some(words.to_owned())).await?;
    audit::record(app, &txn, actor, act(call.message_id, call.delivery_id).failed()).await?;
    let row = locked.settle(&txn, app.clock.now()).await?;
    txn.commit().await?;
    announce(app, &row).await;
    Ok(true)
}

/// Why a provider did not cancel a fax, for its sender.
pub fn refusal(error: &ProviderError) -> String {
    match error {
        ProviderError::Refused(words) => format!("The fax could not be cancelled and continues. {words}"),
        ProviderError::Unknown => {
            "The fax could not be cancelled, because the provider no longer has it.".into()
        }
        ProviderError::Unreachable(_) | ProviderError::Unreadable(_) => {
            "The fax could not be cancelled and continues, because the provider did not answer. Please try again."
                .into()
        }
    }
}

/// Whether the cancellation of a fax was requested.
pub async fn is_asked(db: &impl ConnectionTrait, delivery_id: Uuid) -> Result<bool, DbErr> {
    let job = fax_job::Entity::find_by_id(delivery_id).one(db).await?;
    Ok(job.is_some_and(|job| job.cancel_at.is_some()))
}

/// The reason text for a cancelled fax, with the number of confirmed pages.
pub async fn reason(db: &impl ConnectionTrait, job: &fax_job::Model) -> Result<String, DbErr> {
    let of_fax = fax_attempt::Column::DeliveryId.eq(job.delivery_id);
    let made = fax_attempt::Entity::find().filter(of_fax).all(db).await?;
    let confirmed = made.iter().map(|call| call.confirmed_pages).max().unwrap_or_default();
    Ok(words(confirmed, job.pages))
}

fn words(confirmed: i32, pages: i32) -> String {
    match confirmed {
        ..=0 => "The fax was cancelled.".into(),
        1 => format!("The fax was cancelled after 1 of {pages} pages was confirmed."),
        some => format!("The fax was cancelled after {some} of {pages} pages were confirmed."),
    }
}

/// The note for a sender who cancelled too late.
pub fn too_late(job: &fax_job::Model) -> Option<String> {
    (job.cancel_at.is_some() || job.cancel_problem.is_some()).then(|| TOO_LATE.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_says_how_many_pages_were_confirmed() {
        assert_eq!(words(0, 3), "The fax was cancelled.");
        assert_eq!(words(1, 3), "The fax was cancelled after 1 of 3 pages was confirmed.");
        assert_eq!(words(2, 3), "The fax was cancelled after 2 of 3 pages were confirmed.");
    }

    #[test]
    fn a_provider_that_cannot_cancel_or_does_not_answer_is_told_in_plain_words() {
        let refused = ProviderError::Refused("A fax at WestFax can only be cancelled at WestFax.".into());
        assert_eq!(
            refusal(&refused),
            "The fax could not be cancelled and continues. A fax at WestFax can only be cancelled at WestFax."
        );
        assert!(refusal(&ProviderError::Unreachable("connect".into())).contains("did not answer"));
    }
}
