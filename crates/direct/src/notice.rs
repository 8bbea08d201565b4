//! Notices: disposition notifications (MDN, RFC 8098) and delivery status notifications (DSN, RFC 3464) according to
//! the Applicability Statement 3 and the Delivery Notification Implementation Guide.

mod build;
mod read;

use chrono::{DateTime, Utc};

pub use read::{asked_notices, read_notice};

use crate::DirectAddress;
use crate::mime::MimeError;

/// Disposition type of a disposition notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disposition {
    /// Decrypted and trusted by the receiving system.
    Processed,
    /// Handed to the final destination.
    Dispatched,
    /// Could not be handed to the final destination.
    Failed,
    /// Any other type (`displayed`, `deleted` ...), lower case.
    Other(String),
}

impl Disposition {
    /// The disposition type on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Processed => "processed",
            Self::Dispatched => "dispatched",
            Self::Failed => "failed",
            Self::Other(word) => word,
        }
    }
}

/// A disposition notification to be sent: from the recipient of the message to its sender.
#[derive(Debug, Clone)]
pub struct MdnDraft {
    /// The recipient on whose behalf the notice is sent; also Final-Recipient.
    pub from: DirectAddress,
    /// The sender of the message.
    pub to: DirectAddress,
    /// Message-ID of the notice, without angle brackets.
    pub message_id: String,
    /// Date of the notice.
    pub date: DateTime<Utc>,
    /// Message-ID of the message, without angle brackets.
    pub original_message_id: String,
    /// The disposition.
    pub disposition: Disposition,
    /// Carry the extension field `X-DIRECT-FINAL-DESTINATION-DELIVERY`; for dispatched and failed.
    pub final_destination_delivery: bool,
    /// Readable text; a standard sentence when empty. Must not contain patient data.
    pub explanation: String,
    /// `Reporting-UA`: domain and product, such as `direct.example; Carepost`.
    pub reporting_agent: String,
}

impl MdnDraft {
    /// The message bytes, ready for [`crate::smime::seal`]; `Subject` is that of the disposition.
    pub fn build(&self) -> Result<Vec<u8>, MimeError> {
        build::mdn(self)
    }
}

/// A delivery status notification `failed` to be sent or shown.
#[derive(Debug, Clone)]
pub struct DsnDraft {
    /// Sender of the notice, such as `postmaster@direct.example`, or the recipient towards another system.
    pub from: DirectAddress,
    /// The sender of the message.
    pub to: DirectAddress,
    /// Message-ID of the notice, without angle brackets.
    pub message_id: String,
    /// Date of the notice.
    pub date: DateTime<Utc>,
    /// Message-ID of the message, without angle brackets.
    pub original_message_id: String,
    /// Name of the reporting system, such as `direct.example`.
    pub reporting_mta: String,
    /// Failed recipients with reasons.
    pub failed: Vec<FailedRecipient>,
    /// Carry the extension field `X-DIRECT-FINAL-DESTINATION-DELIVERY`.
    pub final_destination_delivery: bool,
}

/// A recipient that a message did not reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRecipient {
    /// The recipient.
    pub recipient: DirectAddress,
    /// Enhanced status code (RFC 3463), such as `5.1.1`.
    pub status: String,
    /// Diagnostic text of the other side or of this one; one line.
    pub diagnostic: String,
}

impl DsnDraft {
    /// The message bytes.
    pub fn build(&self) -> Result<Vec<u8>, MimeError> {
        build::dsn(self)
    }
}

/// A notice that arrived. Matched to a transmission by original Message-ID and final recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Disposition notification.
    Mdn(MdnReport),
    /// Delivery status notification.
    Dsn(DsnReport),
}

/// Fields of a disposition notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MdnReport {
    /// Message-ID of the message it is about, without angle brackets.
    pub original_message_id: Option<String>,
    /// Recipient that the notice is about; taken from the From header when the field is missing.
    pub final_recipient: Option<DirectAddress>,
    /// The disposition.
    pub disposition: Disposition,
    /// Text of the failure, if a modifier or an Error field reports one.
    pub error: Option<String>,
    /// Whether the extension field for final delivery is present.
    pub final_destination_delivery: bool,
    /// Readable part.
    pub explanation: String,
}

/// Fields of a delivery status notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DsnReport {
    /// Message-ID of the message it is about, without angle brackets, from any place in the report.
    pub original_message_id: Option<String>,
    /// One entry per recipient.
    pub recipients: Vec<DsnRecipient>,
    /// Readable part.
    pub explanation: String,
}

/// One recipient of a delivery status notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DsnRecipient {
    /// Final-Recipient.
    pub recipient: DirectAddress,
    /// Action.
    pub action: DsnAction,
    /// Status, such as `5.1.1`.
    pub status: String,
    /// Diagnostic-Code without its type, when there is one.
    pub diagnostic: Option<String>,
}

/// Action of a delivery status notification (RFC 3464 2.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DsnAction {
    /// Not delivered, given up.
    Failed,
    /// Not delivered yet.
    Delayed,
    /// Delivered.
    Delivered,
    /// Forwarded to a system without notices.
    Relayed,
    /// Delivered and forwarded.
    Expanded,
}

/// The notices that a receiving system which trusts the sender must send for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedNotices {
    /// Send `processed`: for every message that is not a notice.
    pub processed: bool,
    /// Send `dispatched` after final delivery, or a failure notice if that fails: requested by a valid
    /// `Disposition-Notification-Options` header.
    pub dispatched: bool,
}
