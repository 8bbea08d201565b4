//! Filing by intake rules, without a person: only if exactly one patient of the chart is certain, nothing differs, and
//! nobody works on the message. Everything else is left to people, with the reason.

pub mod digest;
mod dry_run;
mod http;
mod judging;
mod queries;
mod step;
mod types;

pub use http::api;
pub use step::FileByRule;
