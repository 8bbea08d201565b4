use crate::world::{Act, KIND, World, chore};
use chrono::Duration;
use futures::{FutureExt, future::join_all};
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use testdb::Db;
use tokio::{select, sync::Notify, task::yield_now};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use workflow::{
    Done, Registry, RetryError, StepError, StepStatus,
    probe::{FaultAt, Verdict},
};

testdb::on_both_databases! {
    the_step_of_a_dead_worker_is_taken_over_when_its_lease_ends,
    the_lease_is_as_long_as_the_step_asks,
    a_dead_workers_step_can_be_retried_by_hand_once_its_lease_ended,
    a_step_that_kills_its_worker_each_time_fails_in_the_end,
    a_worker_that_lost_its_lease_writes_nothing,
    a_lease_is_renewed_while_the_step_runs,
    runners_on_one_database_run_each_step_once,
    a_running_runner_begins_when_notified_and_stops_when_its_steps_ended,
    a_running_runner_goes_on_by_itself_with_what_its_steps_make_due,
}

async fn the_step_of_a_dead_worker_is_taken_over_when_its_lease_ends(db: Db) {
    let w = World::new(db.migrated().await);
    let registry = w.fine(&["send"]);
    let dying = w.runner(registry.clone()).with_probe(Arc::new(FaultAt::new(0, Verdict::Crash)));
    let id = w.enqueue(&[(0, "send")]).await;
    dying.drain().await.unwrap();
    let step = w.step(id, "send").await;
    assert_eq!((step.status, step.lease_until), (StepStatus::Running, Some(w.minutes(1))));
    assert!(matches!(w.retry(step.id).await, Err(RetryError::Running)));

    let runner = w.runner(registry);
    w.clock.advance(Duration::seconds(59));
    assert_eq!(runner.drain().await.unwrap(), 0);
    w.clock.advance(Duration::seconds(1));
    assert_eq!(runner.drain().await.unwrap(), 1);
    let step = w.step(id, "send").await;
    assert_eq!((step.status, step.attempt, step.lease_owner), (StepStatus::Completed, 2, None));
}

async fn the_lease_is_as_long_as_the_step_asks(db: Db) {
    let w = World::new(db.migrated().await);
    let crash_at_commit = Arc::new(FaultAt::new(1, Verdict::Crash));
    let act = Act::fine(&w.notes).with_lease(Duration::seconds(5));
    let runner = w.runner(Registry::new().with(KIND, chore("send"), act)).with_probe(crash_at_commit);
    let id = w.enqueue(&[(0, "send")]).await;
    runner.drain().await.unwrap();
    assert_eq!(runner.next_due().await.unwrap(), Some(w.now() + Duration::seconds(5)));
    assert_eq!(runner.drain_until(w.now() + Duration::seconds(5)).await.unwrap(), 1);
    assert_eq!(w.status(id).await, "Completed");
}

async fn a_dead_workers_step_can_be_retried_by_hand_once_its_lease_ended(db: Db) {
    let w = World::new(db.migrated().await);
    let registry = w.fine(&["send"]);
    let dying = w.runner(registry.clone()).with_probe(Arc::new(FaultAt::new(0, Verdict::Crash)));
    let id = w.enqueue(&[(0, "send")]).await;
    dying.drain().await.unwrap();
    w.clock.advance(Duration::minutes(1));
    w.retry(w.step(id, "send").await.id).await.unwrap();
    assert_eq!(w.runner(registry).drain().await.unwrap(), 1);
    assert_eq!(w.step(id, "send").await.attempt, 1);
}

async fn a_step_that_kills_its_worker_each_time_fails_in_the_end(db: Db) {
    let w = World::new(db.migrated().await);
    struct AlwaysCrash;
    impl workflow::probe::Probe for AlwaysCrash {
        fn at(&self, point: workflow::probe::Point, _: &workflow::StepContext) -> Verdict {
            let before = point == workflow::probe::Point::BeforeRun;
            if before { Verdict::Crash } else { Verdict::Continue }
        }
    }
    let runner = w.runner(w.fine(&["send"])).with_probe(Arc::new(AlwaysCrash));
    let id = w.enqueue(&[(0, "send")]).await;
    runner.drain_until(w.minutes(60)).await.unwrap();
    assert_eq!(w.status(id).await, "Failed");
    assert_eq!(w.notes.all(), ["send failed: the worker died or lost the step during the last attempt"]);
}

async fn a_worker_that_lost_its_lease_writes_nothing(db: Db) {
    let w = World::new(db.migrated().await);
    // The first worker is held up inside the step until the second has done it.
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait, commits) = (begun.clone(), go_on.clone(), w.notes.clone());
    let slow = Act::slow(&w.notes, move |cx| {
        let (tell, wait, commits, attempt) = (tell.clone(), wait.clone(), commits.clone(), cx.attempt());
        Box::pin(async move {
            if attempt == 1 {
                tell.notify_one();
                wait.notified().await;
            }
            Ok(Done::with(move |_| {
                Box::pin(async move {
                    commits.add(format!("wrote attempt {attempt}"));
                    Ok(())
                })
            }))
        })
    });
    let registry = Registry::new().with(KIND, chore("send"), slow);
    let (first, second) = (w.runner(registry.clone()), w.runner(registry));
    let id = w.enqueue(&[(0, "send")]).await;
    let mut held_up = first.drain().boxed();
    select! {
        _ = &mut held_up => panic!("the first worker is held up"),
        () = begun.notified() => {}
    }
    w.clock.advance(Duration::minutes(1));
    assert_eq!(second.drain().await.unwrap(), 1);
    go_on.notify_one();
    held_up.await.unwrap();
    let step = w.step(id, "send").await;
    assert_eq!((step.status, step.attempt), (StepStatus::Completed, 2));
    assert_eq!(w.notes.all(), ["send", "send", "wrote attempt 2", "wrote attempt 1"]);
    assert_eq!(w.status(id).await, "Completed");
}

async fn a_lease_is_renewed_while_the_step_runs(db: Db) {
    let w = World::new(db.migrated().await);
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (begun.clone(), go_on.clone());
    let long = Act::slow(&w.notes, move |_| {
        let (tell, wait) = (tell.clone(), wait.clone());
        Box::pin(async move {
            tell.notify_one();
            wait.notified().await;
            Ok(Done::new())
        })
    });
    let registry = Registry::new().with(KIND, chore("send"), long.with_lease(Duration::milliseconds(90)));
    let (first, second) = (w.runner(registry.clone()), w.runner(registry));
    let id = w.enqueue(&[(0, "send")]).await;
    let busy = first.drain();
    let watch = async {
        begun.notified().await;
        for _ in 0..3 {
            let before = w.step(id, "send").await.lease_until;
            w.clock.advance(Duration::milliseconds(50));
            while w.step(id, "send").await.lease_until <= before {
                yield_now().await;
            }
            assert_eq!(second.drain().await.unwrap(), 0);
        }
        go_on.notify_one();
    };
    let (runs, ()) = futures::join!(busy, watch);
    assert_eq!(runs.unwrap(), 1);
    assert_eq!((w.step(id, "send").await.attempt, w.status(id).await.as_str()), (1, "Completed"));
}

async fn runners_on_one_database_run_each_step_once(db: Db) {
    let w = World::new(db.migrated().await);
    let seen = Arc::new(Mutex::new(HashSet::new()));
    let note = seen.clone();
    let once = Act::new(&w.notes, move |cx| {
        assert!(note.lock().unwrap().insert((cx.workflow_id(), cx.step.name.clone())), "ran twice");
        Ok(Done::new())
    });
    let registry = Registry::new().with(KIND, chore("a"), once.clone()).with(KIND, chore("b"), once);
    let mut ids: Vec<Uuid> = Vec::new();
    for _ in 0..30 {
        ids.push(w.enqueue(&[(0, "a"), (1, "b")]).await);
    }
    let runners: Vec<_> = (0..3).map(|_| w.runner(registry.clone())).collect();
    let runs: usize = join_all(runners.iter().map(|r| r.drain())).await.into_iter().map(Result::unwrap).sum();
    // One runner may have seen nothing due while another was about to open a stage.
    let late = runners[0].drain().await.unwrap();
    assert_eq!(runs + late, 60);
    for id in ids {
        assert_eq!(w.status(id).await, "Completed");
    }
}

async fn a_running_runner_begins_when_notified_and_stops_when_its_steps_ended(db: Db) {
    let w = World::new(db.migrated().await);
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (begun.clone(), go_on.clone());
    let long = Act::slow(&w.notes, move |_| {
        let (tell, wait) = (tell.clone(), wait.clone());
        Box::pin(async move {
            tell.notify_one();
            wait.notified().await;
            Ok(Done::new())
        })
    });
    let runner = w.lone_worker(Registry::new().with(KIND, chore("send"), long));
    let (notify, cancel) = (runner.notify(), CancellationToken::new());
    let stop = cancel.clone();
    let work = tokio::spawn(async move { runner.run(stop).await });
    let id = w.enqueue(&[(0, "send")]).await;
    notify.notify_one();
    begun.notified().await;
    let waiting = w.enqueue(&[(0, "send")]).await;
    cancel.cancel();
    go_on.notify_one();
    work.await.unwrap();
    assert_eq!(w.status(id).await, "Completed");
    assert_eq!(w.status(waiting).await, "Pending");
}

async fn a_running_runner_goes_on_by_itself_with_what_its_steps_make_due(db: Db) {
    let w = World::new(db.migrated().await);
    let (cancel, runs) = (CancellationToken::new(), Arc::new(AtomicUsize::new(0)));
    let (store, now, stop) = (w.store.clone(), w.now(), cancel.clone());
    let last = Act::slow(&w.notes, move |cx| {
        let (store, id, stop) = (store.clone(), cx.workflow_id(), stop.clone());
        let first = runs.fetch_add(1, Ordering::SeqCst) == 0;
        Box::pin(async move {
            if first {
                let txn = store.begin().await?;
                workflow::wake(&txn, now, id, chore("d")).await?;
                txn.commit().await?;
                return Err(StepError::Wait { until: now + Duration::hours(1) });
            }
            stop.cancel();
            Ok(Done::new())
        })
    });
    let runner = w.lone_worker(w.fine(&["a", "b", "c"]).with(KIND, chore("d"), last));
    let id = w.enqueue(&[(0, "a"), (1, "b"), (2, "c"), (3, "d")]).await;
    runner.run(cancel).await;
    assert_eq!((w.status(id).await.as_str(), w.notes.all().len()), ("Completed", 5));
}
