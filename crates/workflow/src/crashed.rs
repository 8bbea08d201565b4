//! Steps that crashed their process, for instance by a stack overflow. Such a step is set aside: run again, it would
//! crash the next process too, and all other work with it.

use crate::StepStatus;
use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, entity::prelude::Uuid, sea_query::Expr,
};
use std::{
    cell::Cell,
    future::{Future, poll_fn},
    pin::pin,
};
use store::entities::workflow_step;

/// Reason of failure of a step that was set aside.
pub(crate) const REASON: &str = "The server crashed while it ran this step, so the step was set aside. \
    Retry it once the cause is known.";

thread_local! {
    /// The step that this thread runs at this moment; nil for none.
    static RUNNING: Cell<Uuid> = const { Cell::new(Uuid::nil()) };
}

/// The step that this thread runs at this moment. It only reads memory, so that a signal handler may ask.
pub fn running_step() -> Option<Uuid> {
    RUNNING.try_with(Cell::get).ok().filter(|id| !id.is_nil())
}

/// The work of a step, during which [`running_step`] names it.
pub(crate) async fn marked<T>(step_id: Uuid, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    poll_fn(|cx| {
        let _mark = Mark { before: RUNNING.replace(step_id) };
        work.as_mut().poll(cx)
    })
    .await
}

/// Takes the mark back, also when the work panics.
struct Mark {
    before: Uuid,
}

impl Drop for Mark {
    fn drop(&mut self) {
        RUNNING.set(self.before);
    }
}

/// Sets aside a step whose process crashed: it is due at once and then fails in the usual way, so that the usual
/// consequences follow. False if it has ended, or waits for another stage.
pub async fn set_aside(db: &impl ConnectionTrait, now: DateTime<Utc>, step_id: Uuid) -> Result<bool, DbErr> {
    use workflow_step::Column;
    let set = workflow_step::Entity::update_many()
        .col_expr(Column::EndedProcess, Expr::value(true))
        .col_expr(Column::LeaseUntil, Expr::value(now))
        .col_expr(Column::RunAt, Expr::value(now))
        .filter(Column::Id.eq(step_id))
        .filter(Column::Status.eq(StepStatus::Running))
        .exec(db)
        .await?;
    Ok(set.rows_affected > 0)
}
