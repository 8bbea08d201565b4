//! The patients whom the organization knows (crate `patients`), as its messages tell of them: the index follows each message
//! ([`follow`]), what arrives takes over who it certainly is ([`link`]), and what existed before the index is brought into it
//! ([`backfill`]).

pub mod backfill;
pub mod differs;
pub mod http;
pub mod set;
mod unindexed;
