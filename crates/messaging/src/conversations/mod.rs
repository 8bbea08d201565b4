//! Closed-loop referrals (IHE PCC 360X) over Direct: rows, rules, and arriving messages.

pub mod arriving;
pub mod queries;
pub mod rules;
pub mod types;

/// The type of these conversations.
pub const KIND: &str = "360x";
