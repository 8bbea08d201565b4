//! Admission control: limits and fair shares of scarce resources, so that a stranger or a noisy tenant slows nobody
//! else. A [`Gate`] counts the connections of addresses and networks, [`Shares`] the resources held by one session,
//! [`Buckets`] actions over time, and a [`Pool`] gives turns to waiting work of organizations and hosts.

mod buckets;
mod gate;
mod network;
mod party;
mod pool;
mod processor;
mod shares;

pub use buckets::{Buckets, Rate};
pub use gate::{Busiest, Gate, GateState, Limits, Pass, Refusal};
pub use network::Network;
pub use party::Party;
pub use pool::{BusyParty, Overloaded, Place, Pool, PoolState, Room};
pub use shares::{Share, Shares};
