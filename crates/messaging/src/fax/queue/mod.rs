//! Queue of faxes to unknown numbers, for a decision by operators.

pub mod http;
