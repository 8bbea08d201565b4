//! Admission control: who may take how much of something that there is little of, so that a stranger or a noisy tenant
//! slows nobody but themselves. A [`Gate`] counts what is held at the same time, [`Buckets`] count what is done over time,
//! and a [`Network`] is whose attempts are counted together.

mod buckets;
mod gate;
mod network;
mod shares;

pub use buckets::{Buckets, Rate};
pub use gate::{Busiest, Gate, GateState, Limits, Pass, Refusal};
pub use network::Network;
pub use shares::{Share, Shares};
