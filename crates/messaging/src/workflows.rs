//! Workflows of this area: names, retry policies, and mapping of errors to step results.

use platform::App;
use std::time::Duration;
use workflow::{Policy, StepContext, StepError};

pub use workflow::names::{OPEN_MAIL, PREVIEW, RECEIVE, SEND, TRANSFORM};

/// Puts the delivery summary of a sent message in the Intake.
pub const SUMMARY: &str = "DeliverySummaryWorkflow";
/// Sends a file to the malware scanner.
pub const SCAN: &str = "MalwareScanWorkflow";
/// Reads the patient from a file.
pub const EXTRACTION: &str = "PatientExtractionWorkflow";
/// Reads a clinical document that could not be read on arrival.
pub const DESCRIPTION: &str = "DocumentDescriptionWorkflow";
/// Creates the files of an export or print job.
pub const EXPORT: &str = "ExportWorkflow";

/// Reads the pages of a file of a batch.
pub const TRIAGE_READ: &str = "TriageReadWorkflow";
/// Creates messages from the documents of a batch.
pub const TRIAGE_FILE: &str = "TriageFileWorkflow";

/// Performs an action on all matching messages.
pub const BULK: &str = "MessageBulkWorkflow";

/// Retries after an unexpected internal error.
pub fn platform_error(error: platform::Error) -> StepError {
    StepError::again(format!("{error:?}"))
}

/// Retries when the other side could not be reached or does not accept the mail now. By default after a minute, then at
/// growing intervals up to two hours, for about two days.
pub fn mail_later(app: &App, cx: &StepContext, reason: impl Into<String>) -> StepError {
    let first = chrono::Duration::seconds(app.config.direct.retry_seconds.into());
    let doubled = first * (1 << (cx.attempt() - 1).clamp(0, 7));
    StepError::Again { reason: reason.into(), after: Some(doubled.min(first * 120)) }
}

/// Policy of steps that hand over mail. A server may take five minutes for each answer, and ten for the end of the mail
/// (RFC 5321, section 4.5.3.2); a step that takes longer than all of them is tried again.
pub fn mail_policy() -> Policy {
    Policy { max_attempts: 30, deadline: Duration::from_secs(15 * 60), ..Policy::default() }
}

/// Policy of steps that use the converter, whose limit for each file is two minutes. A file that reaches the limit on a
/// busy machine is retried a few times, but not endlessly: it may be too large for any machine.
pub fn conversion_policy() -> Policy {
    Policy { max_attempts: 4, deadline: Duration::from_secs(10 * 60), ..Policy::default() }
}
