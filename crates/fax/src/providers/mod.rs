//! What makes the calls: one module for each kind of line.

pub mod embedded;
