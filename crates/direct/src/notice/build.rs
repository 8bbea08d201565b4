//! Writing notices.

use chrono::{DateTime, Utc};
use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::raw::Raw;
use mail_builder::mime::{BodyPart, MimePart};

use super::{Disposition, DsnDraft, MdnDraft};
use crate::DirectAddress;
use crate::mime::build::{checked, one_line, write};
use crate::mime::{FINAL_DESTINATION_DELIVERY, MimeError};

pub(super) fn mdn(draft: &MdnDraft) -> Result<Vec<u8>, MimeError> {
    let mut fields = vec![
        ("Reporting-UA", draft.reporting_agent.clone()),
        ("Final-Recipient", format!("rfc822;{}", draft.from)),
        ("Original-Message-ID", bracketed(&draft.original_message_id)),
        ("Disposition", format!("automatic-action/MDN-sent-automatically;{}", draft.disposition.as_str())),
    ];
    if draft.final_destination_delivery {
        fields.push((FINAL_DESTINATION_DELIVERY, "true".into()));
    }
    let explanation = match draft.explanation.is_empty() {
        true => standard_sentence(&draft.disposition),
        false => &draft.explanation,
    };
    let parts = vec![
        MimePart::new("text/plain", explanation),
        report_part("message/disposition-notification", field_block(&fields)),
    ];
    let head = Head {
        from: &draft.from,
        to: &draft.to,
        date: draft.date,
        message_id: &draft.message_id,
        original: &draft.original_message_id,
        subject: subject(&draft.disposition),
    };
    write(head.builder()?.body(report("disposition-notification", parts)))
}

pub(super) fn dsn(draft: &DsnDraft) -> Result<Vec<u8>, MimeError> {
    let mut per_message = vec![
        ("Reporting-MTA", format!("dns;{}", draft.reporting_mta)),
        ("X-Original-Message-ID", bracketed(&draft.original_message_id)),
    ];
    if draft.final_destination_delivery {
        per_message.push((FINAL_DESTINATION_DELIVERY, "true".into()));
    }
    let mut status = field_block(&per_message);
    let mut text = String::from("Your message could not be delivered to:\n\n");
    for failed in &draft.failed {
        text.push_str(&format!("{}\n    {}\n", failed.recipient, one_line(&failed.diagnostic)));
        status.push_str("\r\n");
        status.push_str(&field_block(&[
            ("Final-Recipient", format!("rfc822;{}", failed.recipient)),
            ("Action", "failed".into()),
            ("Status", failed.status.clone()),
            ("Diagnostic-Code", format!("smtp;{}", failed.diagnostic)),
        ]));
    }
    let original = field_block(&[("Message-ID", bracketed(&draft.original_message_id))]);
    let parts = vec![
        MimePart::new("text/plain", text),
        report_part("message/delivery-status", status),
        report_part("text/rfc822-headers", original),
    ];
    let head = Head {
        from: &draft.from,
        to: &draft.to,
        date: draft.date,
        message_id: &draft.message_id,
        original: &draft.original_message_id,
        subject: "Message could not be delivered",
    };
    write(head.builder()?.body(report("delivery-status", parts)))
}

struct Head<'a> {
    from: &'a DirectAddress,
    to: &'a DirectAddress,
    date: DateTime<Utc>,
    message_id: &'a str,
    original: &'a str,
    subject: &'a str,
}

impl<'a> Head<'a> {
    fn builder(&self) -> Result<MessageBuilder<'a>, MimeError> {
        Ok(MessageBuilder::new()
            .from(Address::new_address(None::<&str>, self.from.as_str()))
            .to(Address::new_address(None::<&str>, self.to.as_str()))
            .date(Date::new(self.date.timestamp()))
            .message_id(MessageId::new(checked("Message-ID", self.message_id)?))
            .in_reply_to(MessageId::new(checked("Original-Message-ID", self.original)?))
            .header("Auto-Submitted", Raw::new("auto-replied"))
            .subject(self.subject))
    }
}

fn report<'a>(kind: &'a str, parts: Vec<MimePart<'a>>) -> MimePart<'a> {
    MimePart::new(ContentType::new("multipart/report").attribute("report-type", kind), parts)
}

fn report_part(kind: &str, fields: String) -> MimePart<'_> {
    MimePart::new(kind, BodyPart::Binary(fields.into_bytes().into())).transfer_encoding("7bit")
}

/// Fields as lines; characters other than printable ASCII are replaced, so that no value can add a field.
fn field_block(fields: &[(&str, String)]) -> String {
    let clean = |value: &str| -> String {
        value.chars().map(|c| if c.is_ascii() && !c.is_ascii_control() { c } else { '?' }).collect()
    };
    fields.iter().map(|(name, value)| format!("{name}: {}\r\n", clean(value))).collect()
}

fn bracketed(id: &str) -> String {
    format!("<{id}>")
}

fn subject(disposition: &Disposition) -> &'static str {
    match disposition {
        Disposition::Processed => "Processed",
        Disposition::Dispatched => "Dispatched",
        Disposition::Failed => "Failed",
        Disposition::Other(_) => "Disposition notification",
    }
}

fn standard_sentence(disposition: &Disposition) -> &'static str {
    match disposition {
        Disposition::Processed => "Your message has been processed by the recipient's system.",
        Disposition::Dispatched => "Your message has been delivered to its final destination.",
        Disposition::Failed => "Your message could not be delivered to its final destination.",
        Disposition::Other(_) => "This is a notification about your message.",
    }
}
