//! Reading notices, and the notices requested by a message.

use super::{AskedNotices, Disposition, DsnAction, DsnRecipient, DsnReport, MdnReport, Notice};
use crate::DirectAddress;
use crate::mime::entity::{fields, split_header, unfolded};
use crate::mime::{DISPOSITION_NOTIFICATION_OPTIONS, FINAL_DESTINATION_DELIVERY, MessageKind, ParsedMessage};

/// Reads a notice; none if the message is not a notice, or lacks its machine-readable part.
pub fn read_notice(message: &ParsedMessage) -> Option<Notice> {
    match message.kind {
        MessageKind::Message => None,
        MessageKind::DispositionNotification => mdn(message).map(Notice::Mdn),
        MessageKind::DeliveryStatus => dsn(message).map(Notice::Dsn),
    }
}

/// Notices to send for a received message: `processed` for every message, requested or not, but never for a notice;
/// `dispatched` if `Disposition-Notification-Options` contains exactly
/// `X-DIRECT-FINAL-DESTINATION-DELIVERY=optional,true` for this option.
pub fn asked_notices(message: &ParsedMessage) -> AskedNotices {
    if message.kind != MessageKind::Message {
        return AskedNotices { processed: false, dispatched: false };
    }
    let options = message.headers.get(DISPOSITION_NOTIFICATION_OPTIONS).unwrap_or_default();
    AskedNotices { processed: true, dispatched: asks_for_final_delivery(options) }
}

fn asks_for_final_delivery(options: &str) -> bool {
    let dense: String = options.chars().filter(|c| !c.is_whitespace()).collect();
    let parameters = dense.split(';').filter_map(|p| p.split_once('='));
    let mut values = parameters.filter(|(name, _)| name.eq_ignore_ascii_case(FINAL_DESTINATION_DELIVERY));
    values.next().is_some_and(|(_, value)| value.eq_ignore_ascii_case("optional,true"))
        && values.next().is_none()
}

/// The fields of a report, group after group.
struct Fields(Vec<(String, String)>);

impl Fields {
    fn groups(report: &[u8]) -> Vec<Self> {
        let (mut groups, mut rest) = (Vec::new(), report);
        while !rest.is_empty() {
            let (block, after) = split_header(rest);
            let found = fields(block).into_iter().map(|(name, field)| (name.to_owned(), unfolded(field)));
            groups.push(Self(found.collect()));
            rest = after;
        }
        groups.retain(|g| !g.0.is_empty());
        groups
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    fn recipient(&self) -> Option<DirectAddress> {
        let read = |name| self.get(name).and_then(|value| DirectAddress::parse(untyped(value)).ok());
        read("Final-Recipient").or_else(|| read("Original-Recipient"))
    }

    /// `Original-Message-ID`, or one of its many private names.
    fn original_message_id(&self) -> Option<String> {
        let named = |n: &str| n.to_ascii_lowercase().ends_with("original-message-id");
        self.0.iter().find(|(n, _)| named(n)).map(|(_, value)| bare_id(value)).filter(|id| !id.is_empty())
    }
}

/// A value without its `rfc822;` or `smtp;` prefix and without angle brackets.
fn untyped(value: &str) -> &str {
    value.split_once(';').map_or(value, |(_, v)| v).trim().trim_matches(['<', '>'])
}

fn bare_id(value: &str) -> String {
    value.trim().trim_start_matches('<').trim_end_matches('>').to_owned()
}

fn part<'m>(message: &'m ParsedMessage, kind: &str) -> Option<&'m [u8]> {
    message.attachments.iter().find(|a| a.content_type == kind).map(|a| &a.content[..])
}

fn mdn(message: &ParsedMessage) -> Option<MdnReport> {
    let groups = Fields::groups(part(message, "message/disposition-notification")?);
    let all = Fields(groups.into_iter().flat_map(|g| g.0).collect());
    let (disposition, modifiers) = disposition(all.get("Disposition")?);
    let failing = modifiers.iter().find(|word| is_failure(word));
    let error = all.get("Error").or_else(|| all.get("Failure")).map(str::to_owned);
    Some(MdnReport {
        original_message_id: all
            .original_message_id()
            .or_else(|| message.headers.in_reply_to.first().cloned()),
        final_recipient: all.recipient().or_else(|| Some(message.headers.from.as_ref()?.address.clone())),
        disposition,
        error: error.or_else(|| failing.cloned()),
        final_destination_delivery: all.get(FINAL_DESTINATION_DELIVERY).is_some(),
        explanation: message.text.trim().to_owned(),
    })
}

/// Parses `action-mode/sending-mode; type/modifier,modifier`. Old software has a failure in place of the type.
fn disposition(value: &str) -> (Disposition, Vec<String>) {
    let value = value.split_once(';').map_or(value, |(_, said)| said).to_ascii_lowercase();
    let mut words =
        value.split(['/', ',', ';']).map(|word| word.trim().to_owned()).filter(|word| !word.is_empty());
    let disposition = match words.next().unwrap_or_default() {
        kind if kind == "processed" => Disposition::Processed,
        kind if kind == "dispatched" => Disposition::Dispatched,
        kind if is_failure(&kind) => Disposition::Failed,
        other => Disposition::Other(other),
    };
    (disposition, words.collect())
}

/// Whether a type or a modifier reports a failed delivery (RFC 8098, and RFC 2298 before it).
fn is_failure(word: &str) -> bool {
    matches!(word, "error" | "failed" | "failure" | "expired" | "mailbox-terminated")
}

fn dsn(message: &ParsedMessage) -> Option<DsnReport> {
    let groups = Fields::groups(part(message, "message/delivery-status")?);
    let returned = part(message, "text/rfc822-headers").or_else(|| part(message, "message/rfc822"));
    let returned = returned.and_then(|header| Fields::groups(split_header(header).0).into_iter().next());
    let original = groups
        .iter()
        .find_map(Fields::original_message_id)
        .or_else(|| Some(bare_id(returned?.get("Message-ID")?)))
        .or_else(|| message.headers.in_reply_to.first().cloned());
    Some(DsnReport {
        original_message_id: original,
        recipients: groups.iter().filter_map(dsn_recipient).collect(),
        explanation: message.text.trim().to_owned(),
    })
}

fn dsn_recipient(group: &Fields) -> Option<DsnRecipient> {
    let action = match group.get("Action")?.to_ascii_lowercase().as_str() {
        "failed" => DsnAction::Failed,
        "delayed" => DsnAction::Delayed,
        "delivered" => DsnAction::Delivered,
        "relayed" => DsnAction::Relayed,
        "expanded" => DsnAction::Expanded,
        _ => return None,
    };
    Some(DsnRecipient {
        recipient: group.recipient()?,
        action,
        status: group.get("Status").unwrap_or_default().to_owned(),
        diagnostic: group.get("Diagnostic-Code").map(|d| untyped(d).to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_by_the_type_or_by_a_modifier() {
        let said = |words: &str| {
            let (disposition, modifiers) =
                disposition(&format!("automatic-action/MDN-sent-automatically;{words}"));
            disposition == Disposition::Failed || modifiers.iter().any(|word| is_failure(word))
        };
        for words in [
            "error",
            " Error ",
            "failed",
            "failure;",
            "processed/error",
            "processed/warning,error",
            "deleted/mailbox-terminated",
        ] {
            assert!(said(words), "{words}");
        }
        for words in ["processed", "dispatched", "displayed", "processed/warning", "deleted", ""] {
            assert!(!said(words), "{words}");
        }
        assert_eq!(disposition("manual-action/MDN-sent-manually; Dispatched;").0, Disposition::Dispatched);
        assert_eq!(disposition("processed").0, Disposition::Processed);
    }
}
