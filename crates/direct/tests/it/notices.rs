//! Notices: writing, reading, requesting.

use direct::mime::{MimeLimits, OutgoingMessage, ParsedMessage, parse};
use direct::notice::{
    AskedNotices, Disposition, DsnAction, DsnDraft, FailedRecipient, MdnDraft, Notice, asked_notices,
    read_notice,
};

use crate::support::*;

fn read(raw: &[u8]) -> ParsedMessage {
    parse(raw, &MimeLimits::default()).unwrap()
}

fn mdn(disposition: Disposition, final_destination_delivery: bool) -> Vec<u8> {
    let draft = MdnDraft {
        from: addr("bob@south.example"),
        to: addr("ada@north.example"),
        message_id: "n1@south.example".into(),
        date: now(),
        original_message_id: "m1@north.example".into(),
        disposition,
        final_destination_delivery,
        explanation: String::new(),
        reporting_agent: "south.example; Carepost".into(),
    };
    draft.build().unwrap()
}

#[test]
fn a_processed_notice_has_the_shape_of_the_standard() {
    let raw = String::from_utf8(mdn(Disposition::Processed, false)).unwrap();
    for part in [
        "multipart/report; report-type=\"disposition-notification\"",
        "Content-Type: message/disposition-notification\r\n",
        "Reporting-UA: south.example; Carepost\r\n",
        "Final-Recipient: rfc822;bob@south.example\r\n",
        "Original-Message-ID: <m1@north.example>\r\n",
        "Disposition: automatic-action/MDN-sent-automatically;processed\r\n",
    ] {
        assert!(
            raw.contains(part) || raw.replace('"', "").contains(&part.replace('"', "")),
            "{part} in\n{raw}"
        );
    }
    assert!(!raw.contains("X-DIRECT-FINAL-DESTINATION-DELIVERY"));
}

#[test]
fn dispatched_and_failed_carry_the_extension_as_a_field_and_not_as_a_modifier() {
    for (disposition, word) in [(Disposition::Dispatched, "dispatched"), (Disposition::Failed, "failed")] {
        let raw = mdn(disposition.clone(), true);
        let text = String::from_utf8(raw.clone()).unwrap();
        assert!(text.contains(&format!("MDN-sent-automatically;{word}\r\n")), "{text}");
        assert!(text.contains("\r\nX-DIRECT-FINAL-DESTINATION-DELIVERY: "), "{text}");
        let Some(Notice::Mdn(report)) = read_notice(&read(&raw)) else { panic!("no notice") };
        assert_eq!(report.disposition, disposition);
        assert!(report.final_destination_delivery);
    }
}

#[test]
fn a_notice_is_matched_by_original_id_and_final_recipient() {
    let Some(Notice::Mdn(report)) = read_notice(&read(&mdn(Disposition::Processed, false))) else { panic!() };
    assert_eq!(report.original_message_id.as_deref(), Some("m1@north.example"));
    assert_eq!(report.final_recipient, Some(addr("bob@south.example")));
    assert_eq!(report.error, None);
    assert_eq!(report.explanation, "Your message has been processed by the recipient's system.");
}

#[test]
fn a_notice_is_never_answered_with_a_notice() {
    let none = AskedNotices { processed: false, dispatched: false };
    for raw in [mdn(Disposition::Processed, false), dsn()] {
        let with_request = [
            &b"Disposition-Notification-Options: X-DIRECT-FINAL-DESTINATION-DELIVERY=optional,true\r\n"[..],
            &raw,
        ]
        .concat();
        assert_eq!(asked_notices(&read(&raw)), none);
        assert_eq!(asked_notices(&read(&with_request)), none);
    }
}

fn asked(change: impl FnOnce(&mut OutgoingMessage)) -> AskedNotices {
    let mut letter = message("ada@north.example", &["bob@south.example"]);
    change(&mut letter);
    asked_notices(&read(&letter.build().unwrap()))
}

#[test]
fn processed_is_owed_always_and_dispatched_only_when_asked_for() {
    assert_eq!(asked(|_| {}), AskedNotices { processed: true, dispatched: false });
    assert_eq!(
        asked(|m| m.request_delivery_notice = true),
        AskedNotices { processed: true, dispatched: true }
    );
}

#[test]
fn an_invalid_request_still_gets_processed_but_no_dispatched() {
    for (value, dispatched) in [
        ("X-DIRECT-FINAL-DESTINATION-DELIVERY=optional,true", true),
        ("x-direct-final-destination-delivery = optional , TRUE", true),
        ("other=optional,1; X-DIRECT-FINAL-DESTINATION-DELIVERY=optional,true", true),
        ("X-DIRECT-FINAL-DESTINATION-DELIVERY=optional,false", false),
        ("X-DIRECT-FINAL-DESTINATION-DELIVERY=true", false),
        ("X-DIRECT-FINAL-DESTINATION-DELIVERY=optional,true,extra", false),
        ("X-DIRECT-FINAL-DESTINATION-DELIVERY", false),
        ("X-XXXXXX-FINAL-DESTINATION-DELIVERY=optional,true", false),
    ] {
        let header = ("Disposition-Notification-Options".to_owned(), value.to_owned());
        let owed = asked(|m| m.extra_headers.push(header));
        assert_eq!(owed, AskedNotices { processed: true, dispatched }, "{value}");
    }
}

#[test]
fn the_request_of_final_delivery_is_written_as_the_guide_says() {
    let mut letter = message("ada@north.example", &["bob@south.example"]);
    letter.request_delivery_notice = true;
    let headers = read(&letter.build().unwrap()).headers;
    let options = headers.get("disposition-notification-options");
    assert_eq!(options, Some("X-DIRECT-FINAL-DESTINATION-DELIVERY=optional,true"));
    assert_eq!(headers.disposition_notification_to, [addr("ada@north.example").into()]);
}

fn dsn() -> Vec<u8> {
    let draft = DsnDraft {
        from: addr("postmaster@south.example"),
        to: addr("ada@north.example"),
        message_id: "d1@south.example".into(),
        date: now(),
        original_message_id: "m1@north.example".into(),
        reporting_mta: "south.example".into(),
        failed: vec![FailedRecipient {
            recipient: addr("bob@south.example"),
            status: "5.1.1".into(),
            diagnostic: "550 5.1.1 No such mailbox\r\nX-Injected: yes".into(),
        }],
        final_destination_delivery: true,
    };
    draft.build().unwrap()
}

#[test]
fn a_failure_report_names_recipient_status_and_diagnostic() {
    let Some(Notice::Dsn(report)) = read_notice(&read(&dsn())) else { panic!("no notice") };
    assert_eq!(report.original_message_id.as_deref(), Some("m1@north.example"));
    let failed = &report.recipients[0];
    assert_eq!((failed.action, failed.status.as_str()), (DsnAction::Failed, "5.1.1"));
    assert_eq!(failed.recipient, addr("bob@south.example"));
    assert!(failed.diagnostic.as_deref().unwrap().starts_with("550 5.1.1 No such mailbox"));
    assert!(report.explanation.contains("bob@south.example"));
    let text = String::from_utf8(dsn()).unwrap();
    assert!(!text.contains("\nX-Injected"), "the other side's words add no field: {text}");
}

#[test]
fn the_failure_report_of_a_mail_server_is_read_by_its_returned_headers() {
    let raw = b"From: MAILER-DAEMON@mx.example\r\nTo: ada@north.example\r\n\
        Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n\
        --b\r\n\r\nSorry.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n\
        Reporting-MTA: dns; mx.example\r\nArrival-Date: Mon, 2 Mar 2026 09:30:00 +0000\r\n\r\n\
        Final-Recipient: rfc822; bob@south.example\r\nOriginal-Recipient: rfc822;bob@south.example\r\n\
        Action: failed\r\nStatus: 5.7.1\r\nDiagnostic-Code: smtp; 554 5.7.1 refused\r\n\r\n\
        Final-Recipient: rfc822; carol@south.example\r\nAction: delayed\r\nStatus: 4.4.1\r\n\
        --b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <m9@north.example>\r\n\r\nx\r\n--b--\r\n";
    let Some(Notice::Dsn(report)) = read_notice(&read(raw)) else { panic!("no notice") };
    assert_eq!(report.original_message_id.as_deref(), Some("m9@north.example"));
    let actions: Vec<_> = report.recipients.iter().map(|r| (r.recipient.to_string(), r.action)).collect();
    let expected = [
        ("bob@south.example".to_owned(), DsnAction::Failed),
        ("carol@south.example".to_owned(), DsnAction::Delayed),
    ];
    assert_eq!(actions, expected);
    assert_eq!(report.recipients[0].diagnostic.as_deref(), Some("554 5.7.1 refused"));
}

#[test]
fn an_error_modifier_of_a_disposition_is_reported() {
    let text = String::from_utf8(mdn(Disposition::Processed, false)).unwrap();
    let with_error = text.replace(";processed\r\n", "; processed/error\r\nError: no mailbox\r\n");
    let Some(Notice::Mdn(report)) = read_notice(&read(with_error.as_bytes())) else { panic!() };
    assert_eq!((report.disposition, report.error.as_deref()), (Disposition::Processed, Some("no mailbox")));
}
