//! Charts of patients in connected EHRs: finding the patient of a message there, filing its documents, and taking them
//! back. What is filed is a row of [`store::entities::chart_filing`], written with its workflow in one transaction, so
//! that a document is filed once, whatever happens meanwhile.

pub mod by_rule;
mod failures;
mod filing;
mod finding;
mod http;
mod queries;
mod steps;
mod types;

use platform::api::Api;
pub use steps::{FILE, FileDocument, WITHDRAW, WithdrawDocument};

/// Files a document into a chart, or takes it back.
pub const WORKFLOW: &str = "ChartFilingWorkflow";

pub fn api() -> Api {
    http::api().merge(by_rule::api())
}
