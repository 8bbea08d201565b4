//! Retrying a step by hand.

use crate::{StepStatus, settle::settle};
use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, QueryFilter, entity::prelude::Uuid};
use store::{Transaction, entities::workflow_step};

#[derive(Debug, thiserror::Error)]
pub enum RetryError {
    #[error("there is no such step")]
    NotFound,
    #[error("the step is completed")]
    Completed,
    #[error("the step is running")]
    Running,
    #[error(transparent)]
    Database(#[from] DbErr),
}

/// Gives a failed, waiting, skipped or abandoned step all its attempts again, starting now, and reopens its workflow.
/// The step finds the time in `retried_at`, and from it the work it gave up before. The caller must check
/// permissions.
pub async fn retry(txn: &Transaction, now: DateTime<Utc>, step_id: Uuid) -> Result<(), RetryError> {
    let step = find(txn, step_id).await?;
    if step.status == StepStatus::Completed {
        return Err(RetryError::Completed);
    }
    restart(txn, now, step).await
}

/// Like [`retry`], for a step that may also have completed: it determines itself what is left to do.
pub async fn repeat(txn: &Transaction, now: DateTime<Utc>, step_id: Uuid) -> Result<(), RetryError> {
    let step = find(txn, step_id).await?;
    restart(txn, now, step).await
}

async fn find(txn: &Transaction, step_id: Uuid) -> Result<workflow_step::Model, RetryError> {
    workflow_step::Entity::find_by_id(step_id).one(txn).await?.ok_or(RetryError::NotFound)
}

async fn restart(
    txn: &Transaction,
    now: DateTime<Utc>,
    step: workflow_step::Model,
) -> Result<(), RetryError> {
    use workflow_step::Column;
    if step.status == StepStatus::Running && step.lease_until.is_some_and(|end| end > now) {
        return Err(RetryError::Running);
    }
    let reset = workflow_step::ActiveModel {
        // Settling makes it pending, should its stage have come.
        status: Set(StepStatus::Blocked),
        attempt: Set(0),
        run_at: Set(now),
        lease_owner: Set(None),
        lease_until: Set(None),
        started_at: Set(None),
        ended_at: Set(None),
        error: Set(None),
        retried_at: Set(Some(now)),
        ended_process: Set(false),
        ..Default::default()
    };
    let mut unchanged = workflow_step::Entity::update_many()
        .set(reset)
        .filter(Column::Id.eq(step.id))
        .filter(Column::Status.eq(step.status));
    unchanged = match step.lease_owner {
        Some(owner) => unchanged.filter(Column::LeaseOwner.eq(owner)),
        None => unchanged.filter(Column::LeaseOwner.is_null()),
    };
    if unchanged.exec(txn).await?.rows_affected == 0 {
        // A worker took it in between.
        return Err(RetryError::Running);
    }
    settle(txn, now, step.workflow_id).await?;
    Ok(())
}
