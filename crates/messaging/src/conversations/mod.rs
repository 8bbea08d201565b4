//! Referrals whose loop is followed until it is closed (IHE PCC 360X), over Direct: their rows, their rules, and the messages
//! of them that arrive.

pub mod arriving;
pub mod queries;
pub mod rules;
pub mod types;

/// The type of these conversations.
pub const KIND: &str = "360x";
