//! Intake rules: what an organization has done with messages by itself when they arrive.

pub mod arriving;
pub mod dry_run;
pub mod http;
pub mod queries;
pub mod terms;

pub use arriving::{Applied, apply, record};
