//! Messages that are not out yet or did not arrive, recipient by recipient, and what can be done about them.

pub mod http;
mod queries;
