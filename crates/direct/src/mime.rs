//! Plain messages: building, parsing, and distinguishing notices from messages.

pub(crate) mod build;
mod charset;
pub(crate) mod encoding;
pub(crate) mod entity;
mod parse;
mod tnef;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use uuid::Uuid;

pub use parse::parse;

use crate::DirectAddress;
use crate::address::Mailbox;

/// Header that asks for notices of final delivery (Delivery Notification Implementation Guide 1.3).
pub const DISPOSITION_NOTIFICATION_OPTIONS: &str = "Disposition-Notification-Options";
/// Name of the option and of the extension field in notices.
pub const FINAL_DESTINATION_DELIVERY: &str = "X-DIRECT-FINAL-DESTINATION-DELIVERY";

/// A message to be sent, before it is wrapped, signed and encrypted. It does not contain Bcc recipients: each gets a
/// separate transmission ([`OutgoingMessage::blind_copy_for`]).
#[derive(Debug, Clone)]
pub struct OutgoingMessage {
    /// Author; also the SMTP sender.
    pub from: Mailbox,
    /// To recipients.
    pub to: Vec<Mailbox>,
    /// Cc recipients.
    pub cc: Vec<Mailbox>,
    /// Subject; never leaves unencrypted.
    pub subject: String,
    /// Date header.
    pub date: DateTime<Utc>,
    /// Message-ID without angle brackets; see [`new_message_id`]. Stays the same over resends.
    pub message_id: String,
    /// Message-ID of the message this one replies to, without angle brackets.
    pub in_reply_to: Option<String>,
    /// Message-IDs of the conversation, oldest first, without angle brackets.
    pub references: Vec<String>,
    /// Request a notice of delivery to the final destination.
    pub request_delivery_notice: bool,
    /// Plain text body.
    pub text: String,
    /// HTML body beside the plain one.
    pub html: Option<String>,
    /// Attached files.
    pub attachments: Vec<Attachment>,
    /// Other headers, such as `X-DIRECT-CONTEXT`; names and values are checked for line breaks.
    pub extra_headers: Vec<(String, String)>,
}

impl OutgoingMessage {
    /// A plain message without subject, text and attachments.
    pub fn new(from: Mailbox, to: Vec<Mailbox>, date: DateTime<Utc>, message_id: String) -> Self {
        Self {
            from,
            to,
            cc: vec![],
            subject: String::new(),
            date,
            message_id,
            in_reply_to: None,
            references: vec![],
            request_delivery_notice: false,
            text: String::new(),
            html: None,
            attachments: vec![],
            extra_headers: vec![],
        }
    }

    /// The copy for a Bcc recipient, who is in its Cc header, because every SMTP recipient must be in To or Cc of the
    /// inner message. Nobody else gets this copy. It needs its own Message-ID.
    pub fn blind_copy_for(&self, recipient: Mailbox, message_id: String) -> Self {
        let mut copy = self.clone();
        copy.cc.push(recipient);
        copy.message_id = message_id;
        copy
    }

    /// The MIME bytes: 7-bit, CRLF line ends, ready to be signed.
    pub fn build(&self) -> Result<Vec<u8>, MimeError> {
        build::build(self)
    }
}

/// A file of a message. Cloning shares the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// File name, any Unicode; none when the sender gave none.
    pub file_name: Option<String>,
    /// Media type, such as `application/pdf`, lower case, without parameters.
    pub content_type: String,
    /// Content-ID without angle brackets, when other parts refer to it.
    pub content_id: Option<String>,
    /// Decoded content.
    pub content: Bytes,
}

/// Globally unique Message-ID, without angle brackets: `<uuid>@<domain of the sender>`.
pub fn new_message_id(unique: Uuid, sender: &DirectAddress) -> String {
    format!("{}@{}", unique.as_simple(), sender.domain())
}

/// Limits for parsing.
#[derive(Debug, Clone, Copy)]
pub struct MimeLimits {
    /// Largest message, in bytes.
    pub size: usize,
    /// Most MIME parts.
    pub parts: usize,
    /// Deepest nesting of multiparts and enclosed messages.
    pub depth: usize,
    /// Largest header block of one message or part, in bytes.
    pub header: usize,
    /// Most lines of one header block.
    pub header_lines: usize,
}

impl Default for MimeLimits {
    fn default() -> Self {
        Self { size: 64 << 20, parts: 500, depth: 20, header: 256 << 10, header_lines: 4_000 }
    }
}

/// Why a message cannot be built or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MimeError {
    /// Larger than the limit.
    #[error("the message is too large")]
    TooLarge,
    /// More parts, deeper nesting or larger headers than the limits.
    #[error("the message has too many parts or levels")]
    TooComplex,
    /// Not a message at all.
    #[error("the message cannot be read")]
    Unreadable,
    /// A header of a message to be built contains a line break or an invalid name.
    #[error("the header {0} is not acceptable")]
    BadHeader(String),
}

/// A parsed message.
#[derive(Debug, Clone)]
pub struct ParsedMessage {
    /// The decoded headers.
    pub headers: MessageHeaders,
    /// Plain text body, or otherwise the text of the HTML body.
    pub text: String,
    /// HTML body as sent, untrusted.
    pub html: Option<String>,
    /// Attached files, in order. An enclosed message is an attachment of type `message/rfc822`, followed by its
    /// files; `winmail.dat` is replaced by its contents.
    pub attachments: Vec<Attachment>,
    /// Defects of the message; text and files were recovered as far as possible.
    pub repairs: Vec<Repair>,
    /// Message, or notice.
    pub kind: MessageKind,
}

/// A defect that was repaired while reading. The messages are shown to people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Repair {
    /// The transfer encoding of the named file, or of the text if there is no name.
    #[error("{} was damaged in transit; only the readable part is shown.", file_or_text(.0))]
    Encoding(Option<String>),
    /// The text has bytes that are invalid in its character set.
    #[error("The text does not match its character set; some letters may be wrong.")]
    CharacterSet,
    /// The boundary between the parts was not the one in the header.
    #[error("The parts of the message are marked incorrectly and were separated by their appearance.")]
    Boundary,
    /// A truncated or inconsistent `winmail.dat`.
    #[error("The winmail.dat of the message is damaged; only the readable part is shown.")]
    Winmail,
}

fn file_or_text(name: &Option<String>) -> String {
    name.as_ref().map_or("The text".into(), |name| format!("The file \u{201C}{name}\u{201D}"))
}

/// Kind of a message, by its media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// A message of a person or system.
    Message,
    /// `multipart/report; report-type=disposition-notification`.
    DispositionNotification,
    /// `multipart/report; report-type=delivery-status`.
    DeliveryStatus,
}

/// Headers of a message.
#[derive(Debug, Clone, Default)]
pub struct MessageHeaders {
    /// From; none when missing or not a Direct address.
    pub from: Option<Mailbox>,
    /// Sender, when it differs from From.
    pub sender: Option<Mailbox>,
    /// Reply-To.
    pub reply_to: Vec<Mailbox>,
    /// To.
    pub to: Vec<Mailbox>,
    /// Cc.
    pub cc: Vec<Mailbox>,
    /// Subject, decoded.
    pub subject: String,
    /// Date header.
    pub date: Option<DateTime<Utc>>,
    /// Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// In-Reply-To without angle brackets.
    pub in_reply_to: Vec<String>,
    /// References without angle brackets.
    pub references: Vec<String>,
    /// Disposition-Notification-To.
    pub disposition_notification_to: Vec<Mailbox>,
    /// All headers in order, name as written, value unfolded and as sent.
    pub all: Vec<(String, String)>,
}

impl MessageHeaders {
    /// First header of that name, unfolded, as sent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}
