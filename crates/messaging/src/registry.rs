//! The steps of the workflows by name. Each step is defined in its feature's module.

use crate::{
    attachments::{convert, describe, extract, preview, scan},
    bulk, charts,
    deliveries::awaiting,
    direct::{DirectServices, activation, notices},
    exports,
    fax::{arrivals, sending::steps as fax},
    intake::receive,
    interfaces::open,
    release::{deliver, summary_workflow},
    rules::filing as rule_filing,
    signatures, triage,
    workflows::{
        BULK, DESCRIPTION, EXPORT, EXTRACTION, OPEN_MAIL, PREVIEW, RECEIVE, SCAN, SEND, SUMMARY, TRANSFORM,
        TRIAGE_FILE, TRIAGE_READ,
    },
};
use accounts::onboarding::activation::{ACTIVATION, CREATE_RECORDS_ADDRESS, ISSUE_CERTIFICATE};
use platform::App;
use std::sync::Arc;
use workflow::{Registry, names};

/// All steps by their database names.
pub fn registry(app: &App, direct: &DirectServices) -> Registry {
    let (app, direct) = (app.clone(), direct.clone());
    Registry::new()
        .with(SEND, names::DELIVER, deliver::Deliver { app: app.clone(), direct: direct.clone() })
        .with(SEND, names::AWAIT_NOTICES, awaiting::AwaitNotices { app: app.clone() })
        .with(SEND, names::RENDER_FAX, fax::RenderFax { app: app.clone() })
        .with(SEND, names::SUBMIT_FAX, fax::SubmitFax { app: app.clone() })
        .with(SEND, names::FOLLOW_FAX, fax::FollowFax { app: app.clone() })
        .with(RECEIVE, names::OPEN_FAX, arrivals::OpenFax { app: app.clone() })
        .with(RECEIVE, OPEN_MAIL, receive::Open { app: app.clone(), direct: direct.clone() })
        .with(RECEIVE, names::OPEN_INTERFACE, open::OpenInterface { app: app.clone() })
        .with(RECEIVE, names::NOTIFY, notices::SendNotices { app: app.clone(), direct })
        .with(SUMMARY, summary_workflow::MAKE, summary_workflow::MakeSummary { app: app.clone() })
        .with(TRIAGE_READ, triage::READ_FILE, triage::ReadFile { app: app.clone() })
        .with(TRIAGE_FILE, triage::FILE_PART, triage::FilePart { app: app.clone() })
        .with(BULK, bulk::COLLECT, bulk::CollectMessages { app: app.clone() })
        .with(BULK, bulk::ACT, bulk::ActOnMessages { app: app.clone() })
        .with(SCAN, scan::SCAN_FILE, scan::ScanFile(app.clone()))
        .with(PREVIEW, preview::MAKE, preview::MakePreview(app.clone()))
        .with(TRANSFORM, convert::CONVERT, convert::ConvertAttachment(app.clone()))
        .with(DESCRIPTION, describe::DESCRIBE, describe::DescribeDocument(app.clone()))
        .with(EXPORT, exports::MAKE, exports::MakeExport(app.clone()))
        .with(charts::WORKFLOW, charts::FILE, charts::FileDocument(app.clone()))
        .with(charts::WORKFLOW, charts::WITHDRAW, charts::WithdrawDocument(app.clone()))
        .with(rule_filing::WORKFLOW, rule_filing::FILE_BY_RULE, charts::by_rule::FileByRule(app.clone()))
        .with(
            signatures::WORKFLOW,
            signatures::MAKE,
            signatures::MakeSignedPdf {
                app: app.clone(),
                signer: Arc::new(signatures::Embedded(app.clone())),
            },
        )
        .with(EXTRACTION, extract::EXTRACT, extract::ExtractPatient(app.clone()))
        .with(EXTRACTION, extract::READ, extract::ExtractPatient(app.clone()))
        .with(ACTIVATION, ISSUE_CERTIFICATE, activation::IssueCertificate { app: app.clone() })
        .with(ACTIVATION, CREATE_RECORDS_ADDRESS, activation::CreateRecordsAddress { app })
}
