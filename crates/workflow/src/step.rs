//! What a step is to its author.

use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use futures::future::BoxFuture;
use sea_orm::{DbErr, entity::prelude::Uuid};
use serde::de::DeserializeOwned;
use std::fmt;
use store::{
    Clock, Store, Transaction,
    entities::{workflow, workflow_step},
};

/// One kind of step.
#[async_trait]
pub trait Step: Send + Sync + 'static {
    /// How often and how long it is tried.
    fn policy(&self) -> Policy {
        Policy::default()
    }

    /// Does the work. No transaction is open meanwhile; what belongs into the transaction that completes the step
    /// is handed back in [`Done::with`]. It may be called again after it succeeded, when the worker died before
    /// the result was written, and it may be dropped at any `await` when its lease is lost.
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError>;

    /// Called in the transaction that marks the step as failed for good.
    async fn failed(&self, cx: &StepContext, reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        let _ = (cx, reason, txn);
        Ok(())
    }
}

/// How often and how long a step is tried.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// After this many attempts "again" means failed. Waits do not count; an attempt during which the worker died does.
    pub max_attempts: i32,
    /// Time until the next attempt, given the number of attempts so far (from 1).
    pub backoff: fn(i32) -> Duration,
    /// After this time without a sign of life the step is taken over; that of the runner without one. It is renewed
    /// while the step runs.
    pub lease: Option<Duration>,
}

impl Default for Policy {
    /// Twelve attempts over some five hours, first after 10 seconds, then doubling up to an hour; the lease of the runner.
    fn default() -> Self {
        Self {
            max_attempts: 12,
            backoff: |attempt| Duration::seconds((10 << attempt.clamp(1, 10) >> 1).min(3_600)),
            lease: None,
        }
    }
}

/// What a step is told.
pub struct StepContext {
    pub store: Store,
    pub clock: Clock,
    pub workflow: workflow::Model,
    pub step: workflow_step::Model,
}

impl StepContext {
    pub fn organization_id(&self) -> Uuid {
        self.workflow.organization_id
    }

    /// What the workflow is about, such as a message.
    pub fn object_id(&self) -> Uuid {
        self.workflow.object_id
    }

    pub fn workflow_id(&self) -> Uuid {
        self.workflow.id
    }

    /// Number of this attempt, from 1.
    pub fn attempt(&self) -> i32 {
        self.step.attempt
    }

    /// What the step was enqueued with. A wrong shape is an error in the program, so it fails the step.
    pub fn meta<T: DeserializeOwned>(&self) -> Result<T, StepError> {
        serde_json::from_value(self.step.meta.clone())
            .map_err(|_| StepError::failed("the description of the step cannot be read"))
    }
}

type Commit = Box<dyn for<'a> FnOnce(&'a Transaction) -> BoxFuture<'a, Result<(), StepError>> + Send>;

/// The step did its work.
#[must_use]
pub struct Done {
    pub(crate) commit: Option<Commit>,
    pub(crate) after: Option<BoxFuture<'static, ()>>,
    pub(crate) skipped: bool,
}

impl Done {
    /// Nothing is to be written beside the mark that the step is completed.
    #[expect(clippy::new_without_default, reason = "a step never succeeds by default")]
    pub fn new() -> Self {
        Self { commit: None, after: None, skipped: false }
    }

    /// There was nothing to do.
    pub fn skipped() -> Self {
        Self { commit: None, after: None, skipped: true }
    }

    /// What is written in the transaction that marks the step as completed; it may add steps and wake others.
    /// An error takes everything back and becomes the outcome of the step.
    pub fn with<F>(commit: F) -> Self
    where
        F: for<'a> FnOnce(&'a Transaction) -> BoxFuture<'a, Result<(), StepError>> + Send + 'static,
    {
        Self { commit: Some(Box::new(commit)), after: None, skipped: false }
    }

    /// What is done once the commit is through: telling others to look again. A process that dies in between
    /// leaves it undone, so nothing may depend on it.
    pub fn then(mut self, after: impl Future<Output = ()> + Send + 'static) -> Self {
        self.after = Some(Box::pin(after));
        self
    }
}

impl fmt::Debug for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.skipped { "Done(skipped)" } else { "Done" })
    }
}

/// The step did not do its work. Reasons are shown to operators and must not name a patient.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// Try again after this time, or after the back-off of the policy. Counts as an attempt.
    #[error("{reason}")]
    Again { reason: String, after: Option<Duration> },
    /// What the step waits for has not come: look again then, or when woken. Does not count.
    #[error("waiting until {until}")]
    Wait { until: DateTime<Utc> },
    /// Trying again would not help.
    #[error("{reason}")]
    Failed { reason: String },
}

impl StepError {
    pub fn again(reason: impl Into<String>) -> Self {
        Self::Again { reason: reason.into(), after: None }
    }

    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into() }
    }
}

/// A database that fails is tried again. Its message may quote values, so it is logged nowhere and not stored.
impl From<DbErr> for StepError {
    fn from(error: DbErr) -> Self {
        let kind = match error {
            DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => "the database cannot be reached",
            DbErr::RecordNotFound(_) | DbErr::RecordNotUpdated => "a row that the step needs is not there",
            _ => "the database refused a statement",
        };
        Self::again(kind)
    }
}
