//! The durable work of this area.

pub mod activation;
mod attach;
pub mod fax;
pub mod intake;
pub mod notices;
pub mod receive;
pub mod send;
pub mod summary;

use crate::{attachments::preview, direct::DirectServices};
use platform::App;
use workflow::{Registry, StepContext, StepError};

/// A message on its way out.
pub const SEND: &str = "MessageSendWorkflow";
/// A mail that came in.
pub const RECEIVE: &str = "MessageReceiveWorkflow";
/// What became of a sent message, on its way into the Intake.
pub const SUMMARY: &str = "DeliverySummaryWorkflow";
/// The conversion of one file to PDF.
pub const PREVIEW: &str = "AttachmentPreviewWorkflow";
/// What an organization needs once it is activated. Enqueued by the console.
pub const ACTIVATION: &str = "OrganizationActivationWorkflow";

/// All steps by the names under which they are stored.
pub fn registry(app: &App, direct: &DirectServices) -> Registry {
    let (app, direct) = (app.clone(), direct.clone());
    Registry::new()
        .with(SEND, send::DELIVER, send::Deliver { app: app.clone(), direct: direct.clone() })
        .with(SEND, send::AWAIT, send::AwaitNotices { app: app.clone() })
        .with(SEND, fax::RENDER, fax::RenderFax { app: app.clone() })
        .with(SEND, fax::SUBMIT, fax::SubmitFax { app: app.clone() })
        .with(SEND, fax::FOLLOW, fax::FollowFax { app: app.clone() })
        .with(RECEIVE, crate::fax::arrivals::OPEN, crate::fax::arrivals::OpenFax { app: app.clone() })
        .with(RECEIVE, receive::OPEN, receive::Open { app: app.clone(), direct: direct.clone() })
        .with(RECEIVE, notices::NOTIFY, notices::SendNotices { app: app.clone(), direct })
        .with(SUMMARY, summary::MAKE, summary::MakeSummary { app: app.clone() })
        .with(PREVIEW, preview::MAKE, preview::MakePreview(app.clone()))
        .with(ACTIVATION, activation::ISSUE, activation::IssueCertificate { app: app.clone() })
        .with(ACTIVATION, activation::ADDRESS, activation::CreateRecordsAddress { app })
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

pub const MAIL_ATTEMPTS: i32 = 30;
