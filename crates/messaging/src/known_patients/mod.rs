//! Patients known to the organization (crate `patients`) by its messages: the index follows each message
//! ([`crate::indexes::patient_links`]), arriving messages take over a patient who is certainly the same
//! ([`crate::matching::link`]), and earlier messages are added to the index ([`backfill`]).

pub mod backfill;
pub mod differs;
pub mod http;
pub mod set;
mod unindexed;
