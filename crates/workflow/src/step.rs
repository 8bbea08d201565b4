//! The interface of steps.

use crate::Lane;
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

/// The implementation of a step.
#[async_trait]
pub trait Step: Send + Sync + 'static {
    /// Its retry policy.
    fn policy(&self) -> Policy {
        Policy::default()
    }

    /// Does the work, without an open transaction; what belongs in the transaction that completes the step is
    /// returned in [`Done::with`]. It may be called again after it succeeded, if the worker died before the result
    /// was written, and it may be dropped at any `await` if the lease is lost.
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError>;

    /// Called in the transaction that marks the step as failed for good.
    async fn failed(&self, cx: &StepContext, reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        let _ = (cx, reason, txn);
        Ok(())
    }
}

/// Retry policy of a step.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// The number of attempts. Waits do not count; an attempt during which the worker died does.
    pub max_attempts: i32,
    /// Delay before the next attempt, given the number of attempts so far (from 1).
    pub backoff: fn(i32) -> Duration,
    /// How long the lease lasts without renewal; the runner's default if none. It is renewed while the step runs.
    pub lease: Option<Duration>,
    /// Time limit of a run; beyond it the run is a failed attempt.
    pub deadline: std::time::Duration,
}

/// Time limit for steps that use only the database.
const SHORT: std::time::Duration = std::time::Duration::from_secs(120);

impl Default for Policy {
    /// Twelve attempts over some five hours, first after 10 seconds, then doubling up to an hour; the lease of the
    /// runner; two minutes for each run.
    fn default() -> Self {
        Self {
            max_attempts: 12,
            backoff: |attempt| Duration::seconds((10 << attempt.clamp(1, 10) >> 1).min(3_600)),
            lease: None,
            deadline: SHORT,
        }
    }
}

/// The context of a run.
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

    /// The object the workflow works on, such as a message.
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

    /// The parameters that the step was enqueued with. A mismatch is a bug, so it fails the step for good.
    pub fn meta<T: DeserializeOwned>(&self) -> Result<T, StepError> {
        serde_json::from_value(self.step.meta.clone())
            .map_err(|_| StepError::failed("the parameters of the step cannot be read"))
    }
}

type Commit = Box<dyn for<'a> FnOnce(&'a Transaction) -> BoxFuture<'a, Result<(), StepError>> + Send>;

/// A successful run.
#[must_use]
pub struct Done {
    pub(crate) commit: Option<Commit>,
    pub(crate) after: Option<BoxFuture<'static, ()>>,
    pub(crate) skipped: bool,
}

impl Done {
    /// Completed, with nothing else to write.
    #[expect(clippy::new_without_default, reason = "a step never succeeds by default")]
    pub fn new() -> Self {
        Self { commit: None, after: None, skipped: false }
    }

    /// Skipped: there was nothing to do.
    pub fn skipped() -> Self {
        Self { commit: None, after: None, skipped: true }
    }

    /// Completed, with a function that writes in the completing transaction; it may add steps and wake others. If it
    /// fails, everything is rolled back and the error becomes the outcome of the step.
    pub fn with<F>(commit: F) -> Self
    where
        F: for<'a> FnOnce(&'a Transaction) -> BoxFuture<'a, Result<(), StepError>> + Send + 'static,
    {
        Self { commit: Some(Box::new(commit)), after: None, skipped: false }
    }

    /// Runs a future after the commit, to notify others. It is lost if the process dies in between, so nothing may
    /// depend on it.
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

/// An unsuccessful run. Reasons are shown to operators and must not name a patient.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// Retry after this time, or after the policy's back-off. Counts as an attempt.
    #[error("{reason}")]
    Again { reason: String, after: Option<Duration> },
    /// What the step waits for has not happened: run again at this time, or when woken. Does not count as an attempt.
    #[error("waiting until {until}")]
    Wait { until: DateTime<Utc> },
    /// The step is work for the workers of another lane, which run it at once. Does not count as an attempt.
    #[error("moved to another lane")]
    Move { lane: Lane },
    /// Retrying would not help.
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

/// Database errors are retried. Their message may quote values, so it is neither logged nor stored.
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
