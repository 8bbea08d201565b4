//! Limits on simultaneous connections, by address and network.

use crate::Network;
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Time for which an address counts as known after its last authenticated use.
const KNOWN_FOR: Duration = Duration::from_secs(3600);
/// Most known addresses kept.
const REMEMBERED: usize = 10_000;
/// Networks in a report.
const NAMED: usize = 10;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub total: usize,
    /// Part of the total reserved for known addresses.
    pub reserve: usize,
    /// Limit for an unknown address, and for its network.
    pub per_address: usize,
    pub per_network: usize,
    /// Limit for a known address, which many people may share.
    pub per_known_address: usize,
}

/// Why a connection is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// All places are taken, or only the reserve is left.
    Full,
    Address,
    Network,
}

/// Counts open connections.
pub struct Gate {
    name: &'static str,
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: usize,
    addresses: HashMap<IpAddr, usize>,
    networks: HashMap<Network, usize>,
    known: HashMap<IpAddr, Instant>,
    refused: u64,
    refused_networks: HashMap<Network, u64>,
}

impl State {
    fn knows(&self, address: &IpAddr) -> bool {
        self.known.get(address).is_some_and(|since| since.elapsed() < KNOWN_FOR)
    }

    fn refusal(&self, limits: &Limits, address: IpAddr) -> Option<Refusal> {
        let is_known = self.knows(&address);
        let total = if is_known { limits.total } else { limits.total - limits.reserve.min(limits.total) };
        if self.open >= total {
            return Some(Refusal::Full);
        }
        let of_address = self.addresses.get(&address).copied().unwrap_or_default();
        if is_known {
            return (of_address >= limits.per_known_address).then_some(Refusal::Address);
        }
        if of_address >= limits.per_address {
            return Some(Refusal::Address);
        }
        let of_network = self.networks.get(&Network::of(address)).copied().unwrap_or_default();
        (of_network >= limits.per_network).then_some(Refusal::Network)
    }

    fn count_refusal(&mut self, address: IpAddr) {
        self.refused += 1;
        if self.refused_networks.len() < REMEMBERED
            || self.refused_networks.contains_key(&Network::of(address))
        {
            *self.refused_networks.entry(Network::of(address)).or_default() += 1;
        }
    }
}

/// A place for a connection, released when dropped.
pub struct Pass {
    gate: Arc<Gate>,
    address: Option<IpAddr>,
}

/// Status of a gate for operators.
#[derive(Clone, Debug)]
pub struct GateState {
    pub name: &'static str,
    pub open: usize,
    pub total: usize,
    pub reserve: usize,
    /// Since the node started.
    pub refused: u64,
    /// The networks with the most connections or refusals.
    pub busiest: Vec<Busiest>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busiest {
    pub network: String,
    pub open: usize,
    pub refused: u64,
}

impl Gate {
    pub fn new(name: &'static str, limits: Limits) -> Arc<Self> {
        Arc::new(Self { name, limits, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection from this address, or returns why not.
    pub fn enter(self: &Arc<Self>, address: IpAddr) -> Result<Pass, Refusal> {
        let address = address.to_canonical();
        let mut state = self.state();
        if let Some(refusal) = state.refusal(&self.limits, address) {
            state.count_refusal(address);
            return Err(refusal);
        }
        state.open += 1;
        *state.addresses.entry(address).or_default() += 1;
        *state.networks.entry(Network::of(address)).or_default() += 1;
        Ok(Pass { gate: self.clone(), address: Some(address) })
    }

    /// Admits a connection whose address is meaningless: a proxy that counts for itself.
    pub fn enter_uncounted(self: &Arc<Self>) -> Result<Pass, Refusal> {
        let mut state = self.state();
        if state.open >= self.limits.total {
            state.refused += 1;
            return Err(Refusal::Full);
        }
        state.open += 1;
        Ok(Pass { gate: self.clone(), address: None })
    }

    /// Marks an address as known after an authentication: it may use the reserve for a while.
    pub fn know(&self, address: IpAddr) {
        let mut state = self.state();
        if state.known.len() >= REMEMBERED {
            state.known.retain(|_, since| since.elapsed() < KNOWN_FOR);
        }
        if state.known.len() < REMEMBERED {
            state.known.insert(address.to_canonical(), Instant::now());
        }
    }

    /// Whether more than half of the places for strangers are taken, so that idle connections should be closed early.
    pub fn is_busy(&self) -> bool {
        self.state().open * 2 > self.limits.total - self.limits.reserve.min(self.limits.total)
    }

    pub fn report(&self) -> GateState {
        let state = self.state();
        let networks = state.networks.keys().chain(state.refused_networks.keys());
        let mut busiest: Vec<_> = networks
            .map(|network| Busiest {
                network: network.to_string(),
                open: state.networks.get(network).copied().unwrap_or_default(),
                refused: state.refused_networks.get(network).copied().unwrap_or_default(),
            })
            .collect();
        busiest.sort_by(|a, b| (b.open, b.refused, &a.network).cmp(&(a.open, a.refused, &b.network)));
        busiest.dedup();
        busiest.truncate(NAMED);
        GateState {
            name: self.name,
            open: state.open,
            total: self.limits.total,
            reserve: self.limits.reserve,
            refused: state.refused,
            busiest,
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut state = self.gate.state();
        state.open -= 1;
        let Some(address) = self.address else { return };
        give_back(&mut state.addresses, address);
        give_back(&mut state.networks, Network::of(address));
    }
}

fn give_back<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: K) {
    if let Some(count) = counts.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits =
        Limits { total: 10, reserve: 4, per_address: 2, per_network: 3, per_known_address: 5 };

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn an_address_and_its_network_get_their_share_and_no_more() {
        let gate = Gate::new("test", LIMITS);
        let first = gate.enter(ip("192.0.2.1")).expect("room");
        let _second = gate.enter(ip("::ffff:192.0.2.1")).expect("room");
        assert_eq!(gate.enter(ip("192.0.2.1")).err(), Some(Refusal::Address));
        let _third = gate.enter(ip("192.0.2.2")).expect("room");
        assert_eq!(gate.enter(ip("192.0.2.3")).err(), Some(Refusal::Network));
        let _other = gate.enter(ip("198.51.100.1")).expect("others are not concerned");
        drop(first);
        gate.enter(ip("192.0.2.3")).expect("room again");
        let state = gate.report();
        assert_eq!((state.open, state.refused), (3, 2));
        let of = Busiest { network: "192.0.2.0/24".into(), open: 2, refused: 2 };
        assert_eq!(state.busiest[0], of);
    }

    #[test]
    fn strangers_leave_the_reserve_to_addresses_that_are_known() {
        let gate = Gate::new("test", LIMITS);
        let strangers: Vec<_> =
            (0..6u8).map(|n| gate.enter(IpAddr::from([203, 0, n, 1])).expect("room")).collect();
        assert_eq!(gate.enter(ip("192.0.2.1")).err(), Some(Refusal::Full));
        gate.know(ip("192.0.2.1"));
        let known: Vec<_> = (0..4).map(|_| gate.enter(ip("192.0.2.1")).expect("the reserve")).collect();
        assert_eq!(gate.enter(ip("192.0.2.1")).err(), Some(Refusal::Full));
        assert!(gate.is_busy());
        drop((strangers, known));
        assert_eq!(gate.report().open, 0);
        assert!(!gate.is_busy());
    }

    #[test]
    fn a_proxy_is_counted_in_the_total_only() {
        let gate = Gate::new("test", LIMITS);
        let all: Vec<_> = (0..10).map(|_| gate.enter_uncounted().expect("room")).collect();
        assert_eq!(gate.enter_uncounted().err(), Some(Refusal::Full));
        drop(all);
        assert_eq!(gate.report().open, 0);
    }
}
