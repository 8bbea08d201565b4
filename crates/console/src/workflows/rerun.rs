//! Running a step again by hand, together with the steps that depend on it.

use super::{bulk_retry::retry_as, types::RunRetry};
use platform::{App, Caller, Error, Result, audit::Actor, bus::Event};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use store::entities::{
    workflow,
    workflow_step::{self, StepStatus},
};
use uuid::Uuid;

const NO_STEP: &str = "The workflow has no such step.";
const OTHER_WORKFLOW: &str = "This is the id of another workflow.";
const COMPLETED: &str = "The step has completed, so it cannot be run again.";
const RUNNING: &str = "The step is running.";

/// Runs the named step of a workflow again, or all steps of that name that have not completed.
pub async fn rerun(app: &App, caller: &Caller, id: Uuid, form: &RunRetry) -> Result<()> {
    if form.id.is_some_and(|given| given != id) {
        return Err(Error::field("id", OTHER_WORKFLOW));
    }
    let txn = app.store.begin().await?;
    let row = workflow::Entity::find_by_id(id).one(&txn).await?;
    let row = row.filter(|row| row.kind == form.r#type.name()).ok_or(Error::NotFound)?;
    let steps = workflow_step::Entity::find()
        .filter(workflow_step::Column::WorkflowId.eq(id))
        .order_by_asc(workflow_step::Column::Stage)
        .order_by_asc(workflow_step::Column::Id)
        .all(&txn)
        .await?;
    let is_named = |step: &&workflow_step::Model| match form.retry_step.parse::<Uuid>() {
        Ok(step_id) => step.id == step_id,
        Err(_) => step.name == form.retry_step,
    };
    let named: Vec<_> = steps.iter().filter(is_named).collect();
    if named.is_empty() {
        return Err(Error::field("retryStep", NO_STEP));
    }
    let open: Vec<_> = named.into_iter().filter(|step| step.status != StepStatus::Completed).collect();
    if open.is_empty() {
        return Err(Error::Conflict(COMPLETED.into()));
    }
    let actor = Actor::in_organization(caller, row.organization_id);
    let mut retried = 0;
    for step in open {
        if retry_as(app, &txn, &actor, step.id, false).await? {
            retried += 1;
        }
    }
    if retried == 0 {
        return Err(Error::Conflict(RUNNING.into()));
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}
