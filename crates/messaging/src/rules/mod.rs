//! Intake rules: automatic actions of an organization on arriving messages.

pub mod arriving;
pub mod dry_run;
pub mod filing;
pub mod http;
pub mod queries;
pub mod terms;
pub mod types;

pub use arriving::{Applied, apply, record};
