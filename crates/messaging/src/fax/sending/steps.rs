//! The fax steps of `MessageSendWorkflow`: RenderFax renders the pages for one recipient, SubmitFax waits for a line
//! and submits them to the provider, FollowFax tracks the call and decides what happens next.
//!
//! A call is recorded before it is submitted, with a key that identifies it at the provider, so the process may crash
//! at any point: the provider is asked about an open call, which is submitted again only if the provider certainly does
//! not have it.

use super::{
    cancel,
    conclusion::Conclusion,
    jobs::{FaxMeta, follow, rest, submit},
};
use crate::{
    deliveries::{self, LockedDeliveries, fail, is_queued},
    fax::{FILE_LIMIT, accounts::follow_interval, calls, pages, settings::FaxSettings},
    messages::queries::announce,
    model::SourceStatus,
    workflows::{conversion_policy, platform_error},
};
use ::fax::{
    FaxNumber, Finished, Found, Outcome, OutgoingFax, Provider, ProviderError, ProviderJob, Resolution,
    State, SubmitError,
};
use chrono::{DateTime, Duration, Utc};
use platform::{App, audit::Actor, bus::Event};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, sea_query::LockType,
};
use std::path::PathBuf;
use store::{
    Transaction,
    entities::{
        delivery, document_source, fax_account,
        fax_attempt::{self, AttemptState},
        fax_job, fax_number, message, organization,
    },
};
use tempfile::NamedTempFile;
use uuid::Uuid;
use workflow::{Done, Policy, Step, StepContext, StepError};

/// How long a fax waits for its line before it checks again; it is woken earlier if the line becomes free.
const LINE_WAIT: Duration = Duration::minutes(1);
/// How long a provider may be unreachable before the outcome of a submitted fax counts as unknown.
const UNREACHABLE_LIMIT: Duration = Duration::hours(6);

/// A recipient with everything needed to send the fax.
struct Job {
    message: message::Model,
    delivery: delivery::Model,
    job: fax_job::Model,
    source: document_source::Model,
    settings: FaxSettings,
}

impl Job {
    /// `None` if there is nothing left to do.
    async fn load(app: &App, cx: &StepContext) -> Result<Option<Self>, StepError> {
        let db = app.store.db();
        let meta: FaxMeta = cx.meta()?;
        // A call that was tracked is not made again.
        if let (Some(retried_at), None) = (cx.step.retried_at, meta.attempt_id) {
            reopen(app, cx, meta.delivery_id, retried_at).await?;
        }
        let delivery = delivery::Entity::find_by_id(meta.delivery_id).one(db).await?;
        let Some(delivery) = delivery.filter(is_queued) else { return Ok(None) };
        let job = fax_job::Entity::find_by_id(delivery.id).one(db).await?;
        let message = message::Entity::find_by_id(delivery.message_id).one(db).await?;
        // After a resend, the steps of the new workflow are in charge.
        let job = job.filter(|job| job.workflow_id == cx.workflow_id());
        let (Some(job), Some(message)) = (job, message) else { return Ok(None) };
        let source = document_source::Entity::find_by_id(job.document_source_id).one(db).await?;
        let source = source.ok_or_else(|| StepError::failed("The fax number no longer exists."))?;
        let settings = FaxSettings::of(db, message.organization_id).await.map_err(platform_error)?;
        Ok(Some(Self { message, delivery, job, source, settings }))
    }

    async fn account(&self, app: &App) -> Result<fax_account::Model, StepError> {
        let gone = || StepError::failed("The fax account no longer exists.");
        let number = fax_number::Entity::find_by_id(self.source.id).one(app.store.db()).await?;
        let id = number.ok_or_else(gone)?.account_id;
        fax_account::Entity::find_by_id(id).one(app.store.db()).await?.ok_or_else(gone)
    }

    fn to(&self) -> Result<FaxNumber, StepError> {
        number(&self.delivery.address_key)
    }
}

fn number(text: &str) -> Result<FaxNumber, StepError> {
    FaxNumber::from_e164(text).map_err(|_| StepError::failed("A fax number cannot be read."))
}

/// After a retry by hand: queues a fax again that failed before, unless the last call may have reached the recipient or
/// the sender has sent it again meanwhile.
async fn reopen(
    app: &App,
    cx: &StepContext,
    delivery_id: Uuid,
    retried_at: DateTime<Utc>,
) -> Result<(), StepError> {
    let txn = app.store.begin().await?;
    let Some(mut locked) = LockedDeliveries::lock(&txn, cx.object_id()).await? else { return Ok(()) };
    let job = fax_job::Entity::find_by_id(delivery_id).one(&txn).await?;
    let is_ours = job.is_some_and(|job| job.workflow_id == cx.workflow_id() && job.cancel_at.is_none());
    let last = fax_attempt::Entity::find()
        .filter(fax_attempt::Column::DeliveryId.eq(delivery_id))
        .order_by_desc(fax_attempt::Column::Number)
        .one(&txn)
        .await?;
    let may_have_arrived = match &last {
        Some(call) => {
            let outcome = calls::outcome_of(call).map_err(platform_error)?;
            matches!(outcome, None | Some(Outcome::Uncertain | Outcome::Delivered))
        }
        None => false,
    };
    let row = locked.deliveries.iter_mut().find(|d| d.id == delivery_id);
    let Some(row) = row.filter(|_| is_ours && !may_have_arrived) else { return Ok(txn.rollback().await?) };
    if !deliveries::reopen(&txn, row, retried_at).await? {
        return Ok(txn.rollback().await?);
    }
    let message = locked.settle(&txn, app.clock.now()).await?;
    txn.commit().await?;
    announce(app, &message).await;
    Ok(())
}

/// Fails the fax in the transaction in which its step fails.
async fn give_up(app: &App, cx: &StepContext, reason: &str, txn: &Transaction) -> Result<(), DbErr> {
    let Ok(meta) = cx.meta::<FaxMeta>() else { return Ok(()) };
    let Some(mut locked) = LockedDeliveries::lock(txn, cx.object_id()).await? else { return Ok(()) };
    let now = app.clock.now();
    if let Some(row) = locked.deliveries.iter_mut().find(|d| d.id == meta.delivery_id && is_queued(d)) {
        fail(txn, row, reason, now).await?;
    }
    let calls = fax_attempt::Entity::find().filter(fax_attempt::Column::DeliveryId.eq(meta.delivery_id));
    if let Some(call) = calls.filter(fax_attempt::Column::EndedAt.is_null()).one(txn).await? {
        // Free its line. It may have been submitted before the worker died.
        let end = Finished { remote_id: call.remote_id.clone(), ..uncertain(reason.into()) };
        calls::end(txn, call.id, &end, now).await?;
    }
    rest(txn, meta.delivery_id).await?;
    locked.settle(txn, now).await.map(|_| ())
}

/// Fails the fax for a reason that lies with the recipient, not the step.
fn refuse(app: &App, job: Job, reason: String) -> Done {
    let (app, published, message) = (app.clone(), app.clone(), job.message.clone());
    Done::with(move |txn| {
        Box::pin(async move {
            let now = app.clock.now();
            let Some(mut locked) = LockedDeliveries::lock(txn, job.message.id).await? else { return Ok(()) };
            if let Some(row) = locked.deliveries.iter_mut().find(|d| d.id == job.delivery.id && is_queued(d))
            {
                fail(txn, row, &reason, now).await?;
            }
            rest(txn, job.delivery.id).await?;
            calls::wake_next(txn, job.source.id, now).await?;
            locked.settle(txn, now).await?;
            Ok(())
        })
    })
    .then(async move { announce(&published, &message).await })
}

/// Renders the pages for one recipient.
pub struct RenderFax {
    pub app: App,
}

#[async_trait::async_trait]
impl Step for RenderFax {
    fn policy(&self) -> Policy {
        conversion_policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.app.clone();
        let Some(job) = Job::load(&app, cx).await? else { return Ok(Done::skipped()) };
        let made = pages::make(&app, &job.message, &job.delivery, &job.source).await?;
        let made = match made {
            Ok(made) => made,
            Err(reason) => return Ok(refuse(&app, job, reason)),
        };
        let (workflow_id, published, message) = (cx.workflow_id(), app.clone(), job.message.clone());
        let done = Done::with(move |txn| {
            Box::pin(async move {
                let change = fax_job::ActiveModel {
                    delivery_id: Set(job.delivery.id),
                    blob_id: Set(Some(made.blob_id)),
                    pages: Set(made.pages),
                    ..Default::default()
                };
                change.update(txn).await?;
                let next = submit(job.delivery.id, app.clock.now());
                workflow::add_steps(txn, workflow_id, job.message.organization_id, vec![next]).await?;
                Ok(())
            })
        });
        Ok(done.then(async move {
            announce(&published, &message).await;
            published.bus.publish(Event::Work).await;
        }))
    }

    async fn failed(&self, cx: &StepContext, reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        give_up(&self.app, cx, reason, txn).await
    }
}

/// Waits for a line and submits the pages to the provider.
pub struct SubmitFax {
    pub app: App,
}

/// Whether a fax gets a line.
enum Line {
    Taken(Box<fax_attempt::Model>),
    InUse,
    /// The sender cancelled it meanwhile, and may have sent it again.
    NotNeeded,
}

/// The result of submitting a fax.
enum Handed {
    Taken(ProviderJob),
    Ended(Finished),
    /// Nothing was sent.
    NotReached(String),
    /// It may have been accepted; the provider has to be asked again.
    Unknown(String),
}

#[async_trait::async_trait]
impl Step for SubmitFax {
    fn policy(&self) -> Policy {
        // A provider may be unreachable for a day.
        Policy {
            max_attempts: 60,
            backoff: |attempt| Duration::seconds((30 << attempt.clamp(0, 6)).min(1800)),
            ..Policy::default()
        }
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = &self.app;
        let Some(job) = Job::load(app, cx).await? else { return Ok(Done::skipped()) };
        let open = fax_attempt::Entity::find()
            .filter(fax_attempt::Column::DeliveryId.eq(job.delivery.id))
            .filter(fax_attempt::Column::EndedAt.is_null())
            .one(app.store.db())
            .await?;
        let account = job.account(app).await?;
        let provider = calls::provider(app, &account).await.map_err(platform_error)?;
        let (attempt, is_new) = match open {
            // Its step was added with the job that tracks it.
            Some(attempt) if attempt.job.is_some() => return Ok(Done::skipped()),
            Some(attempt) => (attempt, false),
            None => {
                if let Some(reason) = self.cancelled(&job).await? {
                    return Ok(refuse(app, job, reason));
                }
                if let Some(reason) = self.refusal(&job) {
                    return Ok(refuse(app, job, reason));
                }
                self.wait_for_turn(&job).await?;
                match self.take_line(&job, &account, &*provider).await? {
                    Line::Taken(attempt) => (*attempt, true),
                    Line::InUse => return Err(StepError::Wait { until: app.clock.now() + LINE_WAIT }),
                    Line::NotNeeded => return Ok(Done::skipped()),
                }
            }
        };
        announce(app, &job.message).await;
        let can_resume = provider.can_resume();
        let handed = self.hand_over(&job, &attempt, &*provider, is_new).await?;
        let end = |job: Job, finished| Conclusion {
            message: job.message,
            attempt: attempt.clone(),
            finished,
            can_resume,
        };
        match handed {
            Handed::Taken(taken) => Ok(self.taken(cx, job, attempt.clone(), account, taken)),
            Handed::Ended(finished) => Ok(end(job, finished).done(app, cx, Some(account))),
            Handed::NotReached(words) => {
                self.withdraw(&job, &attempt, &words).await?;
                match self.cancelled(&job).await? {
                    Some(reason) => Ok(refuse(app, job, reason)),
                    None => Err(StepError::again(words)),
                }
            }
            Handed::Unknown(words) if app.clock.now() - attempt.started_at > UNREACHABLE_LIMIT => {
                Ok(end(job, uncertain(words)).done(app, cx, None))
            }
            Handed::Unknown(words) => Err(StepError::again(words)),
        }
    }

    async fn failed(&self, cx: &StepContext, reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        give_up(&self.app, cx, &format!("The fax provider could not be reached. {reason}"), txn).await
    }
}

fn uncertain(words: String) -> Finished {
    Finished {
        outcome: Outcome::Uncertain,
        confirmed_pages: 0,
        words,
        rate: None,
        duration: None,
        remote_id: None,
        log: None,
    }
}

impl SubmitFax {
    /// The reason shown to a sender who cancelled it while it was being submitted.
    async fn cancelled(&self, job: &Job) -> Result<Option<String>, DbErr> {
        let db = self.app.store.db();
        let asked = cancel::is_asked(db, job.delivery.id).await?;
        Ok(if asked { Some(cancel::reason(db, &job.job).await?) } else { None })
    }

    /// Why the fax must not be sent, if so.
    fn refusal(&self, job: &Job) -> Option<String> {
        if job.source.status != SourceStatus::Activated {
            return Some("The fax number to send from is not active.".into());
        }
        if job.to().is_ok_and(|to| job.settings.is_blocked(&to)) {
            return Some("Your organization has blocked this fax number.".into());
        }
        let limit = job.settings.day_limit()?;
        let pages = job.job.pages - job.job.confirmed_pages;
        (i64::from(pages) > i64::from(limit)).then(|| {
            format!("The fax has {pages} pages, but your organization can send only {limit} per day.")
        })
    }

    /// Waits for the end of quiet hours.
    async fn wait_for_turn(&self, job: &Job) -> Result<(), StepError> {
        let now = self.app.clock.now();
        // It was woken for another fax of the same message.
        if let Some(until) = job.job.next_at.filter(|at| *at > now) {
            return Err(StepError::Wait { until });
        }
        if let Some(until) = job.settings.quiet_until(now) {
            return Err(self.wait(job, until, "Waiting for the end of quiet hours.").await?);
        }
        Ok(())
    }

    async fn wait(&self, job: &Job, until: DateTime<Utc>, why: &str) -> Result<StepError, DbErr> {
        let mut change = job.job.clone().into_active_model();
        change.next_at = Set(Some(until));
        change.waits_for = Set(Some(why.into()));
        change.update(self.app.store.db()).await?;
        announce(&self.app, &job.message).await;
        Ok(StepError::Wait { until })
    }

    /// Whether the pages exceed what the organization may still send today.
    async fn is_over_the_day(&self, txn: &Transaction, job: &Job) -> Result<bool, DbErr> {
        let Some(limit) = job.settings.day_limit() else { return Ok(false) };
        let organization_id = job.message.organization_id;
        // Serialize the counting of the day's pages.
        organization::Entity::find_by_id(organization_id).lock(LockType::NoKeyUpdate).one(txn).await?;
        let day = job.settings.day_of(self.app.clock.now());
        let used = calls::pages_since(txn, organization_id, day).await?;
        Ok(used + i64::from(job.job.pages - job.job.confirmed_pages) > i64::from(limit))
    }

    /// Records the call if the daily limit and the line allow; otherwise the fax waits for the next day, or queues
    /// for its line.
    async fn take_line(
        &self,
        job: &Job,
        account: &fax_account::Model,
        provider: &dyn Provider,
    ) -> Result<Line, StepError> {
        let now = self.app.clock.now();
        let txn = self.app.store.begin().await?;
        // Under this lock: a cancellation comes either before it, and there is no call, or after it, and finds the
        // call.
        let locked = LockedDeliveries::lock(&txn, job.message.id).await?;
        let is_open = |locked: LockedDeliveries| {
            locked.deliveries.iter().any(|d| d.id == job.delivery.id && is_queued(d))
        };
        let kept = fax_job::Entity::find_by_id(job.delivery.id).one(&txn).await?;
        let is_ours = kept.is_some_and(|kept| kept.workflow_id == job.job.workflow_id);
        if !is_ours || !locked.is_some_and(is_open) {
            return Ok(Line::NotNeeded);
        }
        if self.is_over_the_day(&txn, job).await? {
            txn.rollback().await?;
            let why = "Your organization has reached its limit of fax pages for today.";
            return Err(self.wait(job, job.settings.tomorrow(now), why).await?);
        }
        // Serialize faxes that look for the same line.
        document_source::Entity::find_by_id(job.source.id).lock_exclusive().one(&txn).await?;
        let busy = calls::open_calls(&txn, job.source.id).await?;
        let mut kept = job.job.clone().into_active_model();
        if busy >= u64::from(job.settings.calls_per_line) {
            kept.waiting_since = Set(Some(job.job.waiting_since.unwrap_or(now)));
            kept.next_at = Set(None);
            kept.waits_for = Set(Some("The line is in use by another fax.".into()));
            kept.update(&txn).await?;
            self.app.store.commit_durable(txn).await?;
            return Ok(Line::InUse);
        }
        let last = fax_attempt::Entity::find()
            .filter(fax_attempt::Column::DeliveryId.eq(job.delivery.id))
            .order_by_desc(fax_attempt::Column::Number)
            .one(&txn)
            .await?;
        let first_page = if provider.can_resume() { job.job.confirmed_pages + 1 } else { 1 };
        let attempt = fax_attempt::Model {
            id: Uuid::now_v7(),
            organization_id: job.message.organization_id,
            message_id: job.message.id,
            delivery_id: job.delivery.id,
            document_source_id: job.source.id,
            number: last.map_or(0, |a| a.number) + 1,
            provider: account.provider,
            from_number: job.source.address.clone(),
            to_number: job.delivery.address_key.clone(),
            job: None,
            state: AttemptState::Submitting,
            first_page,
            pages: job.job.pages,
            page: None,
            confirmed_pages: first_page - 1,
            outcome: None,
            words: String::new(),
            line: None,
            rate: None,
            seconds: None,
            remote_id: None,
            log: None,
            started_at: now,
            submitted_at: None,
            ended_at: None,
        };
        fax_attempt::Entity::insert(attempt.clone().into_active_model()).exec_without_returning(&txn).await?;
        kept.waiting_since = Set(None);
        kept.next_at = Set(None);
        kept.waits_for = Set(None);
        kept.update(&txn).await?;
        self.app.store.commit_durable(txn).await?;
        Ok(Line::Taken(Box::new(attempt)))
    }

    async fn hand_over(
        &self,
        job: &Job,
        attempt: &fax_attempt::Model,
        provider: &dyn Provider,
        is_new: bool,
    ) -> Result<Handed, StepError> {
        let (file, fax) = self.outgoing(job, attempt).await?;
        if !is_new {
            match provider.find(&fax).await {
                Ok(Found::Job(taken)) => return Ok(Handed::Taken(taken)),
                Ok(Found::Nothing) => {}
                Ok(Found::CannotTell) | Err(ProviderError::Unknown | ProviderError::Refused(_)) => {
                    let words = "It is unknown whether the provider accepted the fax.";
                    return Ok(Handed::Ended(uncertain(words.into())));
                }
                Err(error) => return Ok(Handed::Unknown(error.to_string())),
            }
        }
        // It may have been cancelled while the pages were prepared.
        if cancel::is_asked(self.app.store.db(), job.delivery.id).await? {
            let confirmed_pages = attempt.confirmed_pages.max(0).unsigned_abs();
            let outcome = Outcome::Cancelled;
            return Ok(Handed::Ended(Finished { outcome, confirmed_pages, ..uncertain(String::new()) }));
        }
        let answer = provider.submit(&fax).await;
        drop(file);
        Ok(match answer {
            Ok(taken) => Handed::Taken(taken),
            Err(SubmitError::Refused(outcome, words)) => {
                let confirmed_pages = attempt.confirmed_pages.max(0).unsigned_abs();
                Handed::Ended(Finished { outcome, confirmed_pages, ..uncertain(words) })
            }
            Err(SubmitError::Unreachable(words)) => Handed::NotReached(words),
            Err(SubmitError::Uncertain(words)) => match provider.find(&fax).await {
                Ok(Found::Job(taken)) => Handed::Taken(taken),
                Ok(Found::Nothing) => Handed::NotReached(words),
                Ok(Found::CannotTell) => Handed::Ended(uncertain(words)),
                Err(_) => Handed::Unknown(words),
            },
        })
    }

    /// The fax as a file, with the header of this call on every page. The file is deleted with the handle.
    async fn outgoing(
        &self,
        job: &Job,
        attempt: &fax_attempt::Model,
    ) -> Result<(NamedTempFile, OutgoingFax), StepError> {
        let app = &self.app;
        let blob_id = job.job.blob_id.ok_or_else(|| StepError::failed("The pages were never rendered."))?;
        let organization_id = job.message.organization_id;
        let key = app.keys.data_key(organization_id).await.map_err(|e| StepError::again(e.to_string()))?;
        let tiff = app.blobs.read_to_vec(&key, organization_id, blob_id, FILE_LIMIT).await;
        let tiff = tiff.map_err(|e| StepError::again(e.to_string()))?;
        let organization = organization::Entity::find_by_id(organization_id).one(app.store.db()).await?;
        let sender_name = organization.map(|o| o.name).unwrap_or_default();
        let from = number(&job.source.address)?;
        let local = attempt.started_at.with_timezone(&job.settings.zone());
        let file = pages::stamped(tiff, sender_name.clone(), from, local).await?;
        let fax = outgoing(attempt, file.path().to_owned(), sender_name)?;
        Ok((file, fax))
    }

    fn taken(
        &self,
        cx: &StepContext,
        job: Job,
        attempt: fax_attempt::Model,
        account: fax_account::Model,
        taken: ProviderJob,
    ) -> Done {
        let (app, published, workflow_id) = (self.app.clone(), self.app.clone(), cx.workflow_id());
        let message = job.message.clone();
        let done = Done::with(move |txn| {
            Box::pin(async move {
                let now = app.clock.now();
                let (attempt_id, delivery_id) = (attempt.id, attempt.delivery_id);
                let mut change = attempt.into_active_model();
                change.job = Set(Some(taken.id));
                change.state = Set(AttemptState::Queued);
                change.submitted_at = Set(Some(now));
                change.update(txn).await?;
                let next = follow(delivery_id, attempt_id, now + follow_interval(account.provider));
                workflow::add_steps(txn, workflow_id, message.organization_id, vec![next]).await?;
                Ok(())
            })
        });
        let message = job.message;
        done.then(async move { announce(&published, &message).await })
    }

    /// Removes the call, since nothing was sent.
    async fn withdraw(&self, job: &Job, attempt: &fax_attempt::Model, words: &str) -> Result<(), StepError> {
        let txn = self.app.store.begin().await?;
        fax_attempt::Entity::delete_by_id(attempt.id).exec(&txn).await?;
        let change = fax_job::ActiveModel {
            delivery_id: Set(job.delivery.id),
            waits_for: Set(Some(format!("The fax provider cannot be reached: {words}"))),
            ..Default::default()
        };
        change.update(&txn).await?;
        calls::wake_next(&txn, job.source.id, self.app.clock.now()).await?;
        txn.commit().await?;
        announce(&self.app, &job.message).await;
        Ok(())
    }
}

fn outgoing(
    attempt: &fax_attempt::Model,
    tiff: PathBuf,
    sender_name: String,
) -> Result<OutgoingFax, StepError> {
    let from = number(&attempt.from_number)?;
    Ok(OutgoingFax {
        key: attempt.id,
        station_id: from.station_id(),
        from,
        to: number(&attempt.to_number)?,
        sender_name,
        tiff,
        pages: attempt.pages.max(0).unsigned_abs(),
        first_page: attempt.first_page.max(1).unsigned_abs(),
        resolution: Resolution::Fine,
    })
}

/// Tracks a call.
pub struct FollowFax {
    pub app: App,
}

#[async_trait::async_trait]
impl Step for FollowFax {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = &self.app;
        let Some((message, attempt, taken)) = self.under_way(cx).await? else { return Ok(Done::skipped()) };
        let account = calls::account_of(app.store.db(), &attempt)
            .await?
            .ok_or_else(|| StepError::failed("The fax account no longer exists."))?;
        let provider = calls::provider(app, &account).await.map_err(platform_error)?;
        self.hang_up(&attempt, &taken, &*provider).await?;
        let fax = outgoing(&attempt, PathBuf::new(), String::new())?;
        let now = app.clock.now();
        let pause = follow_interval(account.provider);
        let can_resume = provider.can_resume();
        let since = now - attempt.submitted_at.unwrap_or(attempt.started_at);
        let finished = match provider.follow(&taken, &fax).await {
            Ok(progress) => match progress.state {
                State::Finished(finished) => finished,
                at => {
                    self.progress(&message, &attempt, &at, progress.line).await?;
                    return Err(StepError::Wait { until: now + pause });
                }
            },
            Err(ProviderError::Unknown) => {
                uncertain("The provider does not know the result of the fax.".to_owned())
            }
            Err(error) if since > UNREACHABLE_LIMIT => uncertain(error.to_string()),
            Err(_) => return Err(StepError::Wait { until: now + pause.max(Duration::seconds(30)) }),
        };
        Ok(Conclusion { message, attempt, finished, can_resume }.done(app, cx, Some(account)))
    }

    async fn failed(&self, cx: &StepContext, reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        let Ok(Some((message, attempt, _))) = self.under_way(cx).await else { return Ok(()) };
        let finished = uncertain(reason.to_owned());
        let end = Conclusion { message, attempt, finished, can_resume: false };
        end.write(&self.app, txn, cx.workflow_id()).await.map_err(|e| DbErr::Custom(e.to_string()))
    }
}

impl FollowFax {
    /// The call, unless it has ended.
    async fn under_way(
        &self,
        cx: &StepContext,
    ) -> Result<Option<(message::Model, fax_attempt::Model, ProviderJob)>, StepError> {
        let db = self.app.store.db();
        let Some(attempt_id) = cx.meta::<FaxMeta>()?.attempt_id else { return Ok(None) };
        let attempt = fax_attempt::Entity::find_by_id(attempt_id).one(db).await?;
        let Some(attempt) = attempt.filter(|a| a.ended_at.is_none()) else { return Ok(None) };
        let message = message::Entity::find_by_id(attempt.message_id).one(db).await?;
        let job = attempt.job.clone().map(|id| ProviderJob { id });
        Ok(message.zip(job).map(|(message, job)| (message, attempt, job)))
    }

    /// Cancels the call at the provider if the sender asked for it. Retried if the provider is unreachable.
    async fn hang_up(
        &self,
        attempt: &fax_attempt::Model,
        taken: &ProviderJob,
        provider: &dyn Provider,
    ) -> Result<(), StepError> {
        if !cancel::is_asked(self.app.store.db(), attempt.delivery_id).await? {
            return Ok(());
        }
        if let Err(error @ ProviderError::Refused(_)) = provider.cancel(taken).await {
            let words = cancel::refusal(&error);
            let actor = Actor::system(attempt.organization_id);
            cancel::take_back(&self.app, &actor, attempt, &words).await.map_err(platform_error)?;
        }
        Ok(())
    }

    async fn progress(
        &self,
        message: &message::Model,
        attempt: &fax_attempt::Model,
        at: &State,
        line: Option<String>,
    ) -> Result<(), StepError> {
        let txn = self.app.store.begin().await?;
        let is_news = calls::progress(&txn, attempt, at, line).await?;
        txn.commit().await?;
        if is_news {
            announce(&self.app, message).await;
        }
        Ok(())
    }
}
