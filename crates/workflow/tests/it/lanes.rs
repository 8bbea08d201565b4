use crate::world::{Act, KIND, World};
use async_trait::async_trait;
use chrono::Duration;
use std::{collections::BTreeMap, sync::Arc};
use testdb::Db;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use workflow::{
    Done, Lane, NewStep, NewWorkflow, Options, Policy, Registry, Runner, Step, StepContext, StepError,
    StepStatus, StepType, Workers,
};

testdb::on_both_databases! {
    a_lane_whose_workers_are_all_busy_holds_up_no_other,
    a_crowd_of_steps_of_one_organization_delays_no_other,
    an_organization_comes_next_although_others_have_waited_longer,
    organizations_behind_a_long_crowd_take_turns,
    a_partner_that_hangs_holds_a_few_workers,
    when_all_partners_hang_workers_are_left_for_steps_that_wait_for_nobody,
    a_workers_next_step_takes_no_more_of_a_lane_than_its_share,
    a_step_moves_to_another_lane_without_using_up_an_attempt,
    a_step_that_takes_too_long_is_given_up_and_tried_again,
}

const CONVERT: StepType = StepType::new("convert", Lane::Conversion);
const DELIVER: StepType = StepType::new("deliver", Lane::Delivering);
const NOTIFY: StepType = StepType::new("notify", Lane::Notices);
const OPEN: StepType = StepType::new("open", Lane::Receiving);

/// Steps that report their start, and then wait for the gate.
struct Held {
    begun: mpsc::UnboundedSender<Begun>,
    gate: Arc<Semaphore>,
}

/// The organization and the partner of a step that begins.
type Begun = (Uuid, String);

#[async_trait]
impl Step for Held {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        self.begun.send((cx.organization_id(), cx.step.partner.clone())).unwrap();
        self.gate.acquire().await.unwrap().forget();
        Ok(Done::new())
    }
}

/// A runner with eight workers in each lane, whose steps wait until they are released.
struct Running {
    _db: Db,
    world: World,
    runner: Runner,
    begun: mpsc::UnboundedReceiver<Begun>,
    gate: Arc<Semaphore>,
    cancel: CancellationToken,
    work: tokio::task::JoinHandle<()>,
}

impl Running {
    async fn start(db: Db) -> Self {
        let world = World::new(db.migrated().await);
        let (tell, begun) = mpsc::unbounded_channel();
        let gate = Arc::new(Semaphore::new(0));
        let held = || Held { begun: tell.clone(), gate: gate.clone() };
        let registry = Registry::new()
            .with(KIND, CONVERT, held())
            .with(KIND, DELIVER, held())
            .with(KIND, NOTIFY, held())
            .with(KIND, OPEN, Act::fine(&world.notes));
        let poll = std::time::Duration::from_secs(3_600);
        let options = Options { workers: Workers::each(8), poll, ..Options::default() };
        let runner = Runner::new(world.store.clone(), world.clock.clone(), registry, options);
        let cancel = CancellationToken::new();
        let (runs, stop) = (runner.clone(), cancel.clone());
        let work = tokio::spawn(async move { runs.run(stop).await });
        Self { _db: db, world, runner, begun, gate, cancel, work }
    }

    /// Enqueues workflows of one organization with this step.
    async fn enqueue(&self, organization_id: Uuid, count: usize, step: impl Fn(usize) -> NewStep) {
        let txn = self.world.store.begin().await.unwrap();
        let workflow = |number| NewWorkflow {
            organization_id,
            kind: KIND.into(),
            object_id: Uuid::now_v7(),
            steps: vec![step(number)],
        };
        let all = (0..count).map(workflow).collect();
        workflow::enqueue_all(&txn, self.world.now(), all).await.unwrap();
        txn.commit().await.unwrap();
        self.runner.notify().notify_one();
    }

    fn step(&self, kind: StepType) -> NewStep {
        NewStep::new(0, kind, self.world.now())
    }

    async fn next(&mut self) -> Begun {
        self.begun.recv().await.unwrap()
    }

    /// Waits until this many more steps have begun. Returns the number of each organization.
    async fn begin(&mut self, count: usize) -> BTreeMap<Uuid, usize> {
        let mut of_each = BTreeMap::new();
        for _ in 0..count {
            *of_each.entry(self.next().await.0).or_default() += 1;
        }
        of_each
    }

    fn nothing_begins(&mut self) {
        assert!(self.begun.try_recv().is_err(), "another step began");
    }

    async fn stop(self) {
        self.cancel.cancel();
        self.gate.add_permits(10_000);
        self.work.await.unwrap();
    }
}

async fn a_lane_whose_workers_are_all_busy_holds_up_no_other(db: Db) {
    let mut r = Running::start(db).await;
    for _ in 0..2 {
        r.enqueue(Uuid::now_v7(), 16, |_| r.step(CONVERT)).await;
    }
    r.begin(8).await;
    r.enqueue(Uuid::now_v7(), 1, |_| r.step(DELIVER)).await;
    r.begin(1).await;
    r.nothing_begins();
    let now = r.world.now();
    let states = workflow::lane_states(r.world.store.db(), now).await.unwrap();
    let state = |lane| states.iter().find(|state| state.lane == lane).map(|s| (s.busy, s.waiting, s.oldest));
    assert_eq!(state(Lane::Conversion), Some((8, 24, Some(now))));
    assert_eq!(state(Lane::Delivering), Some((1, 0, None)));
    assert_eq!(state(Lane::Chores), Some((0, 0, None)));
    r.stop().await;
}

async fn a_crowd_of_steps_of_one_organization_delays_no_other(db: Db) {
    let mut r = Running::start(db).await;
    let (noisy, quiet) = (Uuid::now_v7(), Uuid::now_v7());
    r.enqueue(noisy, 300, |_| r.step(DELIVER)).await;
    assert_eq!(r.begin(4).await, BTreeMap::from([(noisy, 4)]));
    r.world.clock.advance(Duration::seconds(5));
    r.enqueue(quiet, 1, |_| r.step(DELIVER)).await;
    assert_eq!(r.next().await.0, quiet);
    r.nothing_begins();
    r.stop().await;
}

async fn an_organization_comes_next_although_others_have_waited_longer(db: Db) {
    let mut r = Running::start(db).await;
    let noisy = [Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7()];
    for id in noisy {
        r.enqueue(id, 100, |_| r.step(DELIVER)).await;
    }
    r.begin(8).await;
    r.world.clock.advance(Duration::seconds(5));
    let quiet = Uuid::now_v7();
    r.enqueue(quiet, 1, |_| r.step(DELIVER)).await;
    r.gate.add_permits(1);
    assert_eq!(r.next().await.0, quiet);
    r.stop().await;
}

async fn organizations_behind_a_long_crowd_take_turns(db: Db) {
    let mut r = Running::start(db).await;
    r.enqueue(Uuid::now_v7(), 100, |_| r.step(DELIVER)).await;
    r.begin(4).await;
    r.world.clock.advance(Duration::seconds(5));
    let others: Vec<_> = (0..70).map(|_| Uuid::now_v7()).collect();
    for id in &others {
        r.enqueue(*id, 2, |_| r.step(DELIVER)).await;
    }
    r.begin(4).await;
    r.gate.add_permits(100);
    let served = r.begin(100).await;
    assert!(served.len() > 60, "only {} organizations had a turn", served.len());
    r.stop().await;
}

async fn a_partner_that_hangs_holds_a_few_workers(db: Db) {
    let mut r = Running::start(db).await;
    let deliver = |r: &Running, partner: &str| r.step(DELIVER).for_partner(partner);
    let sender = Uuid::now_v7();
    for id in [sender, Uuid::now_v7(), Uuid::now_v7()] {
        r.enqueue(id, 100, |_| deliver(&r, "hangs.example")).await;
    }
    r.begin(2).await;
    r.nothing_begins();
    r.world.clock.advance(Duration::seconds(5));
    r.enqueue(sender, 1, |_| deliver(&r, "answers.example")).await;
    assert_eq!(r.next().await, (sender, "answers.example".to_owned()));
    r.nothing_begins();
    r.stop().await;
}

async fn when_all_partners_hang_workers_are_left_for_steps_that_wait_for_nobody(db: Db) {
    let mut r = Running::start(db).await;
    for id in [Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7()] {
        r.enqueue(id, 50, |number| r.step(DELIVER).for_partner(format!("{number}.example"))).await;
    }
    r.begin(6).await;
    r.nothing_begins();
    r.world.clock.advance(Duration::seconds(5));
    let sender = Uuid::now_v7();
    r.enqueue(sender, 1, |_| r.step(DELIVER)).await;
    assert_eq!(r.next().await, (sender, String::new()));
    r.stop().await;
}

async fn a_workers_next_step_takes_no_more_of_a_lane_than_its_share(db: Db) {
    let mut r = Running::start(db).await;
    let organization_id = Uuid::now_v7();
    let txn = r.world.store.begin().await.unwrap();
    for _ in 0..20 {
        let (open, notify) =
            (r.step(OPEN), NewStep::new(1, NOTIFY, r.world.now()).for_partner("hangs.example"));
        let new = NewWorkflow {
            organization_id,
            kind: KIND.into(),
            object_id: Uuid::now_v7(),
            steps: vec![open, notify],
        };
        workflow::enqueue(&txn, r.world.now(), new).await.unwrap();
    }
    txn.commit().await.unwrap();
    r.runner.notify().notify_one();
    r.begin(2).await;
    while r.world.notes.all().len() < 20 {
        tokio::task::yield_now().await;
    }
    r.nothing_begins();
    r.stop().await;
}

async fn a_step_moves_to_another_lane_without_using_up_an_attempt(db: Db) {
    let w = World::new(db.migrated().await);
    let moves = Act::new(&w.notes, |cx| match cx.step.lane {
        Lane::Anonymous => Ok(Done::new()),
        _ => Err(StepError::Move { lane: Lane::Anonymous }),
    });
    let txn = w.store.begin().await.unwrap();
    let steps = vec![NewStep::new(0, OPEN, w.now())];
    let new =
        NewWorkflow { organization_id: Uuid::now_v7(), kind: KIND.into(), object_id: Uuid::now_v7(), steps };
    let id = workflow::enqueue(&txn, w.now(), new).await.unwrap();
    txn.commit().await.unwrap();
    assert_eq!(w.runner(Registry::new().with(KIND, OPEN, moves)).drain().await.unwrap(), 2);
    let step = w.step(id, OPEN.name).await;
    assert_eq!((step.status, step.lane, step.attempt), (StepStatus::Completed, Lane::Anonymous, 1));
}

async fn a_step_that_takes_too_long_is_given_up_and_tried_again(db: Db) {
    struct Endless;
    #[async_trait]
    impl Step for Endless {
        fn policy(&self) -> Policy {
            Policy { deadline: std::time::Duration::from_millis(1), ..Policy::default() }
        }

        async fn run(&self, _: &StepContext) -> Result<Done, StepError> {
            std::future::pending().await
        }
    }
    let w = World::new(db.migrated().await);
    let id = w.enqueue(&[(0, "send")]).await;
    let send = crate::world::chore("send");
    w.runner(Registry::new().with(KIND, send, Endless)).drain().await.unwrap();
    let step = w.step(id, "send").await;
    assert_eq!((step.status, step.attempt), (StepStatus::Pending, 1));
    assert_eq!(step.error.as_deref(), Some("the step took too long"));
}
