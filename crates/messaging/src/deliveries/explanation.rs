//! Failures of deliveries in plain words, shown beside the technical reason.

use crate::model::{DeliveryKind, DeliveryState};
use store::entities::delivery;

/// The explanation for the sender. `is_retry` means that an attempt failed and another one follows.
pub fn explain(row: &delivery::Model, is_retry: bool) -> &'static str {
    use DeliveryKind::{DirectMessage, Fax};
    match (row.kind, row.state) {
        (DirectMessage, DeliveryState::Queued) if is_retry => {
            "The recipient's mail system could not be reached. We will try again."
        }
        (Fax, DeliveryState::Queued) if is_retry => "The last call did not get through. We will try again.",
        (_, DeliveryState::Queued) => "Still sending.",
        (_, DeliveryState::Uncertain) => "It may have arrived. Ask the recipient before you send it again.",
        (DirectMessage, DeliveryState::Failed) if row.sent_at.is_some() => {
            "The recipient's mail system accepted it, but did not confirm delivery."
        }
        (DirectMessage, DeliveryState::Failed) => {
            row.reason.as_deref().and_then(by_code).unwrap_or("It could not be delivered to this address.")
        }
        (Fax, DeliveryState::Failed) => "The fax did not get through to this number.",
        _ => "",
    }
}

/// The explanation of the enhanced status code of a refusal (RFC 3463, section 3).
fn by_code(reason: &str) -> Option<&'static str> {
    let is_code = |word: &&str| word.starts_with("5.") && word.split('.').count() == 3;
    let words = reason.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    Some(match words.map(|word| word.trim_matches('.')).find(is_code)? {
        "5.1.1" | "5.1.6" | "5.1.10" | "5.2.1" => "This address does not exist. Please check the spelling.",
        "5.1.2" | "5.1.3" | "5.4.4" => {
            "No mail system accepts mail for this address. Please check the spelling."
        }
        "5.2.2" => "The recipient's mailbox is full.",
        "5.2.3" | "5.3.4" => "The message is too large for the recipient's mail system.",
        code if code.starts_with("5.7.") => {
            "The recipient's mail system does not accept messages from your organization."
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RecipientRole;
    use chrono::DateTime;
    use uuid::Uuid;

    fn row(kind: DeliveryKind, state: DeliveryState) -> delivery::Model {
        delivery::Model {
            id: Uuid::nil(),
            message_id: Uuid::nil(),
            organization_id: Uuid::nil(),
            transmission_id: None,
            position: 0,
            address: String::new(),
            address_key: String::new(),
            name: String::new(),
            kind,
            role: RecipientRole::To,
            state,
            reason: None,
            attempt: 0,
            wants_dispatched: true,
            accepted_at: DateTime::UNIX_EPOCH,
            sent_at: None,
            processed_at: None,
            delivered_at: None,
            failed_at: None,
            expected_by: None,
            tls: None,
            acknowledged_at: None,
            corrected_by: None,
        }
    }

    #[test]
    fn a_message_that_was_taken_but_never_confirmed_is_told_apart_from_one_that_was_refused() {
        let refused = row(DeliveryKind::DirectMessage, DeliveryState::Failed);
        let silent = delivery::Model { sent_at: Some(DateTime::UNIX_EPOCH), ..refused.clone() };
        assert_eq!(explain(&refused, false), "It could not be delivered to this address.");
        assert!(explain(&silent, false).contains("did not confirm"));
    }

    #[test]
    fn the_code_of_a_refusal_is_told_in_plain_words() {
        let told = |reason: &str| {
            let refused = row(DeliveryKind::DirectMessage, DeliveryState::Failed);
            explain(&delivery::Model { reason: Some(reason.into()), ..refused }, false)
        };
        assert!(
            told("550 5.1.1 <nobody@summit.example>: unknown").starts_with("This address does not exist.")
        );
        assert!(told("The mail server said: 552 5.2.2 Mailbox full.").contains("is full"));
        assert!(told("554 5.7.1 Not trusted").contains("does not accept"));
        assert_eq!(told("550 10.5.1.1 refused"), "It could not be delivered to this address.");
    }

    #[test]
    fn what_waits_for_its_first_attempt_is_told_apart_from_what_is_tried_again() {
        let waiting = row(DeliveryKind::Fax, DeliveryState::Queued);
        assert_eq!(explain(&waiting, false), "Still sending.");
        assert_eq!(explain(&waiting, true), "The last call did not get through. We will try again.");
    }
}
