//! Reading messages.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::html::html_to_text;
use mail_parser::{Address, HeaderName, HeaderValue};

use super::entity::{Entity, fields, unfolded};
use super::{Attachment, MessageHeaders, MessageKind, MimeError, MimeLimits, ParsedMessage};
use crate::DirectAddress;
use crate::address::Mailbox;

/// Parses a message within the limits.
pub fn parse(raw: &[u8], limits: &MimeLimits) -> Result<ParsedMessage, MimeError> {
    if raw.len() > limits.size {
        return Err(MimeError::TooLarge);
    }
    let root = Entity::new(raw);
    let mut walk = Walk { limits, parts: 0, text: None, html: None, attachments: Vec::new() };
    walk.check(&root)?;
    let headers = headers(&root);
    if headers.all.is_empty() {
        return Err(MimeError::Unreadable);
    }
    let kind = kind(&root);
    walk.entity(&root, 0)?;
    let text = walk.text.or_else(|| walk.html.as_deref().map(html_to_text)).unwrap_or_default();
    Ok(ParsedMessage { headers, text, html: walk.html, attachments: walk.attachments, kind })
}

fn kind(root: &Entity<'_>) -> MessageKind {
    let kind = root.content_type();
    let report = root.parameter("report-type").unwrap_or_default().to_ascii_lowercase();
    match (kind.as_str(), report.as_str()) {
        ("multipart/report", "disposition-notification") => MessageKind::DispositionNotification,
        ("multipart/report", "delivery-status") => MessageKind::DeliveryStatus,
        ("message/disposition-notification", _) => MessageKind::DispositionNotification,
        ("message/delivery-status", _) => MessageKind::DeliveryStatus,
        _ => MessageKind::Message,
    }
}

struct Walk<'l> {
    limits: &'l MimeLimits,
    parts: usize,
    text: Option<String>,
    html: Option<String>,
    attachments: Vec<Attachment>,
}

impl Walk<'_> {
    fn check(&self, entity: &Entity<'_>) -> Result<(), MimeError> {
        match entity.header.len() > self.limits.header {
            true => Err(MimeError::TooComplex),
            false => Ok(()),
        }
    }

    fn entity(&mut self, entity: &Entity<'_>, depth: usize) -> Result<(), MimeError> {
        self.check(entity)?;
        if depth > self.limits.depth {
            return Err(MimeError::TooComplex);
        }
        let Some(parts) = entity.parts(self.limits.parts - self.parts) else {
            self.leaf(entity, entity.content_type());
            return Ok(());
        };
        self.parts += parts.len();
        if self.parts > self.limits.parts {
            return Err(MimeError::TooComplex);
        }
        parts.into_iter().try_for_each(|part| self.entity(&Entity::new(part), depth + 1))
    }

    fn leaf(&mut self, entity: &Entity<'_>, kind: String) {
        let inline = !entity.is_attachment() && entity.file_name().is_none();
        match kind.as_str() {
            "text/plain" if inline => {
                let text = decoded_text(entity);
                match &mut self.text {
                    None => self.text = Some(text),
                    Some(body) if !text.trim().is_empty() => {
                        body.push('\n');
                        body.push_str(&text);
                    }
                    Some(_) => {}
                }
            }
            "text/html" if inline && self.html.is_none() => self.html = Some(decoded_text(entity)),
            _ => self.attachments.push(attachment(entity, kind)),
        }
    }
}

fn attachment(entity: &Entity<'_>, content_type: String) -> Attachment {
    let mut content = Bytes::from(entity.decoded_body().into_owned());
    if content.is_empty() && content_type.starts_with("message/") {
        // some agents forget the empty line before the fields of a report
        content = Bytes::copy_from_slice(entity.header);
    }
    Attachment { file_name: entity.file_name(), content_id: entity.content_id(), content_type, content }
}

fn decoded_text(entity: &Entity<'_>) -> String {
    let body = entity.decoded_body();
    let charset = entity.parameter("charset").unwrap_or_default().to_ascii_lowercase();
    let text = match (charset.as_str(), charset_decoder(charset.as_bytes())) {
        ("" | "utf-8" | "us-ascii", _) | (_, None) => String::from_utf8_lossy(&body).into_owned(),
        (_, Some(decode)) => decode(&body),
    };
    text.replace("\r\n", "\n")
}

fn headers(root: &Entity<'_>) -> MessageHeaders {
    let mailboxes = |name| mailboxes(root, name);
    let last = |name| root.values(name).last();
    let date = last(HeaderName::Date).and_then(HeaderValue::as_datetime);
    MessageHeaders {
        from: mailboxes(HeaderName::From).into_iter().next(),
        sender: mailboxes(HeaderName::Sender).into_iter().next(),
        reply_to: mailboxes(HeaderName::ReplyTo),
        to: mailboxes(HeaderName::To),
        cc: mailboxes(HeaderName::Cc),
        subject: last(HeaderName::Subject).and_then(HeaderValue::as_text).unwrap_or_default().to_owned(),
        date: date.and_then(|d| DateTime::<Utc>::from_timestamp(d.to_timestamp(), 0)),
        message_id: message_ids(last(HeaderName::MessageId)).into_iter().next(),
        in_reply_to: message_ids(last(HeaderName::InReplyTo)),
        references: message_ids(last(HeaderName::References)),
        disposition_notification_to: root
            .header_named("Disposition-Notification-To")
            .map(|text| crate::address::parse_mailboxes(&text).into_iter().flatten().collect())
            .unwrap_or_default(),
        all: fields(root.header)
            .into_iter()
            .map(|(name, field)| (name.to_owned(), unfolded(field)))
            .collect(),
    }
}

fn mailboxes(root: &Entity<'_>, name: HeaderName<'static>) -> Vec<Mailbox> {
    let addresses = root.values(name).filter_map(HeaderValue::as_address).flat_map(Address::iter);
    let mailbox = |a: &mail_parser::Addr<'_>| {
        let address = DirectAddress::parse(a.address()?).ok()?;
        Some(Mailbox::new(a.name().unwrap_or_default(), address))
    };
    addresses.filter_map(mailbox).collect()
}

fn message_ids(value: Option<&HeaderValue<'_>>) -> Vec<String> {
    let clean = |id: &str| id.trim().trim_matches(['<', '>']).to_owned();
    let ids: Vec<_> = match value {
        Some(HeaderValue::Text(id)) => vec![clean(id)],
        Some(HeaderValue::TextList(ids)) => ids.iter().map(|id| clean(id)).collect(),
        _ => vec![],
    };
    ids.into_iter().filter(|id| !id.is_empty()).collect()
}
