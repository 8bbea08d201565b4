//! Places for work that may wait, given out in turns, so that a party with much work delays only itself.

use crate::Party;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::oneshot;

/// Most parties whose refusals and turns are kept individually.
const REMEMBERED: usize = 10_000;
/// Parties in a report.
const NAMED: usize = 10;

/// Size of a pool. Work that costs more than a limit runs when its party, or nobody, has other work running.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub total: u64,
    /// Limit for one organization or host.
    pub per_party: u64,
    /// Most waiting work of one party. More is refused.
    pub waiting_per_party: usize,
    pub waiting: usize,
}

/// Too much work is waiting already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overloaded;

/// Gives places to the party with the least in use; among equals to the one with the longest time since its last
/// turn, then in the order of requests.
pub struct Pool {
    name: &'static str,
    room: Room,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    used: u64,
    held: HashMap<Party, u64>,
    waiting: Vec<Waiter>,
    last_ticket: u64,
    /// Last turn of each party, as a count of turns.
    served: HashMap<Party, u64>,
    turns: u64,
    refused: u64,
    refused_parties: HashMap<Party, u64>,
}

struct Waiter {
    ticket: u64,
    party: Party,
    cost: u64,
    turn: oneshot::Sender<()>,
}

impl State {
    fn held_by(&self, party: &Party) -> u64 {
        self.held.get(party).copied().unwrap_or_default()
    }

    fn waiting_of(&self, party: &Party) -> usize {
        self.waiting.iter().filter(|waiter| waiter.party == *party).count()
    }

    fn fits_party(&self, room: &Room, waiter: &Waiter) -> bool {
        let held = self.held_by(&waiter.party);
        waiter.party == Party::Installation || held == 0 || held + waiter.cost <= room.per_party
    }

    /// The next party: of those within their share the one with the least in use. Others do not overtake it while it
    /// waits.
    fn next(&self, room: &Room) -> Option<usize> {
        let within = self.waiting.iter().enumerate().filter(|(_, waiter)| self.fits_party(room, waiter));
        let last = |party: &Party| self.served.get(party).copied().unwrap_or_default();
        let order = |(at, waiter): &(usize, &Waiter)| (self.held_by(&waiter.party), last(&waiter.party), *at);
        let (at, waiter) = within.min_by_key(order)?;
        (self.used == 0 || self.used + waiter.cost <= room.total).then_some(at)
    }

    fn serve(&mut self, room: &Room) {
        while let Some(at) = self.next(room) {
            let waiter = self.waiting.remove(at);
            self.used += waiter.cost;
            self.turns += 1;
            if self.served.len() >= REMEMBERED {
                self.served.clear();
            }
            self.served.insert(waiter.party.clone(), self.turns);
            *self.held.entry(waiter.party).or_default() += waiter.cost;
            // A cancelled waiter releases it by itself.
            let _ = waiter.turn.send(());
        }
    }

    fn give_back(&mut self, room: &Room, party: &Party, cost: u64) {
        self.used -= cost;
        if let Some(held) = self.held.get_mut(party) {
            *held -= cost;
            if *held == 0 {
                self.held.remove(party);
            }
        }
        self.serve(room);
    }

    fn refuse(&mut self, party: Party) {
        self.refused += 1;
        if self.refused_parties.len() < REMEMBERED || self.refused_parties.contains_key(&party) {
            *self.refused_parties.entry(party).or_default() += 1;
        }
    }
}

/// A place in a pool, held or waited for; released when dropped.
pub struct Place {
    pool: Arc<Pool>,
    ticket: u64,
    party: Party,
    cost: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        match state.waiting.iter().position(|waiter| waiter.ticket == self.ticket) {
            Some(at) => {
                state.waiting.remove(at);
                // It may have blocked others.
                state.serve(&self.pool.room);
            }
            None => state.give_back(&self.pool.room, &self.party, self.cost),
        }
    }
}

/// Status of a pool for operators.
#[derive(Clone, Debug)]
pub struct PoolState {
    pub name: &'static str,
    pub used: u64,
    pub total: u64,
    pub waiting: usize,
    /// Since the node started.
    pub refused: u64,
    /// The parties with the most places, waiting work or refusals.
    pub busiest: Vec<BusyParty>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusyParty {
    pub party: Party,
    pub used: u64,
    pub waiting: usize,
    pub refused: u64,
}

impl Pool {
    pub fn new(name: &'static str, room: Room) -> Arc<Self> {
        Arc::new(Self { name, room, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place.
    pub async fn enter(self: &Arc<Self>, party: Party, cost: u64) -> Result<Place, Overloaded> {
        let (place, turn) = self.line_up(party, cost)?;
        // Only the place itself drops the sender.
        let _ = turn.await;
        Ok(place)
    }

    fn line_up(
        self: &Arc<Self>,
        party: Party,
        cost: u64,
    ) -> Result<(Place, oneshot::Receiver<()>), Overloaded> {
        let cost = cost.clamp(1, self.room.total.max(1));
        let (turn, mine) = oneshot::channel();
        let mut state = self.state();
        state.last_ticket += 1;
        let ticket = state.last_ticket;
        state.waiting.push(Waiter { ticket, party: party.clone(), cost, turn });
        state.serve(&self.room);
        let waits = state.waiting.last().is_some_and(|waiter| waiter.ticket == ticket);
        let is_crowded = state.waiting.len() > self.room.waiting
            || (party != Party::Installation && state.waiting_of(&party) > self.room.waiting_per_party);
        if waits && is_crowded {
            state.waiting.pop();
            state.refuse(party);
            return Err(Overloaded);
        }
        drop(state);
        Ok((Place { pool: self.clone(), ticket, party, cost }, mine))
    }

    pub fn report(&self) -> PoolState {
        let state = self.state();
        let waiting = state.waiting.iter().map(|waiter| &waiter.party);
        let mut parties: Vec<&Party> =
            state.held.keys().chain(waiting).chain(state.refused_parties.keys()).collect();
        parties.sort();
        parties.dedup();
        let mut busiest: Vec<_> = parties
            .into_iter()
            .map(|party| BusyParty {
                used: state.held_by(party),
                waiting: state.waiting_of(party),
                refused: state.refused_parties.get(party).copied().unwrap_or_default(),
                party: party.clone(),
            })
            .collect();
        busiest.sort_by_key(|busy| std::cmp::Reverse((busy.waiting, busy.used, busy.refused)));
        busiest.truncate(NAMED);
        PoolState {
            name: self.name,
            used: state.used,
            total: self.room.total,
            waiting: state.waiting.len(),
            refused: state.refused,
            busiest,
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { total: 4, per_party: 3, waiting_per_party: 2, waiting: 5 };

    fn host(name: &str) -> Party {
        Party::Host(name.into())
    }

    /// A place, and whether it is granted already.
    fn ask(pool: &Arc<Pool>, party: &str) -> (Place, oneshot::Receiver<()>) {
        pool.line_up(host(party), 1).expect("room in the line")
    }

    fn is_served(turn: &mut oneshot::Receiver<()>) -> bool {
        turn.try_recv().is_ok()
    }

    #[test]
    fn a_noisy_party_leaves_room_and_waits_for_itself() {
        let pool = Pool::new("test", ROOM);
        let mut noisy: Vec<_> = (0..5).map(|_| ask(&pool, "noisy")).collect();
        assert_eq!(noisy.iter_mut().filter_map(|(_, turn)| turn.try_recv().ok()).count(), 3);
        assert_eq!(pool.line_up(host("noisy"), 1).err(), Some(Overloaded));
        let (_quiet, mut turn) = ask(&pool, "quiet");
        assert!(is_served(&mut turn), "its room was left to it");
        let state = pool.report();
        assert_eq!((state.used, state.waiting, state.refused), (4, 2, 1));
        let busy = BusyParty { party: host("noisy"), used: 3, waiting: 2, refused: 1 };
        assert_eq!(state.busiest[0], busy);
    }

    #[test]
    fn who_holds_the_least_is_served_first() {
        let pool = Pool::new("test", ROOM);
        let mut held: Vec<_> = ["a", "a", "b", "b"].map(|party| ask(&pool, party)).into();
        let (_a, mut of_a) = ask(&pool, "a");
        let (_c, mut of_c) = ask(&pool, "c");
        held.pop();
        assert!(is_served(&mut of_c) && !is_served(&mut of_a));
        held.pop();
        assert!(is_served(&mut of_a));
    }

    #[test]
    fn parties_take_turns_where_there_is_room_for_one() {
        let pool = Pool::new("test", Room { total: 1, per_party: 1, waiting_per_party: 10, waiting: 20 });
        let mut held = vec![ask(&pool, "noisy").0];
        let mut waiting: Vec<_> = ["noisy", "noisy", "quiet", "noisy", "quiet"]
            .into_iter()
            .map(|party| (party, ask(&pool, party)))
            .collect();
        let mut order = Vec::new();
        while let Some(place) = held.pop() {
            drop(place);
            if let Some(at) = waiting.iter_mut().position(|(_, (_, turn))| is_served(turn)) {
                let (party, (place, _)) = waiting.remove(at);
                order.push(party);
                held.push(place);
            }
        }
        assert_eq!(order, ["quiet", "noisy", "quiet", "noisy", "noisy"]);
    }

    #[test]
    fn what_is_too_large_runs_alone_and_is_not_overtaken() {
        let pool = Pool::new("test", ROOM);
        let first = ask(&pool, "a");
        let (large, mut turn) = pool.line_up(host("b"), 100).expect("room in the line");
        let (_small, mut behind) = ask(&pool, "c");
        assert!(!is_served(&mut turn) && !is_served(&mut behind));
        drop(first);
        assert!(is_served(&mut turn) && !is_served(&mut behind));
        drop(large);
        assert!(is_served(&mut behind));
    }

    #[tokio::test]
    async fn who_stops_waiting_takes_nothing() {
        let pool = Pool::new("test", Room { total: 1, per_party: 1, ..ROOM });
        let held = pool.enter(host("a"), 1).await.expect("room");
        let waiting = ask(&pool, "b");
        let (_next, mut turn) = ask(&pool, "c");
        drop(waiting);
        let served_and_gone = ask(&pool, "d");
        drop(held);
        assert!(is_served(&mut turn));
        drop(_next);
        drop(served_and_gone);
        assert_eq!((pool.report().used, pool.report().waiting), (0, 0));
    }
}
