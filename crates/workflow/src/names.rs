//! Names of workflows and steps that several areas use: the area that runs them, and the console, which lists, counts and
//! retries them. All other names are in their area.

use crate::{Lane, StepType};

/// Sends a message.
pub const SEND: &str = "MessageSendWorkflow";
/// Receives a mail, a fax, or what an interface sends.
pub const RECEIVE: &str = "MessageReceiveWorkflow";
/// Converts a file to PDF.
pub const PREVIEW: &str = "AttachmentPreviewWorkflow";
/// Converts a file in place.
pub const TRANSFORM: &str = "AttachmentConversionWorkflow";

/// Hands a message over to some of its recipients.
pub const DELIVER: StepType = StepType::new("Deliver", Lane::Delivering).through("Direct").called("Deliver");
/// Renders the pages of a fax.
pub const RENDER_FAX: StepType =
    StepType::new("RenderFax", Lane::Conversion).through("Fax").called("Render the fax");
/// Hands a fax over to the provider.
pub const SUBMIT_FAX: StepType =
    StepType::new("SubmitFax", Lane::Delivering).through("Fax").called("Submit the fax");
/// Waits for the provider's result of a fax.
pub const FOLLOW_FAX: StepType =
    StepType::new("FollowFax", Lane::Delivering).through("Fax").called("Follow the fax");
/// Waits for what the recipients of a message report.
pub const AWAIT_NOTICES: StepType = StepType::new("AwaitNotices", Lane::Chores).called("Await the notices");

/// Opens a mail.
pub const OPEN_MAIL: StepType =
    StepType::new("Open", Lane::Receiving).through("Direct").called("Open the mail");
/// Opens a fax.
pub const OPEN_FAX: StepType =
    StepType::new("OpenFax", Lane::Conversion).through("Fax").called("Open the fax");
/// Opens what came through an interface.
pub const OPEN_INTERFACE: StepType =
    StepType::new("OpenInterface", Lane::Receiving).through("Interface").called("Open the interface message");
/// Sends the delivery notices of a received message.
pub const NOTIFY: StepType = StepType::new("Notify", Lane::Notices).called("Send the notices");

/// The steps of workflows that send and receive messages.
pub const OF_MESSAGES: [StepType; 9] =
    [DELIVER, RENDER_FAX, SUBMIT_FAX, FOLLOW_FAX, AWAIT_NOTICES, OPEN_MAIL, OPEN_FAX, OPEN_INTERFACE, NOTIFY];
/// The steps with which a message has been received.
pub const RECEIVED: [StepType; 3] = [OPEN_MAIL, OPEN_FAX, OPEN_INTERFACE];
/// The steps with which a message has been sent.
pub const SENT: [StepType; 2] = [DELIVER, FOLLOW_FAX];
