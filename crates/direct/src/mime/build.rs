//! Writing messages.

use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::raw::Raw;
use mail_builder::mime::{BodyPart, MimePart};

use super::encoding::encode_base64;
use super::{
    Attachment, DISPOSITION_NOTIFICATION_OPTIONS, FINAL_DESTINATION_DELIVERY, MimeError, OutgoingMessage,
};
use crate::address::Mailbox;

pub(super) fn build(message: &OutgoingMessage) -> Result<Vec<u8>, MimeError> {
    let mut builder = MessageBuilder::new()
        .from(address(&message.from))
        .date(Date::new(message.date.timestamp()))
        .message_id(MessageId::new(checked("Message-ID", &message.message_id)?))
        .subject(one_line(&message.subject));
    if !message.to.is_empty() {
        builder = builder.to(list(&message.to));
    }
    if !message.cc.is_empty() {
        builder = builder.cc(list(&message.cc));
    }
    if let Some(id) = &message.in_reply_to {
        builder = builder.in_reply_to(MessageId::new(checked("In-Reply-To", id)?));
    }
    if !message.references.is_empty() {
        for id in &message.references {
            checked("References", id)?;
        }
        builder = builder.references(MessageId::new_list(message.references.iter().map(String::as_str)));
    }
    if message.request_delivery_notice {
        builder = builder.header("Disposition-Notification-To", address(&message.from)).header(
            DISPOSITION_NOTIFICATION_OPTIONS,
            Raw::new(format!("{FINAL_DESTINATION_DELIVERY}=optional,true")),
        );
    }
    for (name, value) in &message.extra_headers {
        builder = builder.header(header_name(name)?, Raw::new(checked(name, value)?));
    }
    write(builder.body(body(message)))
}

pub(crate) fn write(builder: MessageBuilder<'_>) -> Result<Vec<u8>, MimeError> {
    builder.write_to_vec().map_err(|_| MimeError::Unreadable)
}

pub(crate) fn address(mailbox: &Mailbox) -> Address<'_> {
    Address::new_address(mailbox.name.as_deref().map(one_line), mailbox.address.as_str())
}

fn list(mailboxes: &[Mailbox]) -> Address<'_> {
    Address::new_list(mailboxes.iter().map(address).collect())
}

/// The body: plain text, or text and HTML as alternatives; with attached files, a multipart/mixed.
fn body(message: &OutgoingMessage) -> MimePart<'_> {
    let text = MimePart::new("text/plain", message.text.as_str());
    let readable = match &message.html {
        None => text,
        Some(html) => {
            MimePart::new("multipart/alternative", vec![text, MimePart::new("text/html", html.as_str())])
        }
    };
    if message.attachments.is_empty() {
        return readable;
    }
    let mut parts = vec![readable];
    parts.extend(message.attachments.iter().map(attachment));
    MimePart::new("multipart/mixed", parts)
}

fn attachment(file: &Attachment) -> MimePart<'_> {
    let mut encoded = Vec::new();
    encode_base64(&file.content, &mut encoded);
    let name = file.file_name.as_deref().map(one_line).unwrap_or_else(|| "attachment".into());
    let mut part = MimePart::new(media_type(&file.content_type), BodyPart::Binary(encoded.into()))
        .attachment(name)
        .transfer_encoding("base64");
    if let Some(id) = &file.content_id {
        part = part.cid(one_line(id));
    }
    part
}

/// The text if it is a valid media type, so that nothing else gets into the header.
fn media_type(text: &str) -> &str {
    let token =
        |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b));
    match text.split_once('/') {
        Some((kind, sub)) if token(kind) && token(sub) => text,
        _ => "application/octet-stream",
    }
}

pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

pub(crate) fn checked<'a>(name: &str, value: &'a str) -> Result<&'a str, MimeError> {
    match value.bytes().all(|b| (0x20..0x7F).contains(&b)) {
        true => Ok(value),
        false => Err(MimeError::BadHeader(name.to_owned())),
    }
}

fn header_name(name: &str) -> Result<&str, MimeError> {
    match !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        true => Ok(name),
        false => Err(MimeError::BadHeader("name".into())),
    }
}
