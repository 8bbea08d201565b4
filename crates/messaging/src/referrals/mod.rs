//! Referrals as staff work on them: sending a draft as a referral, answering, and the list of those that are followed.

pub mod http;
pub mod sending;
