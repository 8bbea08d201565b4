use crate::world::{Act, KIND, World, chore};
use std::sync::Arc;
use testdb::Db;
use tokio::task::yield_now;
use workflow::{
    Done, Registry, StepError, StepStatus,
    probe::{FaultAt, Verdict},
    running_step, set_aside,
};

testdb::on_both_databases! {
    a_step_is_named_while_it_runs,
    a_step_whose_process_crashed_is_set_aside_until_somebody_retries_it,
    a_step_that_has_ended_is_not_set_aside,
}

async fn a_step_is_named_while_it_runs(db: Db) {
    let w = World::new(db.migrated().await);
    let asks = Act::slow(&w.notes, |cx| {
        let id = cx.step.id;
        Box::pin(async move {
            let before = running_step();
            yield_now().await;
            match (before, running_step()) == (Some(id), Some(id)) {
                true => Ok(Done::new()),
                false => Err(StepError::failed("another step is named")),
            }
        })
    });
    let registry = Registry::new().with(KIND, chore("one"), asks.clone()).with(KIND, chore("two"), asks);
    let id = w.enqueue(&[(0, "one"), (0, "two")]).await;
    w.runner(registry).drain().await.unwrap();
    assert_eq!(w.status(id).await, "Completed");
    assert_eq!(running_step(), None);
}

async fn a_step_whose_process_crashed_is_set_aside_until_somebody_retries_it(db: Db) {
    let w = World::new(db.migrated().await);
    let registry = w.fine(&["send"]);
    let dying = w.runner(registry.clone()).with_probe(Arc::new(FaultAt::new(0, Verdict::Crash)));
    let id = w.enqueue(&[(0, "send")]).await;
    dying.drain().await.unwrap();
    let step = w.step(id, "send").await;
    assert!(set_aside(w.store.db(), w.now(), step.id).await.unwrap());

    let runner = w.runner(registry);
    assert_eq!(runner.drain().await.unwrap(), 1);
    let failed = w.step(id, "send").await;
    let reason = failed.error.unwrap_or_default();
    assert_eq!(failed.status, StepStatus::Failed);
    assert!(reason.contains("crashed while it ran this step"), "{reason}");
    // It was reported like any failure, and did not run.
    assert_eq!(w.notes.all(), [format!("send failed: {reason}")]);

    w.retry(step.id).await.unwrap();
    runner.drain().await.unwrap();
    assert_eq!(w.status(id).await, "Completed");
}

async fn a_step_that_has_ended_is_not_set_aside(db: Db) {
    let w = World::new(db.migrated().await);
    let id = w.enqueue(&[(0, "send")]).await;
    w.runner(w.fine(&["send"])).drain().await.unwrap();
    let step = w.step(id, "send").await;
    assert!(!set_aside(w.store.db(), w.now(), step.id).await.unwrap());
    assert_eq!(w.step(id, "send").await, step);
}
