//! Admission control: who may take how much of something that there is little of, so that a stranger or a noisy tenant
//! slows nobody but themselves. A [`Gate`] counts the connections of addresses and networks, [`Shares`] what one session
//! holds, [`Buckets`] what is done over time, and a [`Pool`] is work that waits for its turn, of an organization or for a host.

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
