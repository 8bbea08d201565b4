//! Records of attempts.

use crate::world::{Act, KIND, World, chore};
use chrono::Duration;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use std::sync::Arc;
use store::entities::step_attempt::{Column, Entity, Model};
use testdb::Db;
use uuid::Uuid;
use workflow::{
    Done, Lane, NewStep, NewWorkflow, Registry, StepError, StepType,
    probe::{FaultAt, Verdict},
};

testdb::on_both_databases! {
    every_attempt_is_kept_with_its_node_its_times_and_its_cause,
    the_attempt_of_a_dead_worker_is_kept_by_whoever_takes_its_step_over,
    a_run_that_waits_is_no_attempt,
    a_workflow_keeps_the_channels_of_its_steps,
    old_attempts_are_forgotten_and_new_ones_stay,
}

impl World {
    async fn attempts(&self, id: Uuid) -> Vec<Model> {
        let rows = Entity::find().filter(Column::WorkflowId.eq(id)).order_by_asc(Column::StartedAt);
        rows.all(self.store.db()).await.unwrap()
    }

    async fn outcomes(&self, id: Uuid) -> Vec<String> {
        let shown = |row: Model| {
            format!("{} {} on {}: {}", row.number, row.outcome, row.node, row.cause.unwrap_or_default())
        };
        self.attempts(id).await.into_iter().map(shown).collect()
    }
}

async fn every_attempt_is_kept_with_its_node_its_times_and_its_cause(db: Db) {
    let w = World::new(db.migrated().await);
    let flaky = Act::new(&w.notes, |cx| match cx.attempt() {
        1 => Err(StepError::again("no greeting")),
        2 => Err(StepError::failed("no such address")),
        _ => Ok(Done::new()),
    });
    let runner = w.runner(Registry::new().with(KIND, chore("send"), flaky)).on_node("alder");
    let (id, begin) = (w.enqueue(&[(0, "send")]).await, w.now());
    runner.drain_until(w.minutes(5)).await.unwrap();
    assert_eq!(
        w.outcomes(id).await,
        ["1 Retrying on alder: no greeting", "2 Failed on alder: no such address"]
    );
    let times: Vec<_> = w.attempts(id).await.iter().map(|row| (row.started_at, row.ended_at)).collect();
    let second = begin + Duration::minutes(1);
    assert_eq!(times, [(begin, begin), (second, second)], "each from when it was taken");
    assert_eq!(w.step(id, "send").await.node.as_deref(), Some("alder"));
}

async fn the_attempt_of_a_dead_worker_is_kept_by_whoever_takes_its_step_over(db: Db) {
    let w = World::new(db.migrated().await);
    let registry = w.fine(&["send"]);
    let dying =
        w.runner(registry.clone()).on_node("alder").with_probe(Arc::new(FaultAt::new(0, Verdict::Crash)));
    let (id, begin) = (w.enqueue(&[(0, "send")]).await, w.now());
    dying.drain().await.unwrap();
    assert!(w.attempts(id).await.is_empty());
    w.runner(registry).on_node("birch").drain_until(w.minutes(1)).await.unwrap();
    let lost = "1 Lost on alder: The node stopped, or could not keep the step.";
    assert_eq!(w.outcomes(id).await, [lost, "2 Completed on birch: "]);
    let rows = w.attempts(id).await;
    assert_eq!((rows[0].started_at, rows[0].ended_at), (begin, begin + Duration::minutes(1)));
}

async fn a_run_that_waits_is_no_attempt(db: Db) {
    let w = World::new(db.migrated().await);
    let until = w.minutes(3);
    let patient = Act::new(&w.notes, move |cx| match cx.clock.now() {
        now if now < until => Err(StepError::Wait { until }),
        _ => Ok(Done::skipped()),
    });
    let runner = w.runner(Registry::new().with(KIND, chore("await"), patient));
    let id = w.enqueue(&[(0, "await")]).await;
    runner.drain_until(w.minutes(5)).await.unwrap();
    assert_eq!(w.outcomes(id).await, ["1 Skipped on : "]);
}

async fn a_workflow_keeps_the_channels_of_its_steps(db: Db) {
    const FAX: StepType = StepType::new("fax", Lane::Delivering).through("Fax");
    const DELIVER: StepType = StepType::new("deliver", Lane::Delivering).through("Direct");
    let w = World::new(db.migrated().await);
    for (kinds, channel) in [
        ([FAX, DELIVER].as_slice(), "Direct+Fax"),
        (&[FAX, FAX, chore("file")], "Fax"),
        (&[chore("file")], ""),
    ] {
        let steps = kinds.iter().map(|kind| NewStep::new(0, *kind, w.now())).collect();
        let new = NewWorkflow { steps, ..w.plan(&[]) };
        let txn = w.store.begin().await.unwrap();
        let id = workflow::enqueue(&txn, w.now(), new).await.unwrap();
        txn.commit().await.unwrap();
        assert_eq!(w.workflow(id).await.channel, channel);
    }
}

async fn old_attempts_are_forgotten_and_new_ones_stay(db: Db) {
    let w = World::new(db.migrated().await);
    let runner = w.runner(w.fine(&["send"]));
    let old = w.enqueue(&[(0, "send"), (0, "send"), (0, "send")]).await;
    runner.drain().await.unwrap();
    w.clock.advance(Duration::days(1));
    let new = w.enqueue(&[(0, "send")]).await;
    runner.drain().await.unwrap();
    assert_eq!(workflow::sweep_attempts(&w.store, w.now()).await.unwrap(), 3);
    assert_eq!((w.attempts(old).await.len(), w.attempts(new).await.len()), (0, 1));
    assert_eq!(workflow::sweep_attempts(&w.store, w.now()).await.unwrap(), 0);
}
