//! Records of attempts of steps. The row is written together with the change of the step itself, so that it costs no
//! round trip. It shows operators how a step got into its state.

use crate::{Lane, StepStatus};
use chrono::{DateTime, Duration, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    entity::prelude::Uuid,
};
use store::{
    Store,
    entities::{
        step_attempt::{self, AttemptOutcome},
        workflow_step,
    },
};

/// Rows of one transaction of a sweep.
const BATCH: u64 = 1_000;
const LOST: &str = "The node stopped, or could not keep the step.";

/// How a run of a step ends.
pub enum End {
    Completed,
    Skipped,
    Failed {
        error: String,
    },
    /// Run again at this time, or at once if it was woken meanwhile.
    Later {
        at: DateTime<Utc>,
        attempt: i32,
        error: Option<String>,
    },
    /// Run again at once, by the workers of another lane.
    Moved {
        lane: Lane,
        attempt: i32,
    },
}

/// The attempt ended by this change; none for a run that only waits, or moves to another lane.
pub fn ended(
    step: &workflow_step::Model,
    now: DateTime<Utc>,
    end: &End,
) -> Option<step_attempt::ActiveModel> {
    let (outcome, cause) = match end {
        End::Completed => (AttemptOutcome::Completed, None),
        End::Skipped => (AttemptOutcome::Skipped, None),
        End::Failed { error } => (AttemptOutcome::Failed, Some(error)),
        End::Later { error: Some(error), .. } => (AttemptOutcome::Retrying, Some(error)),
        End::Later { error: None, .. } | End::Moved { .. } => return None,
    };
    Some(row(step, now, outcome, cause.cloned()))
}

/// The lost attempt of the previous holder of a step that is taken over; none if there was none.
pub fn lost(step: &workflow_step::Model) -> Option<step_attempt::ActiveModel> {
    let ended_at = step.lease_until.filter(|_| step.status == StepStatus::Running)?;
    Some(row(step, ended_at, AttemptOutcome::Lost, Some(LOST.into())))
}

fn row(
    step: &workflow_step::Model,
    ended_at: DateTime<Utc>,
    outcome: AttemptOutcome,
    cause: Option<String>,
) -> step_attempt::ActiveModel {
    step_attempt::ActiveModel {
        workflow_id: Set(step.workflow_id),
        id: Set(Uuid::now_v7()),
        step_id: Set(step.id),
        organization_id: Set(step.organization_id),
        name: Set(step.name.clone()),
        lane: Set(step.lane),
        number: Set(step.attempt),
        node: Set(step.node.clone().unwrap_or_default()),
        started_at: Set(step.begun_at.or(step.started_at).unwrap_or(ended_at)),
        ended_at: Set(ended_at),
        outcome: Set(outcome),
        cause: Set(cause),
    }
}

/// Removes attempts that ended before this time, in small batches, so that no step waits for it. Returns their
/// number.
pub async fn sweep_attempts(store: &Store, before: DateTime<Utc>) -> Result<u64, DbErr> {
    use step_attempt::Column;
    let mut removed = 0;
    loop {
        let last: Option<DateTime<Utc>> = step_attempt::Entity::find()
            .select_only()
            .column(Column::EndedAt)
            .filter(Column::EndedAt.lt(before))
            .order_by_asc(Column::EndedAt)
            .offset(BATCH - 1)
            .limit(1)
            .into_tuple()
            .one(store.db())
            .await?;
        let until = last.map_or(before, |last| (last + Duration::microseconds(1)).min(before));
        let gone =
            step_attempt::Entity::delete_many().filter(Column::EndedAt.lt(until)).exec(store.db()).await?;
        removed += gone.rows_affected;
        if last.is_none() {
            return Ok(removed);
        }
    }
}
