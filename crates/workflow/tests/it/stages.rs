use crate::world::{Act, KIND, World, chore, each, states};
use sea_orm::EntityTrait;
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use store::entities::workflow_step;
use testdb::Db;
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use workflow::{Done, NewStep, Options, Registry, Runner, StepError, WorkflowStatus};

testdb::on_both_databases! {
    stages_run_one_after_the_other,
    steps_of_a_stage_run_side_by_side_and_one_of_them_opens_the_next,
    a_worker_goes_on_with_the_step_whose_turn_comes_before_it_takes_another,
    a_worker_that_is_to_stop_leaves_the_step_whose_turn_comes_to_others,
    workflows_enqueued_together_are_as_those_enqueued_one_by_one,
    a_workflow_that_was_enqueued_in_a_rolled_back_transaction_does_not_exist,
    a_workflow_without_steps_is_completed,
    a_step_adds_steps_in_the_transaction_that_completes_it,
    what_a_step_wrote_is_taken_back_when_its_own_part_fails,
    a_step_that_finds_nothing_to_do_is_skipped_and_the_workflow_goes_on,
    a_step_knows_what_it_is_about,
}

async fn stages_run_one_after_the_other(db: Db) {
    let w = World::new(db.migrated().await);
    let runner = w.runner(w.fine(&["render", "send", "file"]));
    let id = w.enqueue(&[(2, "file"), (0, "render"), (1, "send")]).await;
    let before = [("render", "Pending"), ("send", "Blocked"), ("file", "Blocked")];
    assert_eq!(w.steps(id).await, states(&before));
    assert_eq!(w.status(id).await, "Pending");
    assert_eq!(runner.drain().await.unwrap(), 3);
    assert_eq!(w.notes.all(), ["render", "send", "file"]);
    let workflow = w.workflow(id).await;
    assert_eq!((workflow.status, workflow.ended_at), (WorkflowStatus::Completed, Some(w.now())));
    assert_eq!(workflow.started_at, Some(w.now()));
}

async fn steps_of_a_stage_run_side_by_side_and_one_of_them_opens_the_next(db: Db) {
    let w = World::new(db.migrated().await);
    // Each waits inside its work until all three are there.
    let all_there = Arc::new(Barrier::new(3));
    let mut registry = w.fine(&["end"]);
    for name in ["a", "b", "c"] {
        let all_there = all_there.clone();
        let act = Act::slow(&w.notes, move |_| {
            let all_there = all_there.clone();
            Box::pin(async move {
                all_there.wait().await;
                Ok(Done::new())
            })
        });
        registry = registry.with(KIND, chore(name), act);
    }
    let id = w.enqueue(&[(0, "a"), (0, "b"), (0, "c"), (1, "end")]).await;
    assert_eq!(w.runner(registry).drain().await.unwrap(), 4);
    assert_eq!(w.notes.sorted(), ["a", "b", "c", "end"]);
    assert_eq!(w.status(id).await, "Completed");
}

async fn a_worker_goes_on_with_the_step_whose_turn_comes_before_it_takes_another(db: Db) {
    let w = World::new(db.migrated().await);
    let mut plan = w.plan(&[(0, "render")]);
    plan.steps.push(NewStep::new(1, chore("send"), w.minutes(2)));
    plan.steps.push(NewStep::new(2, chore("file"), w.minutes(9)));
    let mut due_before_send = w.plan(&[]);
    due_before_send.steps.push(NewStep::new(0, chore("other"), w.minutes(1)));
    let txn = w.store.begin().await.unwrap();
    let ids = workflow::enqueue_all(&txn, w.now(), vec![plan, due_before_send]).await.unwrap();
    txn.commit().await.unwrap();
    w.clock.advance(chrono::Duration::minutes(3));
    let options = Options { workers: each(1), ..Options::default() };
    let registry = w.fine(&["render", "send", "file", "other"]);
    let runner = Runner::new(w.store.clone(), w.clock.clone(), registry, options);
    assert_eq!(runner.drain().await.unwrap(), 3);
    assert_eq!(w.notes.all(), ["render", "send", "other"], "what is not due yet is left alone");
    let send = w.step(ids[0], "send").await;
    assert_eq!((send.attempt, send.lease_owner, send.started_at), (1, None, Some(w.now())));
    assert_eq!(runner.drain_until(w.minutes(6)).await.unwrap(), 1);
}

async fn a_worker_that_is_to_stop_leaves_the_step_whose_turn_comes_to_others(db: Db) {
    let w = World::new(db.migrated().await);
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let last = Act::new(&w.notes, move |_| {
        stop.cancel();
        Ok(Done::new())
    });
    let id = w.enqueue(&[(0, "render"), (1, "send")]).await;
    w.runner(w.fine(&["send"]).with(KIND, chore("render"), last)).run(cancel).await;
    assert_eq!(w.steps(id).await, states(&[("render", "Completed"), ("send", "Pending")]));
    assert_eq!(w.runner(w.fine(&["send"])).drain().await.unwrap(), 1);
}

async fn workflows_enqueued_together_are_as_those_enqueued_one_by_one(db: Db) {
    let w = World::new(db.migrated().await);
    let plans = [&[(1, "send"), (0, "render"), (0, "index")][..], &[], &[(3, "send")]];
    let txn = w.store.begin().await.unwrap();
    let ids = workflow::enqueue_all(&txn, w.now(), plans.map(|p| w.plan(p)).into()).await.unwrap();
    txn.commit().await.unwrap();
    let first = [("index", "Pending"), ("render", "Pending"), ("send", "Blocked")];
    assert_eq!(w.steps(ids[0]).await, states(&first));
    assert_eq!(w.steps(ids[2]).await, states(&[("send", "Pending")]));
    let mut ends = Vec::new();
    for id in &ids {
        let workflow = w.workflow(*id).await;
        ends.push((workflow.status.to_string(), workflow.ended_at));
    }
    let pending = ("Pending".to_owned(), None);
    assert_eq!(ends, [pending.clone(), ("Completed".to_owned(), Some(w.now())), pending]);
    assert_eq!(w.runner(w.fine(&["render", "index", "send"])).drain().await.unwrap(), 4);
}

async fn a_workflow_that_was_enqueued_in_a_rolled_back_transaction_does_not_exist(db: Db) {
    let w = World::new(db.migrated().await);
    let txn = w.store.begin().await.unwrap();
    workflow::enqueue(&txn, w.now(), w.plan(&[(0, "send")])).await.unwrap();
    txn.rollback().await.unwrap();
    assert_eq!(w.runner(w.fine(&["send"])).drain().await.unwrap(), 0);
    assert!(workflow_step::Entity::find().all(w.store.db()).await.unwrap().is_empty());
}

async fn a_workflow_without_steps_is_completed(db: Db) {
    let w = World::new(db.migrated().await);
    let id = w.enqueue(&[]).await;
    assert_eq!(w.status(id).await, "Completed");
}

async fn a_step_adds_steps_in_the_transaction_that_completes_it(db: Db) {
    let w = World::new(db.migrated().await);
    let clock = w.clock.clone();
    let plan = Act::new(&w.notes, move |cx| {
        let (id, organization_id, now) = (cx.workflow_id(), cx.organization_id(), clock.now());
        Ok(Done::with(move |txn| {
            Box::pin(async move {
                let steps = vec![
                    NewStep::new(1, chore("deliver"), now).with_meta(json!({"to": 1})),
                    NewStep::new(1, chore("deliver"), now).with_meta(json!({"to": 2})),
                    NewStep::new(2, chore("report"), now),
                ];
                Ok(workflow::add_steps(txn, id, organization_id, steps).await?)
            })
        }))
    });
    let notes = w.notes.clone();
    let deliver = Act::new(&w.notes, move |cx| {
        notes.add(format!("to {}", cx.step.meta["to"]));
        Ok(Done::new())
    });
    let registry = w.fine(&["report"]).with(KIND, chore("plan"), plan).with(KIND, chore("deliver"), deliver);
    let id = w.enqueue(&[(0, "plan")]).await;
    assert_eq!(w.runner(registry).drain().await.unwrap(), 4);
    assert_eq!(w.notes.sorted(), ["deliver", "deliver", "plan", "report", "to 1", "to 2"]);
    assert_eq!(w.notes.all().last().unwrap(), "report");
    assert_eq!(w.status(id).await, "Completed");
}

async fn what_a_step_wrote_is_taken_back_when_its_own_part_fails(db: Db) {
    let w = World::new(db.migrated().await);
    let tries = Arc::new(AtomicUsize::new(0));
    let clock = w.clock.clone();
    let half = Act::new(&w.notes, move |cx| {
        let (id, organization_id, now) = (cx.workflow_id(), cx.organization_id(), clock.now());
        let first = tries.fetch_add(1, Ordering::SeqCst) == 0;
        Ok(Done::with(move |txn| {
            Box::pin(async move {
                workflow::add_steps(txn, id, organization_id, vec![NewStep::new(1, chore("next"), now)])
                    .await?;
                if first { Err(StepError::again("the partner is busy")) } else { Ok(()) }
            })
        }))
    });
    let runner = w.runner(w.fine(&["next"]).with(KIND, chore("half"), half));
    let id = w.enqueue(&[(0, "half")]).await;
    runner.drain().await.unwrap();
    assert_eq!(w.steps(id).await, states(&[("half", "Pending")]));
    assert_eq!(w.step(id, "half").await.error.as_deref(), Some("the partner is busy"));
    runner.drain_until(w.minutes(1)).await.unwrap();
    assert_eq!(w.steps(id).await, states(&[("half", "Completed"), ("next", "Completed")]));
}

async fn a_step_that_finds_nothing_to_do_is_skipped_and_the_workflow_goes_on(db: Db) {
    let w = World::new(db.migrated().await);
    let idle = Act::new(&w.notes, |_| Ok(Done::skipped()));
    let id = w.enqueue(&[(0, "idle"), (1, "send")]).await;
    w.runner(w.fine(&["send"]).with(KIND, chore("idle"), idle)).drain().await.unwrap();
    assert_eq!(w.steps(id).await, states(&[("idle", "Skipped"), ("send", "Completed")]));
    assert_eq!(w.status(id).await, "Completed");
}

async fn a_step_knows_what_it_is_about(db: Db) {
    let w = World::new(db.migrated().await);
    let mut plan = w.plan(&[]);
    let (organization, object) = (plan.organization_id, plan.object_id);
    plan.steps.push(NewStep::new(0, chore("see"), w.now()).with_meta(json!({"page": 3})));
    let see = Act::new(&w.notes, move |cx| {
        #[derive(serde::Deserialize)]
        struct Meta {
            page: i32,
        }
        assert_eq!((cx.organization_id(), cx.object_id(), cx.attempt()), (organization, object, 1));
        assert_eq!(cx.meta::<Meta>()?.page, 3);
        assert!(cx.meta::<Vec<Uuid>>().is_err());
        Ok(Done::new())
    });
    let txn = w.store.begin().await.unwrap();
    let id = workflow::enqueue(&txn, w.now(), plan).await.unwrap();
    txn.commit().await.unwrap();
    w.runner(Registry::new().with(KIND, chore("see"), see)).drain().await.unwrap();
    assert_eq!(w.status(id).await, "Completed");
}
