//! Lanes: each kind of work has workers of its own, shared fairly among organizations and outside parties.

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, Iterable, Statement, entity::prelude::Uuid};
use std::{
    collections::HashMap,
    ops::{Index, IndexMut},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
pub use store::entities::workflow_step::Lane;
use tokio::sync::Notify;

/// How many lanes there are.
pub(crate) const LANES: usize = 8;

/// A step's name in the database, and the lane whose workers run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepType {
    pub name: &'static str,
    pub lane: Lane,
    /// Channel to the outside, such as `Fax`; empty if there is none.
    pub channel: &'static str,
    /// What operators call it; empty for steps that they do not see.
    pub label: &'static str,
}

impl StepType {
    pub const fn new(name: &'static str, lane: Lane) -> Self {
        Self { name, lane, channel: "", label: "" }
    }

    /// Names the channel, by which operators tell workflows apart.
    #[must_use]
    pub const fn through(self, channel: &'static str) -> Self {
        Self { channel, ..self }
    }

    /// Says what operators call it.
    #[must_use]
    pub const fn called(self, label: &'static str) -> Self {
        Self { label, ..self }
    }
}

/// One value for each lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerLane<T>([T; LANES]);

impl<T> Index<Lane> for PerLane<T> {
    type Output = T;

    fn index(&self, lane: Lane) -> &T {
        &self.0[lane as usize]
    }
}

impl<T> IndexMut<Lane> for PerLane<T> {
    fn index_mut(&mut self, lane: Lane) -> &mut T {
        &mut self.0[lane as usize]
    }
}

impl<T> PerLane<T> {
    /// The function's value for each lane.
    pub fn of_each(mut value: impl FnMut(Lane) -> T) -> Self {
        let mut lanes = Lane::iter();
        Self(std::array::from_fn(|_| value(lanes.next().expect("as many lanes as values"))))
    }
}

impl<T: Copy> PerLane<T> {
    /// The same value for each.
    pub fn all(value: T) -> Self {
        Self([value; LANES])
    }

    /// With another value for one of them.
    #[must_use]
    pub fn with(mut self, lane: Lane, value: T) -> Self {
        self[lane] = value;
        self
    }
}

/// The workers of each lane, and how much of a lane one party may hold.
#[derive(Clone, Copy, Debug)]
pub struct Workers {
    /// Steps of each lane that run concurrently.
    pub count: PerLane<usize>,
    /// Percentage of a lane's workers that one organization may hold. At least one worker.
    pub organization_percent: u8,
    /// Percentage of a lane's workers that steps for one partner may hold. At least one worker.
    pub partner_percent: u8,
}

impl Workers {
    /// The same number of workers in each lane.
    pub fn each(count: usize) -> Self {
        Self { count: PerLane::all(count), organization_percent: 50, partner_percent: 25 }
    }

    fn of_organization(&self, lane: Lane) -> usize {
        share(self.count[lane], self.organization_percent)
    }

    fn of_partner(&self, lane: Lane) -> usize {
        share(self.count[lane], self.partner_percent)
    }

    /// Most workers for partner steps: some are left to steps that wait for nobody outside, so that a dead name
    /// server does not stop mail within the installation.
    fn of_all_partners(&self, lane: Lane) -> usize {
        let count = self.count[lane];
        count.saturating_sub(count.div_ceil(4)).max(1)
    }
}

fn share(count: usize, percent: u8) -> usize {
    (count * usize::from(percent) / 100).max(1)
}

/// The current holders of a runner's workers.
pub(crate) struct Load {
    workers: Workers,
    state: Mutex<State>,
    /// Rings when a worker became free.
    pub freed: Notify,
}

#[derive(Default)]
struct State {
    held: Vec<Held>,
    /// Number of times a worker of each lane became free.
    freed: PerLane<u64>,
    last_id: u64,
    /// When organizations last got a worker, as the id of what they held.
    last_of: HashMap<(Lane, Uuid), u64>,
}

/// Organizations of which a runner remembers when they last got a worker.
const REMEMBERED: usize = 10_000;

struct Held {
    id: u64,
    lane: Lane,
    organization_id: Uuid,
    partner: String,
}

/// What may not be claimed for a lane, because its share is used up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refused {
    /// No further step at all.
    pub everything: bool,
    /// No step for any partner.
    pub all_partners: bool,
    /// No step for these.
    pub partners: Vec<String>,
}

impl Refused {
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    pub fn takes(&self, partner: &str) -> bool {
        let refused = self.all_partners || self.partners.iter().any(|refused| refused == partner);
        !self.everything && (partner.is_empty() || !refused)
    }
}

impl Load {
    pub fn new(workers: Workers) -> Self {
        Self { workers, state: Mutex::default(), freed: Notify::new() }
    }

    /// Workers of the lane that hold no step.
    pub fn free(&self, lane: Lane) -> usize {
        let state = self.state();
        self.workers.count[lane].saturating_sub(state.in_lane(lane).count())
    }

    /// A count that grows whenever a worker of the lane becomes free.
    pub fn times_freed(&self, lane: Lane) -> u64 {
        self.state().freed[lane]
    }

    /// Rank of an organization; the lowest is next. It consists of the number of workers it holds in the lane, then
    /// the time of its last one.
    pub fn turn_of(&self, lane: Lane, organization_id: Uuid) -> (usize, u64) {
        let state = self.state();
        let held = state.in_lane(lane).filter(|held| held.organization_id == organization_id).count();
        (held, state.last_of.get(&(lane, organization_id)).copied().unwrap_or_default())
    }

    /// What the lane refuses to everybody.
    pub fn refused(&self, lane: Lane) -> Refused {
        self.state().refused(&self.workers, lane)
    }

    /// What the lane refuses to the organization.
    pub fn refused_to(&self, lane: Lane, organization_id: Uuid) -> Refused {
        self.state().refused_to(&self.workers, lane, organization_id)
    }

    /// Takes a worker; none if that would exceed a share.
    pub fn take(self: &Arc<Self>, lane: Lane, organization_id: Uuid, partner: &str) -> Option<Slot> {
        let mut state = self.state();
        if !state.refused_to(&self.workers, lane, organization_id).takes(partner) {
            return None;
        }
        state.last_id += 1;
        let id = state.last_id;
        if state.last_of.len() >= REMEMBERED {
            state.last_of.clear();
        }
        state.last_of.insert((lane, organization_id), id);
        state.held.push(Held { id, lane, organization_id, partner: partner.to_owned() });
        Some(Slot { id, load: self.clone() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn in_lane(&self, lane: Lane) -> impl Iterator<Item = &Held> {
        self.held.iter().filter(move |held| held.lane == lane)
    }

    fn refused(&self, workers: &Workers, lane: Lane) -> Refused {
        let mut refused = Refused::default();
        let (mut held, mut for_partners) = (0, Vec::new());
        for step in self.in_lane(lane) {
            held += 1;
            for_partners.extend(Some(step.partner.as_str()).filter(|partner| !partner.is_empty()));
        }
        refused.everything = held >= workers.count[lane];
        refused.all_partners = for_partners.len() >= workers.of_all_partners(lane);
        for_partners.sort_unstable();
        let most = workers.of_partner(lane);
        let full = for_partners.chunk_by(|a, b| a == b).filter(|same| same.len() >= most);
        refused.partners = full.map(|same| same[0].to_owned()).collect();
        refused
    }

    fn refused_to(&self, workers: &Workers, lane: Lane, organization_id: Uuid) -> Refused {
        let mut refused = self.refused(workers, lane);
        let own = self.in_lane(lane).filter(|held| held.organization_id == organization_id).count();
        refused.everything |= own >= workers.of_organization(lane);
        refused
    }
}

/// A worker that runs a step. Dropping it frees the worker.
pub(crate) struct Slot {
    id: u64,
    load: Arc<Load>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.load.state();
        if let Some(at) = state.held.iter().position(|held| held.id == self.id) {
            let lane = state.held.swap_remove(at).lane;
            state.freed[lane] += 1;
        }
        drop(state);
        self.load.freed.notify_one();
    }
}

/// Load of a lane, on all nodes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromQueryResult)]
pub struct LaneState {
    pub lane: Lane,
    /// Steps that a worker runs.
    pub busy: i64,
    /// Steps that are due.
    pub waiting: i64,
    /// Time since which the oldest of them has been due.
    pub oldest: Option<DateTime<Utc>>,
}

const STATES: &str = "SELECT lane, \
    COUNT(CASE WHEN status = 'Running' AND lease_until > $1 THEN 1 END) AS busy, \
    COUNT(CASE WHEN run_at <= $1 AND (status = 'Pending' OR lease_until <= $1) THEN 1 END) AS waiting, \
    MIN(CASE WHEN run_at <= $1 AND (status = 'Pending' OR lease_until <= $1) THEN run_at END) AS oldest \
    FROM workflow_step WHERE status IN ('Pending', 'Running') GROUP BY lane";

/// The state of every lane, read from the index of open steps.
pub async fn lane_states(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<Vec<LaneState>, DbErr> {
    let states = Statement::from_sql_and_values(db.get_database_backend(), STATES, [now.into()]);
    let rows = db.query_all_raw(states).await?;
    let known = rows.iter().map(|row| LaneState::from_query_result(row, ""));
    let known = known.collect::<Result<Vec<_>, _>>()?;
    let idle = |lane| LaneState { lane, busy: 0, waiting: 0, oldest: None };
    Ok(Lane::iter()
        .map(|lane| known.iter().find(|state| state.lane == lane).copied().unwrap_or(idle(lane)))
        .collect())
}
