//! Mail from outside: accepted, refused and answered messages.

use crate::{partner::*, support::*};
use chrono::Duration;
use direct::{
    address::Mailbox,
    mime::{Attachment, OutgoingMessage},
    notice::{Disposition, Notice, read_notice},
    smtp::{client::RecipientOutcome, server::SmtpReply},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::json;
use store::entities::organization;
use testkit::{Db, Practice, TestApp};

testkit::on_both_databases! {
    a_repeated_mail_is_shown_once_and_answered_once,
}

fn letter_to(app: &TestApp, practice: &Practice, subject: &str) -> OutgoingMessage {
    letter(PAT, &[&practice.address], subject, app.clock.now())
}

async fn deliver(partner: &Partner, app: &TestApp, to: &Practice, letter: &OutgoingMessage) {
    let outcome = partner.send(app, PAT, to, &letter.build().expect("a letter")).await;
    assert!(accepted(&outcome), "{outcome:?}");
    app.drain().await;
}

/// The notices that the partner got about its letters.
fn said(partner: &Partner) -> Vec<Disposition> {
    let notices = partner.mails().into_iter().map(|m| match read_notice(&m.parsed) {
        Some(Notice::Mdn(mdn)) => mdn.disposition,
        other => panic!("not a disposition: {other:?}"),
    });
    notices.collect()
}

/// Nothing is shown or answered, and the organization's audit trail has the reason.
async fn rejected_in_silence(partner: &Partner, app: &TestApp, practice: &Practice, why: &str) {
    app.drain().await;
    assert_eq!(subjects(&practice.client, json!({})).await, [""; 0]);
    assert!(partner.mails().is_empty(), "nothing goes back");
    let reasons = rejections(app, practice).await;
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert!(reasons[0].contains(why), "{}", reasons[0]);
}

#[tokio::test]
async fn a_letter_from_outside_is_shown_and_answered_with_processed_only() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let mut letter = letter_to(&app, &larkfield, "Ménière’s disease");
    letter.cc = vec![Mailbox::from(address(SAM))];
    let content = note_pdf().into();
    letter.attachments = vec![Attachment {
        file_name: Some("Überweisung.pdf".into()),
        content_type: "application/pdf".into(),
        content_id: None,
        content,
    }];
    deliver(&partner, &app, &larkfield, &letter).await;
    let view = only_message(&larkfield.client).await;
    assert_eq!(view["subject"], "Ménière’s disease");
    assert_eq!((text(&view, "fromAddress"), text(&view, "fromName")), (PAT, "Pat Partner"));
    assert_eq!(strings(&view["ccAddresses"]), [SAM]);
    assert_eq!(view["attachments"][0]["fileName"], "Überweisung.pdf");
    assert_eq!(said(&partner), [Disposition::Processed]);
    let mail = &partner.mails()[0];
    assert_eq!(mail.envelope.mail_from.as_deref(), Some(larkfield.address.as_str()));
    let Some(Notice::Mdn(mdn)) = read_notice(&mail.parsed) else { panic!("a notice") };
    assert_eq!(mdn.original_message_id.as_deref(), Some(letter.message_id.as_str()));
    assert_eq!(mdn.final_recipient, Some(address(&larkfield.address)));
    app.finish().await;
}

#[tokio::test]
async fn a_sender_who_asks_for_it_in_a_valid_way_also_gets_a_dispatched_notice() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let mut asking = letter_to(&app, &larkfield, "Please tell me");
    asking.request_delivery_notice = true;
    deliver(&partner, &app, &larkfield, &asking).await;
    assert_eq!(said(&partner), [Disposition::Processed, Disposition::Dispatched]);
    let Some(Notice::Mdn(mdn)) = read_notice(&partner.mails()[1].parsed) else { panic!("a notice") };
    assert!(mdn.final_destination_delivery, "the extension field stands in the report");

    let mut wrong = letter_to(&app, &larkfield, "Asked in a wrong way");
    let options =
        ("Disposition-Notification-Options".into(), "X-DIRECT-FINAL-DESTINATION-DELIVERY=perhaps".into());
    wrong.extra_headers = vec![options];
    deliver(&partner, &app, &larkfield, &wrong).await;
    assert_eq!(said(&partner)[2..], [Disposition::Processed]);
    app.finish().await;
}

#[tokio::test]
async fn a_notice_that_was_taken_is_not_sent_again_when_the_next_one_is_deferred() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    partner.answer_next(SmtpReply::new(250, "2.0.0", "Taken"));
    for _ in 0..2 {
        partner.answer_next(SmtpReply::new(451, "4.3.0", "Come back later"));
    }
    let mut asking = letter_to(&app, &larkfield, "Please tell me");
    asking.request_delivery_notice = true;
    deliver(&partner, &app, &larkfield, &asking).await;
    assert_eq!(said(&partner), [Disposition::Processed, Disposition::Dispatched]);
    for _ in 0..3 {
        pass(&app, Duration::minutes(5)).await;
    }
    let (processed, dispatched) = (Disposition::Processed, Disposition::Dispatched);
    assert_eq!(said(&partner), [processed, dispatched.clone(), dispatched.clone(), dispatched]);
    let ids: Vec<_> = partner.mails().into_iter().map(|mail| mail.parsed.headers.message_id).collect();
    assert!(ids[1..].iter().all(|id| *id == ids[1]), "under the same Message-ID");
    app.finish().await;
}

async fn a_repeated_mail_is_shown_once_and_answered_once(db: Db) {
    let (partner, app, larkfield) = world(db).await;
    let mut letter = letter_to(&app, &larkfield, "Twice");
    letter.request_delivery_notice = true;
    deliver(&partner, &app, &larkfield, &letter).await;
    let first = raw(&app, &mails(&app, &larkfield).await[0]).await;
    assert!(accepted(&post(&app, PAT, &[&larkfield.address], &first).await), "a repeat is taken");
    // And once more, both at the same time.
    let twice = [larkfield.address.as_str()];
    let (one, two) = tokio::join!(post(&app, PAT, &twice, &first), post(&app, PAT, &twice, &first));
    assert!(accepted(&one) && accepted(&two));
    app.drain().await;
    assert_eq!(subjects(&larkfield.client, json!({})).await, ["Twice"]);
    assert_eq!(mails(&app, &larkfield).await.len(), 4);
    assert_eq!(said(&partner), [Disposition::Processed, Disposition::Dispatched]);
    app.finish().await;
}

#[tokio::test]
async fn a_repeat_of_a_deleted_message_does_not_come_back() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let letter = letter_to(&app, &larkfield, "Gone");
    deliver(&partner, &app, &larkfield, &letter).await;
    let id = only(&intake(&larkfield.client, json!({})).await);
    larkfield.client.delete(&format!("/api/messages/{id}")).await.ok();
    deliver(&partner, &app, &larkfield, &letter).await;
    assert_eq!(subjects(&larkfield.client, json!({})).await, [""; 0]);
    app.finish().await;
}

#[tokio::test]
async fn a_message_that_comes_in_a_mail_for_each_recipient_is_shown_once_and_answered_for_each() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let nurse = app.source(&larkfield.organization, "nurse").await.address;
    let both = [larkfield.address.as_str(), nurse.as_str()];
    let triage = format!("triage@{}", larkfield.address.split('@').nth(1).expect("a domain"));
    let desk = triage.replace("triage", "desk");
    let letter = letter(PAT, &[both[0], both[1], &triage, &desk], "For both", app.clock.now());
    let letter = letter.build().expect("a letter");
    let mail = sealed(&app, &partner.identities[0], &larkfield, &letter).await;
    let first = larkfield.address.as_str();
    for recipients in [&[first, first][..], &[&nurse], &both] {
        assert!(accepted(&post(&app, PAT, recipients, &mail).await));
        app.drain().await;
    }
    let view = only_message(&larkfield.client).await;
    assert_eq!(strings(&view["toAddresses"]), both);
    let found = json!({ "filter": "nurse", "sources": [nurse] });
    assert_eq!(subjects(&larkfield.client, found).await, ["For both"], "it is found by each of them");
    let part_of_it = json!({ "sources": [&nurse[1..]] });
    assert_eq!(subjects(&larkfield.client, part_of_it).await, [""; 0], "a part of an address is another one");
    let answered = partner.mails().into_iter().map(|mail| mail.envelope.mail_from.expect("a sender"));
    assert_eq!(answered.collect::<Vec<_>>(), both, "one notice for each");
    larkfield.client.delete(&format!("/api/messages/{}", text(&view, "id"))).await.ok();
    app.source(&larkfield.organization, "triage").await;
    for _ in 0..2 {
        assert!(accepted(&post(&app, PAT, &[first, &triage], &mail).await));
        app.drain().await;
    }
    let view = only_message(&larkfield.client).await;
    assert_eq!(strings(&view["toAddresses"]), [&*triage], "what was deleted comes for nobody again");
    larkfield.client.delete(&format!("/api/messages/{}", text(&view, "id"))).await.ok();
    app.source(&larkfield.organization, "desk").await;
    assert!(accepted(&post(&app, PAT, &[first, &triage, &desk], &mail).await));
    app.drain().await;
    let view = only_message(&larkfield.client).await;
    assert_eq!(strings(&view["toAddresses"]), [desk]);
    app.finish().await;
}

#[tokio::test]
async fn the_message_id_of_another_sender_makes_no_repeat() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let first = letter_to(&app, &larkfield, "First");
    deliver(&partner, &app, &larkfield, &first).await;
    let mut second = letter(SAM, &[&larkfield.address], "Second", app.clock.now());
    second.message_id = first.message_id.clone();
    let second = second.build().expect("a letter");
    for _ in 0..2 {
        assert!(accepted(&partner.send(&app, SAM, &larkfield, &second).await));
        app.drain().await;
    }
    assert_eq!(subjects(&larkfield.client, json!({})).await, ["Second", "First"], "its repeat is one");
    assert_eq!(said(&partner), [Disposition::Processed, Disposition::Processed]);
    app.finish().await;
}

#[tokio::test]
async fn a_mail_whose_envelope_names_another_sender_is_rejected_in_silence() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let inner = letter_to(&app, &larkfield, "Tampered").build().expect("a letter");
    let bytes = sealed(&app, &partner.identities[0], &larkfield, &inner).await;
    let envelope = format!("somebody-else@{DOMAIN}");
    assert!(accepted(&post(&app, &envelope, &[&larkfield.address], &bytes).await));
    rejected_in_silence(&partner, &app, &larkfield, "envelope sender").await;
    app.finish().await;
}

#[tokio::test]
async fn a_mail_for_somebody_it_does_not_name_is_rejected_in_silence() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let second = app.source(&larkfield.organization, "triage").await;
    let inner = letter_to(&app, &larkfield, "Misrouted").build().expect("a letter");
    let bytes = sealed(&app, &partner.identities[0], &larkfield, &inner).await;
    assert!(accepted(&post(&app, PAT, &[&second.address], &bytes).await));
    rejected_in_silence(&partner, &app, &larkfield, "is not in To or Cc").await;
    app.finish().await;
}

#[tokio::test]
async fn an_unencrypted_mail_is_rejected_in_silence() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let plain = letter_to(&app, &larkfield, "Open").build().expect("a letter");
    assert!(accepted(&post(&app, PAT, &[&larkfield.address], &plain).await));
    rejected_in_silence(&partner, &app, &larkfield, "not encrypted").await;
    app.finish().await;
}

#[tokio::test]
async fn a_mail_of_a_stranger_without_trust_is_rejected_in_silence() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let rogue = identity(&authority("Rogue Root", app.clock.now()), DOMAIN, app.clock.now());
    let inner = letter_to(&app, &larkfield, "Believe me").build().expect("a letter");
    let bytes = sealed(&app, &rogue, &larkfield, &inner).await;
    assert!(accepted(&post(&app, PAT, &[&larkfield.address], &bytes).await));
    rejected_in_silence(&partner, &app, &larkfield, "no signer").await;
    app.finish().await;
}

fn refusal(outcome: RecipientOutcome) -> String {
    match outcome {
        RecipientOutcome::Refused { code: Some(code), text } => format!("{code} {text}"),
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn mail_for_nobody_is_refused_at_once() {
    let (_partner, app, larkfield) = world(Db::sqlite()).await;
    let elsewhere = ["x@nowhere.direct.carepost.example".to_owned(), PAT.into()];
    let nobody = larkfield.address.replace("records@", "nobody@");
    for unknown in elsewhere.iter().chain([&nobody]) {
        let said = refusal(post(&app, PAT, &[unknown], b"Subject: x\r\n\r\nx\r\n").await);
        assert!(said.starts_with("550") && said.contains("5.1.1"), "{unknown}: {said}");
    }
    assert!(mails(&app, &larkfield).await.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn mail_for_an_organization_that_is_not_activated_is_refused_at_once() {
    let (_partner, app, larkfield) = world(Db::sqlite()).await;
    organization::Entity::update_many()
        .col_expr(organization::Column::IsActivated, Expr::value(false))
        .filter(organization::Column::Id.eq(larkfield.organization.id))
        .exec(app.store.db())
        .await
        .expect("the organization");
    let said = refusal(post(&app, PAT, &[&larkfield.address], b"Subject: x\r\n\r\nx\r\n").await);
    assert!(said.starts_with("550"), "{said}");
    app.finish().await;
}

#[tokio::test]
async fn html_of_strangers_is_shown_without_anything_active() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let mut letter = letter_to(&app, &larkfield, "Page");
    letter.html = Some(
        "<p onclick='x()'>Hello <b>there</b><script>x()</script><img src=http://t.example/p></p>".into(),
    );
    deliver(&partner, &app, &larkfield, &letter).await;
    let view = only_message(&larkfield.client).await;
    assert_eq!(text(&view, "bodyHtml").trim(), "<p>Hello <b>there</b></p>");
    app.finish().await;
}

#[tokio::test]
async fn a_letter_without_files_and_subject_is_shown() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    deliver(&partner, &app, &larkfield, &letter_to(&app, &larkfield, "")).await;
    let view = only_message(&larkfield.client).await;
    assert_eq!((text(&view, "subject"), text(&view, "body").trim()), ("", "A letter from outside."));
    assert_eq!(view["attachments"], json!([]));
    app.finish().await;
}

#[tokio::test]
async fn a_short_mail_is_kept_sealed_in_its_row_and_a_long_one_as_a_blob() {
    let (partner, app, practice) = world(Db::sqlite()).await;
    let short = letter_to(&app, &practice, "Short");
    let mut long = letter_to(&app, &practice, "Long");
    long.attachments.push(Attachment {
        file_name: Some("Long.txt".into()),
        content_type: "text/plain".into(),
        content_id: None,
        content: "Blood pressure 120/80. ".repeat(2_000).into(),
    });
    deliver(&partner, &app, &practice, &short).await;
    deliver(&partner, &app, &practice, &long).await;
    assert_eq!(subjects(&practice.client, json!({})).await, ["Long", "Short"]);
    let mails = mails(&app, &practice).await;
    let [short, long] = &mails[..] else { panic!("{mails:?}") };
    let sealed = short.sealed_content.as_deref().expect("a short mail is in its row");
    assert!(sealed.len() > short.size_bytes as usize, "with a nonce and a tag");
    assert!(!String::from_utf8_lossy(sealed).contains("pkcs7-mime"), "nobody reads it there");
    assert!(short.blob_id.is_nil() && long.sealed_content.is_none() && !long.blob_id.is_nil());
    for (mail, subject) in [(short, "Short"), (long, "Long")] {
        assert_eq!(raw(&app, mail).await.len() as i64, mail.size_bytes);
        assert!(inner(&app, mail).await.contains(&format!("Subject: {subject}")));
    }
    app.finish().await;
}

#[tokio::test]
async fn a_damaged_file_is_shown_as_far_as_it_goes_beside_the_original_message() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let head = format!(
        "From: {PAT}\r\nTo: {}\r\nMessage-ID: <damaged@partner.example>\r\nContent-Type: text/plain; name=note.txt\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n",
        larkfield.address
    );
    let inner = format!("{head}QmxvIGQgcHJlc3N1cmUgMTIwLzgw!CLy0=\r\n");
    assert!(accepted(&partner.send(&app, PAT, &larkfield, inner.as_bytes()).await));
    app.drain().await;
    let view = only_message(&larkfield.client).await;
    let files = view["attachments"].as_array().expect("files");
    let names: Vec<_> = files.iter().map(|file| text(file, "fileName")).collect();
    assert_eq!(names, ["note.txt", "Original message.eml"]);
    let said = text(&files[1]["attachmentMeta"], "documentDescription");
    assert_eq!(said, "The file “note.txt” was damaged in transit; only the readable part is shown.");
    let path = file_path(text(&view, "id"), text(&files[1], "id"));
    assert_eq!(larkfield.client.get(&path).await.body, inner.as_bytes());
    app.finish().await;
}
