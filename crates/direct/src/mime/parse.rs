//! Parsing messages.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use mail_parser::decoders::html::html_to_text;
use mail_parser::{Address, HeaderName, HeaderValue};

use super::entity::{Entity, fields, split_header, unfolded};
use super::{
    Attachment, MessageHeaders, MessageKind, MimeError, MimeLimits, ParsedMessage, Repair, charset, tnef,
};
use crate::DirectAddress;
use crate::address::Mailbox;

/// Longest part of a subject used as a file name, in characters.
const MAX_SUBJECT_IN_NAME: usize = 80;

/// Parses a message within the limits.
pub fn parse(raw: &[u8], limits: &MimeLimits) -> Result<ParsedMessage, MimeError> {
    if raw.len() > limits.size {
        return Err(MimeError::TooLarge);
    }
    check_header(raw, limits)?;
    let root = Entity::new(raw);
    let (headers, kind) = (headers(&root), kind(&root));
    if headers.all.is_empty() {
        return Err(MimeError::Unreadable);
    }
    let mut walk = Walk {
        limits,
        // A notice encloses the original message; its files are not new.
        room: if kind == MessageKind::Message { raw.len().saturating_mul(MAX_COPIES) } else { 0 },
        parts: 0,
        text: None,
        html: None,
        rtf: None,
        attachments: Vec::new(),
        repairs: Vec::new(),
    };
    walk.entity(raw, Place { depth: 0, enclosed: false })?;
    Ok(walk.finish(headers, kind))
}

/// Checks the size of a header block before it is parsed.
fn check_header(raw: &[u8], limits: &MimeLimits) -> Result<(), MimeError> {
    let header = split_header(raw).0;
    let lines = memchr::memchr_iter(b'\n', header).count();
    match header.len() > limits.header || lines > limits.header_lines {
        true => Err(MimeError::TooComplex),
        false => Ok(()),
    }
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

/// Files of enclosed messages are read while all files together are at most this many times the size of the message.
const MAX_COPIES: usize = 3;

struct Walk<'l> {
    limits: &'l MimeLimits,
    /// Remaining bytes for files before enclosed messages are no longer parsed.
    room: usize,
    parts: usize,
    text: Option<String>,
    html: Option<String>,
    /// Rich text of a `winmail.dat`, used if the message has no other text.
    rtf: Option<Vec<u8>>,
    attachments: Vec<Attachment>,
    repairs: Vec<Repair>,
}

/// Position of a part: its depth, and whether it is in an enclosed message, whose text is not part of the message
/// text.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    enclosed: bool,
}

impl Place {
    fn within(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

impl Walk<'_> {
    fn entity(&mut self, raw: &[u8], place: Place) -> Result<(), MimeError> {
        check_header(raw, self.limits)?;
        if place.depth > self.limits.depth {
            return Err(MimeError::TooComplex);
        }
        let entity = Entity::new(raw);
        let Some((parts, repaired)) = entity.parts(self.limits.parts - self.parts) else {
            self.leaf(&entity, place);
            return Ok(());
        };
        self.parts += parts.len();
        if self.parts > self.limits.parts {
            return Err(MimeError::TooComplex);
        }
        if repaired {
            self.repair(Repair::Boundary);
        }
        parts.into_iter().try_for_each(|part| self.entity(part, place.within()))
    }

    fn leaf(&mut self, entity: &Entity<'_>, place: Place) {
        let kind = entity.content_type();
        let inline = !entity.is_attachment() && entity.file_name().is_none();
        match kind.as_str() {
            "text/plain" | "text/html" if inline && place.enclosed => {}
            "text/plain" if inline => {
                let text = self.text_of(entity);
                self.append_text(text);
            }
            "text/html" if inline && self.html.is_none() => self.html = Some(self.text_of(entity)),
            "message/rfc822" | "message/global" => {
                let message = self.attachment(entity, kind);
                self.enclosed(message, place);
            }
            _ => {
                let file = self.attachment(entity, kind);
                match is_winmail(&file) {
                    true => self.winmail(file, place),
                    false => self.push(file),
                }
            }
        }
    }

    fn append_text(&mut self, text: String) {
        match &mut self.text {
            None => self.text = Some(text),
            Some(body) if !text.trim().is_empty() => {
                body.push('\n');
                body.push_str(&text);
            }
            Some(_) => {}
        }
    }

    fn text_of(&mut self, entity: &Entity<'_>) -> String {
        let body = entity.decoded_body();
        if body.repaired {
            self.repair(Repair::Encoding(None));
        }
        let charset = entity.parameter("charset").unwrap_or_default();
        let (text, misfit) = charset::decode(&body.bytes, &charset);
        if misfit {
            self.repair(Repair::CharacterSet);
        }
        text.replace("\r\n", "\n")
    }

    fn attachment(&mut self, entity: &Entity<'_>, content_type: String) -> Attachment {
        let body = entity.decoded_body();
        let file_name = entity.file_name().or(body.name);
        if body.repaired {
            let shown = file_name.clone().unwrap_or_else(|| content_type.clone());
            self.repair(Repair::Encoding(Some(shown)));
        }
        let mut content = Bytes::from(body.bytes.into_owned());
        if content.is_empty() && content_type.starts_with("message/") {
            // some agents omit the empty line before the fields of a report
            content = Bytes::copy_from_slice(entity.header);
        }
        Attachment { file_name, content_id: entity.content_id(), content_type, content }
    }

    /// Adds an enclosed message as a file, followed by its own files.
    fn enclosed(&mut self, mut message: Attachment, place: Place) {
        let content = message.content.clone();
        let subject = || Entity::new(&content).text(HeaderName::Subject);
        message.file_name = message.file_name.or_else(|| Some(format!("{}.eml", file_name(&subject()?)?)));
        self.push(message);
        if self.room < content.len() || self.parts == self.limits.parts {
            return;
        }
        self.parts += 1;
        let (files, parts) = (self.attachments.len(), self.parts);
        let inside = Place { enclosed: true, ..place.within() };
        if self.entity(&content, inside).is_err() {
            // Too complex to parse: keep the message as a file, and parse no further ones.
            self.attachments.truncate(files);
            (self.parts, self.room) = (parts, 0);
        }
    }

    fn winmail(&mut self, file: Attachment, place: Place) {
        let Some(found) = tnef::read(&file.content, self.limits.parts - self.parts) else {
            return self.push(file);
        };
        self.parts += found.files.len();
        if found.damaged {
            self.repair(Repair::Winmail);
            self.push(file);
        }
        if !place.enclosed {
            self.text = self.text.take().filter(|text| !text.trim().is_empty()).or(found.text);
            self.html = self.html.take().or(found.html);
            self.rtf = self.rtf.take().or(found.rtf);
        }
        found.files.into_iter().for_each(|file| self.push(file));
    }

    fn push(&mut self, file: Attachment) {
        self.room = self.room.saturating_sub(file.content.len());
        self.attachments.push(file);
    }

    fn repair(&mut self, repair: Repair) {
        if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }

    fn finish(mut self, headers: MessageHeaders, kind: MessageKind) -> ParsedMessage {
        if let (None, None, Some(rtf)) = (&self.text, &self.html, self.rtf.take()) {
            self.push(Attachment {
                file_name: Some("Message.rtf".into()),
                content_type: "application/rtf".into(),
                content_id: None,
                content: rtf.into(),
            });
        }
        let text = self.text.or_else(|| self.html.as_deref().map(html_to_text)).unwrap_or_default();
        let (html, attachments, repairs) = (self.html, self.attachments, self.repairs);
        ParsedMessage { headers, text, html, attachments, repairs, kind }
    }
}

fn is_winmail(file: &Attachment) -> bool {
    matches!(file.content_type.as_str(), "application/ms-tnef" | "application/vnd.ms-tnef")
        || file.file_name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("winmail.dat"))
}

/// A subject as a file name; none if nothing is left of it.
fn file_name(subject: &str) -> Option<String> {
    let kept = subject.chars().map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { ' ' } else { c });
    let name: String = kept.take(MAX_SUBJECT_IN_NAME).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
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
        subject: root.text(HeaderName::Subject).unwrap_or_default(),
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
