//! The end of a call: what it means for the delivery, and whether another call follows.

use super::{cancel, jobs};
use crate::{
    deliveries::{LockedDeliveries, fail, is_queued},
    events,
    fax::{calls, settings::FaxSettings},
    messages::queries::announce,
    model::DeliveryState,
    workflows::platform_error,
};
use ::fax::{Finished, Outcome};
use chrono::{DateTime, Duration, Utc};
use platform::{App, bus::Event};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, DbErr, EntityTrait, IntoActiveModel};
use store::{
    Transaction,
    entities::{delivery, fax_account, fax_attempt, fax_job, message, message_event::EventType},
};
use uuid::Uuid;
use workflow::{Done, StepContext, StepError};

/// The end of a call, stored in one transaction with its consequence: nothing, another call, or a decision by a person.
pub struct Conclusion {
    pub message: message::Model,
    pub attempt: fax_attempt::Model,
    pub finished: Finished,
    /// Whether the provider continues after the last confirmed page.
    pub can_resume: bool,
}

impl Conclusion {
    /// Completes the step. The called number is notified after the commit.
    pub fn done(self, app: &App, cx: &StepContext, account: Option<fax_account::Model>) -> Done {
        let (app, published, told) = (app.clone(), app.clone(), self.message.clone());
        let workflow_id = cx.workflow_id();
        let done = Done::with(move |txn| Box::pin(async move { self.write(&app, txn, workflow_id).await }));
        done.then(async move {
            announce(&published, &told).await;
            if let Some(account) = account
                && let Err(error) = calls::ring(&published, &account).await
            {
                tracing::warn!(?error, "a called number could not be notified");
            }
            published.bus.publish(Event::Work).await;
        })
    }

    /// Part of the transaction that ends the step.
    pub async fn write(self, app: &App, txn: &Transaction, workflow_id: Uuid) -> Result<(), StepError> {
        let Self { message, attempt, mut finished, can_resume } = self;
        let now = app.clock.now();
        let Some(mut locked) = LockedDeliveries::lock(txn, message.id).await? else { return Ok(()) };
        let Some(job) = fax_job::Entity::find_by_id(attempt.delivery_id).one(txn).await? else {
            return Ok(());
        };
        let is_known = !matches!(finished.outcome, Outcome::Delivered | Outcome::Uncertain);
        if job.cancel_at.is_some() && is_known {
            finished.outcome = Outcome::Cancelled;
        }
        let Some(ended) = calls::end(txn, attempt.id, &finished, now).await? else { return Ok(()) };
        let settings = FaxSettings::of(txn, message.organization_id).await.map_err(platform_error)?;
        let dials = job.dials + 1;
        let pause = settings.retries().pause(dials.max(0).unsigned_abs(), finished.outcome);
        let next_at = pause.and_then(|p| Duration::from_std(p).ok()).map(|p| now + p);
        let reason = reason(txn, &job, &finished).await?;
        let too_late = cancel::too_late(&job).filter(|_| finished.outcome == Outcome::Delivered);
        let mut change = job.into_active_model();
        change.cancel_problem = Set(too_late);
        change.dials = Set(dials);
        change.confirmed_pages = Set(if can_resume { ended.confirmed_pages } else { 0 });
        change.next_at = Set(next_at);
        change.waits_for = Set(next_at.map(|_| finished.outcome.words().into()));
        change.update(txn).await?;
        let open = |d: &&mut delivery::Model| d.id == attempt.delivery_id && is_queued(d);
        if let Some(row) = locked.deliveries.iter_mut().find(open) {
            let end = End { outcome: finished.outcome, reason, dials, goes_on: next_at.is_some() };
            settle(txn, row, end, now).await?;
        }
        if let Some(at) = next_at {
            let again = jobs::submit(attempt.delivery_id, at);
            workflow::add_steps(txn, workflow_id, message.organization_id, vec![again]).await?;
        }
        locked.settle(txn, now).await?;
        Ok(())
    }
}

/// End of the last call to a recipient.
struct End {
    outcome: Outcome,
    reason: String,
    dials: i32,
    goes_on: bool,
}

/// Updates a delivery after its last call.
async fn settle(
    txn: &Transaction,
    row: &mut delivery::Model,
    end: End,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let mut change = row.clone().into_active_model();
    change.attempt = Set(end.dials);
    *row = change.update(txn).await?;
    match end.outcome {
        Outcome::Delivered => {
            let mut change = row.clone().into_active_model();
            change.state = Set(DeliveryState::Delivered);
            change.sent_at = Set(Some(now));
            change.delivered_at = Set(Some(now));
            *row = change.update(txn).await?;
            events::queries::add(txn, &*row, EventType::Delivered, now, None).await
        }
        Outcome::Uncertain => {
            let mut change = row.clone().into_active_model();
            change.state = Set(DeliveryState::Uncertain);
            change.reason = Set(Some(end.reason));
            *row = change.update(txn).await?;
            events::queries::add(txn, &*row, EventType::Uncertain, now, None).await
        }
        _ if end.goes_on => Ok(()),
        _ => fail(txn, row, &end.reason, now).await,
    }
}

/// Why the call ended, in our words and the provider's; after a cancellation, with the number of confirmed pages.
async fn reason(txn: &Transaction, job: &fax_job::Model, finished: &Finished) -> Result<String, DbErr> {
    if finished.outcome == Outcome::Cancelled {
        return cancel::reason(txn, job).await;
    }
    let (ours, theirs) = (finished.outcome.words(), finished.words.trim());
    Ok(if theirs.is_empty() { ours.to_owned() } else { format!("{ours} ({theirs})") })
}
