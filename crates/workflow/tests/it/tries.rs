use crate::world::{Act, KIND, World, chore, states};
use chrono::Duration;
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use testdb::Db;
use workflow::{Done, Registry, RetryError, StepError, StepStatus, WorkflowStatus};

testdb::on_both_databases! {
    a_step_is_tried_again_after_its_back_off_until_it_ends_well,
    a_step_may_say_when_to_try_again,
    a_step_that_failed_too_often_fails_its_workflow_and_says_so_once,
    a_step_that_cannot_help_is_not_tried_again,
    a_failed_step_is_retried_by_hand_with_all_its_attempts_and_the_workflow_ends_well,
    retrying_a_step_whose_stage_has_not_come_does_not_let_it_run_early,
    a_step_that_waits_uses_up_no_attempt_and_runs_when_woken,
    a_waiting_step_can_be_completed_without_a_run_once_what_it_waits_for_has_come,
    a_step_woken_while_it_runs_looks_again,
    a_step_woken_before_its_stage_came_runs_as_soon_as_it_has,
    a_step_that_panics_is_tried_again,
    a_step_that_no_worker_knows_waits_for_one_that_does,
}

async fn a_step_is_tried_again_after_its_back_off_until_it_ends_well(db: Db) {
    let w = World::new(db.migrated().await);
    let flaky = Act::new(&w.notes, |cx| match cx.attempt() {
        3 => Ok(Done::new()),
        n => Err(StepError::again(format!("attempt {n}"))),
    });
    let runner = w.runner(Registry::new().with(KIND, chore("send"), flaky));
    let id = w.enqueue(&[(0, "send")]).await;
    assert_eq!(runner.drain().await.unwrap(), 1);
    let step = w.step(id, "send").await;
    assert_eq!((step.attempt, step.run_at), (1, w.minutes(1)));
    assert_eq!(step.error.as_deref(), Some("attempt 1"));

    w.clock.advance(Duration::seconds(59));
    assert_eq!(runner.drain().await.unwrap(), 0);
    w.clock.advance(Duration::seconds(1));
    assert_eq!(runner.drain().await.unwrap(), 1);
    assert_eq!(w.step(id, "send").await.run_at, w.minutes(2));

    assert_eq!(runner.drain_until(w.minutes(2)).await.unwrap(), 1);
    let step = w.step(id, "send").await;
    assert_eq!((step.status, step.attempt, step.error), (StepStatus::Completed, 3, None));
    assert_eq!(w.status(id).await, "Completed");
}

async fn a_step_may_say_when_to_try_again(db: Db) {
    let w = World::new(db.migrated().await);
    let slow = Act::new(&w.notes, |_| {
        Err(StepError::Again { reason: "greylisted".into(), after: Some(Duration::minutes(17)) })
    });
    let id = w.enqueue(&[(0, "send")]).await;
    w.runner(Registry::new().with(KIND, chore("send"), slow)).drain().await.unwrap();
    assert_eq!(w.step(id, "send").await.run_at, w.minutes(17));
}

async fn a_step_that_failed_too_often_fails_its_workflow_and_says_so_once(db: Db) {
    let w = World::new(db.migrated().await);
    let bad = Act::new(&w.notes, |_| Err(StepError::again("no route")));
    let runner = w.runner(w.fine(&["file", "index"]).with(KIND, chore("send"), bad));
    let id = w.enqueue(&[(0, "send"), (0, "index"), (1, "file")]).await;
    assert_eq!(runner.drain_until(w.minutes(60)).await.unwrap(), 4);
    assert_eq!(w.notes.sorted(), ["index", "send", "send", "send", "send failed: no route"]);
    assert_eq!(w.steps(id).await, states(&[("index", "Completed"), ("send", "Failed"), ("file", "Blocked")]));
    let workflow = w.workflow(id).await;
    assert_eq!((workflow.status, workflow.error.as_deref()), (WorkflowStatus::Failed, Some("no route")));
    assert!(workflow.ended_at.is_some());
}

async fn a_step_that_cannot_help_is_not_tried_again(db: Db) {
    let w = World::new(db.migrated().await);
    let bad = Act::new(&w.notes, |_| Err(StepError::failed("no such address")));
    let id = w.enqueue(&[(0, "send")]).await;
    w.runner(Registry::new().with(KIND, chore("send"), bad)).drain_until(w.minutes(60)).await.unwrap();
    assert_eq!(w.notes.all(), ["send", "send failed: no such address"]);
    assert_eq!(w.status(id).await, "Failed");
}

async fn a_failed_step_is_retried_by_hand_with_all_its_attempts_and_the_workflow_ends_well(db: Db) {
    let w = World::new(db.migrated().await);
    let mended = Arc::new(AtomicBool::new(false));
    let good = mended.clone();
    let bad = Act::new(&w.notes, move |cx| {
        let ready = good.load(Ordering::SeqCst) && cx.attempt() == 2;
        if ready { Ok(Done::new()) } else { Err(StepError::again("down")) }
    });
    let runner = w.runner(w.fine(&["file"]).with(KIND, chore("send"), bad));
    let id = w.enqueue(&[(0, "send"), (1, "file")]).await;
    runner.drain_until(w.minutes(60)).await.unwrap();
    let step = w.step(id, "send").await;
    assert_eq!(step.status, StepStatus::Failed);

    mended.store(true, Ordering::SeqCst);
    w.retry(step.id).await.unwrap();
    let workflow = w.workflow(id).await;
    assert_eq!((workflow.status, workflow.error, workflow.ended_at), (WorkflowStatus::Running, None, None));
    runner.drain_until(w.minutes(60)).await.unwrap();
    assert_eq!(w.steps(id).await, states(&[("send", "Completed"), ("file", "Completed")]));
    assert_eq!(w.status(id).await, "Completed");
    assert!(matches!(w.retry(step.id).await, Err(RetryError::Completed)));
    assert!(matches!(w.retry(id).await, Err(RetryError::NotFound)));
}

async fn retrying_a_step_whose_stage_has_not_come_does_not_let_it_run_early(db: Db) {
    let w = World::new(db.migrated().await);
    let bad = Act::new(&w.notes, |_| Err(StepError::failed("down")));
    let id = w.enqueue(&[(0, "send"), (1, "file")]).await;
    let runner = w.runner(w.fine(&["file"]).with(KIND, chore("send"), bad));
    runner.drain().await.unwrap();
    w.retry(w.step(id, "file").await.id).await.unwrap();
    assert_eq!(runner.drain().await.unwrap(), 0);
    assert_eq!(w.steps(id).await, states(&[("send", "Failed"), ("file", "Blocked")]));
}

async fn a_step_that_waits_uses_up_no_attempt_and_runs_when_woken(db: Db) {
    let w = World::new(db.migrated().await);
    let arrived = Arc::new(AtomicBool::new(false));
    let (seen, clock) = (arrived.clone(), w.clock.clone());
    let wait = Act::new(&w.notes, move |_| match seen.load(Ordering::SeqCst) {
        true => Ok(Done::new()),
        false => Err(StepError::Wait { until: clock.now() + Duration::hours(1) }),
    });
    let runner = w.runner(Registry::new().with(KIND, chore("receipt"), wait));
    let id = w.enqueue(&[(0, "receipt")]).await;
    assert_eq!(runner.drain_until(w.minutes(10 * 60)).await.unwrap(), 11);
    let step = w.step(id, "receipt").await;
    assert_eq!((step.status, step.attempt), (StepStatus::Pending, 0));

    arrived.store(true, Ordering::SeqCst);
    assert_eq!(runner.drain().await.unwrap(), 0);
    assert_eq!(w.wake(id, "receipt").await, 1);
    assert_eq!(w.wake(id, "receipt").await, 0);
    assert_eq!(w.wake(id, "another").await, 0);
    assert_eq!(runner.drain().await.unwrap(), 1);
    assert_eq!(w.status(id).await, "Completed");
    assert_eq!(w.wake(id, "receipt").await, 0);
}

async fn a_waiting_step_can_be_completed_without_a_run_once_what_it_waits_for_has_come(db: Db) {
    let w = World::new(db.migrated().await);
    let until = w.minutes(60);
    let wait = Act::new(&w.notes, move |_| Err(StepError::Wait { until }));
    let runner = w.runner(w.fine(&["archive"]).with(KIND, chore("receipt"), wait));
    let id = w.enqueue(&[(0, "receipt"), (1, "archive")]).await;
    runner.drain().await.unwrap();
    w.complete_waiting(id, "archive").await;
    assert_eq!(w.step(id, "archive").await.status, StepStatus::Blocked, "its stage has not come");
    w.complete_waiting(id, "receipt").await;
    assert_eq!(w.step(id, "receipt").await.ended_at, Some(w.now()));
    assert_eq!(runner.drain().await.unwrap(), 1);
    assert_eq!(w.status(id).await, "Completed");
    assert_eq!(w.notes.all(), ["receipt", "archive"]);
    w.complete_waiting(id, "receipt").await;
    assert_eq!(w.status(id).await, "Completed");
}

async fn a_step_woken_while_it_runs_looks_again(db: Db) {
    let w = World::new(db.migrated().await);
    let runs = Arc::new(AtomicUsize::new(0));
    let (store, clock) = (w.store.clone(), w.clock.clone());
    let wait = Act::slow(&w.notes, move |cx| {
        let (store, now, id) = (store.clone(), clock.now(), cx.workflow_id());
        let first = runs.fetch_add(1, Ordering::SeqCst) == 0;
        Box::pin(async move {
            if !first {
                return Ok(Done::new());
            }
            // It checked and found nothing, and the awaited event arrives before it waits.
            let txn = store.begin().await?;
            assert_eq!(workflow::wake(&txn, now, id, chore("receipt")).await?, 1);
            txn.commit().await?;
            Err(StepError::Wait { until: now + Duration::hours(1) })
        })
    });
    let id = w.enqueue(&[(0, "receipt")]).await;
    assert_eq!(w.runner(Registry::new().with(KIND, chore("receipt"), wait)).drain().await.unwrap(), 2);
    assert_eq!(w.status(id).await, "Completed");
}

async fn a_step_woken_before_its_stage_came_runs_as_soon_as_it_has(db: Db) {
    let w = World::new(db.migrated().await);
    let mut plan = w.plan(&[(0, "send")]);
    plan.steps.push(workflow::NewStep::new(1, chore("receipt"), w.minutes(60)));
    let txn = w.store.begin().await.unwrap();
    let id = workflow::enqueue(&txn, w.now(), plan).await.unwrap();
    txn.commit().await.unwrap();
    assert_eq!(w.wake(id, "receipt").await, 1);
    assert_eq!(w.runner(w.fine(&["send", "receipt"])).drain().await.unwrap(), 2);
}

async fn a_step_that_panics_is_tried_again(db: Db) {
    let w = World::new(db.migrated().await);
    let broken = Act::new(&w.notes, |cx| match cx.attempt() {
        1 => panic!("a mistake in the program"),
        _ => Ok(Done::new()),
    });
    let runner = w.runner(Registry::new().with(KIND, chore("send"), broken));
    let id = w.enqueue(&[(0, "send")]).await;
    runner.drain().await.unwrap();
    assert_eq!(w.step(id, "send").await.error.as_deref(), Some("the step panicked"));
    runner.drain_until(w.minutes(1)).await.unwrap();
    assert_eq!(w.status(id).await, "Completed");
}

async fn a_step_that_no_worker_knows_waits_for_one_that_does(db: Db) {
    let w = World::new(db.migrated().await);
    let id = w.enqueue(&[(0, "new")]).await;
    assert_eq!(w.runner(Registry::new()).drain_until(w.minutes(5)).await.unwrap(), 6);
    let step = w.step(id, "new").await;
    assert_eq!((step.status, step.attempt), (StepStatus::Pending, 0));
    w.runner(w.fine(&["new"])).drain_until(w.minutes(1)).await.unwrap();
    assert_eq!(w.status(id).await, "Completed");
}
