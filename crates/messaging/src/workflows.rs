//! The names of this area's workflows, how often their steps are tried, and how errors become ends of steps.

use platform::App;
use std::time::Duration;
use workflow::{Policy, StepContext, StepError};

pub use workflow::names::{OPEN as OPEN_MAIL, PREVIEW, RECEIVE, SEND, TRANSFORM};

/// Puts the delivery summary of a sent message into the Intake.
pub const SUMMARY: &str = "DeliverySummaryWorkflow";
/// Shows a file to the malware scanner.
pub const SCAN: &str = "MalwareScanWorkflow";
/// Reads the patient from a file.
pub const EXTRACTION: &str = "PatientExtractionWorkflow";
/// Reads a clinical document again that could not be read when it came.
pub const DESCRIPTION: &str = "DocumentDescriptionWorkflow";
/// Makes the files of an export or print.
pub const EXPORT: &str = "ExportWorkflow";

/// Looks at the pages of a file of a batch.
pub const TRIAGE_READ: &str = "TriageReadWorkflow";
/// Makes messages of the documents of a batch.
pub const TRIAGE_FILE: &str = "TriageFileWorkflow";

/// Does one act on all messages that match.
pub const BULK: &str = "MessageBulkWorkflow";

/// An unexpected error of the product itself is tried again.
pub fn platform_error(error: platform::Error) -> StepError {
    StepError::again(format!("{error:?}"))
}

/// The other side could not be reached, or does not want the mail now. By default that is tried again after a minute,
/// then after longer and longer times up to two hours, for about two days.
pub fn mail_later(app: &App, cx: &StepContext, reason: impl Into<String>) -> StepError {
    let first = chrono::Duration::seconds(app.config.direct.retry_seconds.into());
    let doubled = first * (1 << (cx.attempt() - 1).clamp(0, 7));
    StepError::Again { reason: reason.into(), after: Some(doubled.min(first * 120)) }
}

/// For steps that hand mail over. A server may take five minutes for each answer, and ten for the end of the mail
/// (RFC 5321 4.5.3.2); one that takes longer for all of them is tried again.
pub fn mail_policy() -> Policy {
    Policy { max_attempts: 30, deadline: Duration::from_secs(15 * 60), ..Policy::default() }
}

/// For steps that wait for the converter, whose limit for each file is two minutes. A file that meets that limit on a
/// busy machine is tried a few times; one that is too heavy for any machine is not.
pub fn conversion_policy() -> Policy {
    Policy { max_attempts: 4, deadline: Duration::from_secs(10 * 60), ..Policy::default() }
}
