//! Work on referrals: sending a draft as a referral, answering, and the list of tracked ones.

pub mod http;
pub mod sending;
pub mod types;
