//! The crate's guarantees, checked with other programs.

mod signing;
mod stamps;
mod support;
mod targets;
