//! The names of this area's workflows, and which step runs for which name. The steps are beside the features they
//! serve.

use crate::{
    attachments::{convert, describe, extract, preview, scan},
    direct::{DirectServices, activation, notices},
    fax::{arrivals, sending::steps as fax},
    intake::receive,
    interfaces::open,
    messages::jobs,
    release::{deliver, delivery_summary},
    tasks, triage,
};
use accounts::onboarding::activation::{ACTIVATION, CREATE_RECORDS_ADDRESS, ISSUE_CERTIFICATE};
use platform::App;
use std::time::Duration;
use workflow::{Policy, Registry, StepContext, StepError};

pub use workflow::names::{PREVIEW, RECEIVE, SEND, TRANSFORM};

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

/// Every step under its name in the database.
pub fn registry(app: &App, direct: &DirectServices) -> Registry {
    let (app, direct) = (app.clone(), direct.clone());
    Registry::new()
        .with(SEND, deliver::DELIVER, deliver::Deliver { app: app.clone(), direct: direct.clone() })
        .with(SEND, deliver::AWAIT, deliver::AwaitNotices { app: app.clone() })
        .with(SEND, fax::RENDER, fax::RenderFax { app: app.clone() })
        .with(SEND, fax::SUBMIT, fax::SubmitFax { app: app.clone() })
        .with(SEND, fax::FOLLOW, fax::FollowFax { app: app.clone() })
        .with(RECEIVE, arrivals::OPEN, arrivals::OpenFax { app: app.clone() })
        .with(RECEIVE, receive::OPEN, receive::Open { app: app.clone(), direct: direct.clone() })
        .with(RECEIVE, open::OPEN, open::OpenInterface { app: app.clone() })
        .with(RECEIVE, notices::NOTIFY, notices::SendNotices { app: app.clone(), direct })
        .with(SUMMARY, delivery_summary::MAKE, delivery_summary::MakeSummary { app: app.clone() })
        .with(TRIAGE_READ, triage::READ_FILE, triage::ReadFile { app: app.clone() })
        .with(TRIAGE_FILE, triage::FILE_PART, triage::FilePart { app: app.clone() })
        .with(BULK, jobs::COLLECT, jobs::CollectMessages { app: app.clone() })
        .with(BULK, jobs::ACT, jobs::ActOnMessages { app: app.clone() })
        .with(SCAN, scan::SCAN_FILE, scan::ScanFile(app.clone()))
        .with(PREVIEW, preview::MAKE, preview::MakePreview(app.clone()))
        .with(TRANSFORM, convert::CONVERT, convert::ConvertAttachment(app.clone()))
        .with(DESCRIPTION, describe::DESCRIBE, describe::DescribeDocument(app.clone()))
        .with(EXPORT, tasks::MAKE, tasks::MakeExport(app.clone()))
        .with(EXTRACTION, extract::EXTRACT, extract::ExtractPatient(app.clone()))
        .with(EXTRACTION, extract::READ, extract::ExtractPatient(app.clone()))
        .with(ACTIVATION, ISSUE_CERTIFICATE, activation::IssueCertificate { app: app.clone() })
        .with(ACTIVATION, CREATE_RECORDS_ADDRESS, activation::CreateRecordsAddress { app })
}

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
