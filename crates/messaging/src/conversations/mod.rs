//! Referrals whose loop is followed until it is closed (IHE PCC 360X), over Direct.

pub mod arriving;
pub mod http;
pub mod queries;
pub mod rules;
pub mod sending;
