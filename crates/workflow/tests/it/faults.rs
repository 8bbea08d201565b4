use crate::world::{Act, KIND, World, chore};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use std::sync::Arc;
use store::entities::workflow_step;
use testdb::Db;
use workflow::{
    Done, NewStep, Registry,
    probe::{FaultAt, Verdict},
};

testdb::on_both_databases! {
    a_worker_may_die_at_any_point,
    every_step_may_run_twice,
    a_crash_before_the_commit_takes_the_writing_back_and_one_after_it_does_not,
}

/// Prepares, plans two deliveries in its own transaction, delivers, reports.
fn errand(w: &World) -> Registry {
    let clock = w.clock.clone();
    let plan = Act::new(&w.notes, move |cx| {
        let (id, organization_id, now) = (cx.workflow_id(), cx.organization_id(), clock.now());
        Ok(Done::with(move |txn| {
            Box::pin(async move {
                let steps = ["deliver", "deliver"].map(|name| NewStep::new(2, chore(name), now));
                Ok(workflow::add_steps(txn, id, organization_id, steps.into()).await?)
            })
        }))
    });
    w.fine(&["prepare", "deliver", "report"]).with(KIND, chore("plan"), plan)
}

/// Runs the workflow with one fault at each point in turn. In every case it completes and nothing is left half-done.
async fn ends_well_in_spite_of(db: Db, verdict: Verdict) {
    let w = World::new(db.migrated().await);
    for nth in 0.. {
        let fault = Arc::new(FaultAt::new(nth, verdict));
        let runner = w.runner(errand(&w)).with_probe(fault.clone());
        let id = w.enqueue(&[(0, "prepare"), (1, "plan"), (3, "report")]).await;
        runner.drain_until(w.minutes(10)).await.unwrap();
        assert_eq!(w.status(id).await, "Completed", "fault at point {nth}");
        let steps = workflow_step::Entity::find().filter(workflow_step::Column::WorkflowId.eq(id));
        assert_eq!(steps.count(w.store.db()).await.unwrap(), 5, "fault at point {nth}");
        if !fault.was_reached() {
            assert_eq!(nth, 15, "five steps with three points each");
            break;
        }
    }
}

async fn a_worker_may_die_at_any_point(db: Db) {
    ends_well_in_spite_of(db, Verdict::Crash).await;
}

async fn every_step_may_run_twice(db: Db) {
    ends_well_in_spite_of(db, Verdict::RunTwice).await;
}

async fn a_crash_before_the_commit_takes_the_writing_back_and_one_after_it_does_not(db: Db) {
    let w = World::new(db.migrated().await);
    for (point, left) in [(1, 1), (2, 3)] {
        let runner = w.runner(errand(&w)).with_probe(Arc::new(FaultAt::new(point, Verdict::Crash)));
        let id = w.enqueue(&[(1, "plan")]).await;
        // One claim: the crash is all that happens to this step.
        runner.drain().await.unwrap();
        let steps = workflow_step::Entity::find().filter(workflow_step::Column::WorkflowId.eq(id));
        assert_eq!(steps.count(w.store.db()).await.unwrap(), left, "crash at point {point}");
        runner.drain_until(w.minutes(5)).await.unwrap();
        assert_eq!(w.status(id).await, "Completed");
    }
}
