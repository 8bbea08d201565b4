//! The state of a message for each recipient: bounces, notices, and missing notices.

use crate::{partner::*, support::*};
use chrono::Duration;
use direct::{notice::Disposition, smtp::server::SmtpReply};
use sea_orm::{ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, sea_query::Expr};
use serde_json::json;
use store::entities::{organization, trust_anchor};
use testkit::{Db, Practice, TestApp};

async fn later(app: &TestApp, practice: &Practice, minutes: i64) {
    pass(app, Duration::minutes(minutes)).await;
    practice.client.enter(&practice.user).await;
}

/// The partner's system sends a notice about a message to Pat.
async fn say(partner: &Partner, app: &TestApp, to: &Practice, message: &str, disposition: Disposition) {
    let original = original_id(to, message).await;
    let notice = partner.notice(PAT, &to.address, &original, disposition, app.clock.now());
    assert!(accepted(&partner.send(app, PAT, to, &notice).await));
    app.drain().await;
}

#[tokio::test]
async fn an_unknown_recipient_bounces_with_the_other_sides_words() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let unknown = summit.address.replace("records@", "nobody@");
    let sent = larkfield.client.send_document(&larkfield.address, &[&unknown], "To nobody").await;
    app.drain().await;
    let delivery = delivery(&larkfield.client, &sent, &unknown).await;
    assert_eq!(delivery["state"], "Failed");
    let reason = text(&delivery, "reason");
    assert!(reason.contains("550") && reason.contains("5.1.1"), "{reason}");
    assert!(delivery["failedAt"].is_string() && delivery["sentAt"].is_null(), "{delivery}");
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Failed");
    assert_eq!(events(&app, sent.parse().expect("an id")).await, ["Bounced"]);
    assert!(mails(&app, &summit).await.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn a_message_is_sent_as_soon_as_one_recipient_is_reached_and_failed_when_none_is() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let unknown = summit.address.replace("records@", "nobody@");
    let mixed = [summit.address.as_str(), &unknown];
    let mixed = larkfield.client.send_document(&larkfield.address, &mixed, "To one and nobody").await;
    let gone = [unknown.as_str(), "x@nowhere.direct.carepost.example"];
    let none = larkfield.client.send_document(&larkfield.address, &gone, "To nobody at all").await;
    app.drain().await;
    assert_eq!(message(&larkfield.client, &mixed).await["status"], "Sent");
    assert_eq!(state(&larkfield.client, &mixed, &summit.address).await, "Delivered");
    assert_eq!(state(&larkfield.client, &mixed, &unknown).await, "Failed");
    let list = larkfield.client.get("/api/messages?statuses=Failed").await.ok();
    assert_eq!(list["totalCount"], 1);
    assert_eq!(list["items"][0]["id"], none.as_str());
    assert_eq!(list["items"][0]["delivery"]["failed"], 2);
    assert_eq!(subjects(&summit.client, json!({})).await, ["To one and nobody"]);
    app.finish().await;
}

#[tokio::test]
async fn nothing_leaves_for_a_recipient_who_is_not_trusted() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    trust_anchor::Entity::update_many()
        .col_expr(trust_anchor::Column::Outgoing, Expr::value(false))
        .exec(app.store.db())
        .await
        .expect("anchors");
    let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Not for you").await;
    app.drain().await;
    let delivery = delivery(&larkfield.client, &sent, &summit.address).await;
    assert_eq!(delivery["state"], "Failed");
    assert!(text(&delivery, "reason").to_lowercase().contains("trust"), "{delivery}");
    assert!(mails(&app, &summit).await.is_empty(), "nothing left");
    app.finish().await;
}

#[tokio::test]
async fn a_change_of_what_is_trusted_holds_for_the_next_message() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let anchor = trust_anchor::Entity::find().one(app.store.db()).await.expect("anchors").expect("an anchor");
    for (round, trusted) in [true, false, true].into_iter().enumerate() {
        // As another node would do it.
        let known = trust_anchor::Entity::find_by_id(anchor.id).one(app.store.db()).await.expect("anchors");
        if trusted && known.is_none() {
            let again = anchor.clone().into_active_model();
            trust_anchor::Entity::insert(again).exec_without_returning(app.store.db()).await.expect("a row");
        } else if !trusted {
            trust_anchor::Entity::delete_many().exec(app.store.db()).await.expect("anchors");
        }
        let subject = format!("Round {round}");
        let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], &subject).await;
        app.drain().await;
        let expected = if trusted { "Delivered" } else { "Failed" };
        assert_eq!(state(&larkfield.client, &sent, &summit.address).await, expected, "{subject}");
    }
    app.finish().await;
}

#[tokio::test]
async fn an_address_of_an_organization_that_is_not_activated_cannot_be_reached() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    organization::Entity::update_many()
        .col_expr(organization::Column::IsActivated, Expr::value(false))
        .filter(organization::Column::Id.eq(summit.organization.id))
        .exec(app.store.db())
        .await
        .expect("the organization");
    let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Too early").await;
    app.drain().await;
    assert_eq!(state(&larkfield.client, &sent, &summit.address).await, "Failed");
    app.finish().await;
}

#[tokio::test]
async fn without_a_processed_notice_in_an_hour_a_delivery_fails_once_and_stays_failed() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[PAT], "Into silence").await;
    app.drain().await;
    assert_eq!(partner.mails().len(), 1, "the partner took it");
    let waiting = delivery(&larkfield.client, &sent, PAT).await;
    assert_eq!(waiting["state"], "Sent");
    assert!(waiting["expectedBy"].is_string());
    later(&app, &larkfield, 59).await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Sent", "there is a minute left");
    later(&app, &larkfield, 1).await;
    let failed = delivery(&larkfield.client, &sent, PAT).await;
    assert_eq!(failed["state"], "Failed");
    assert!(text(&failed, "reason").contains("60 minutes"), "{failed}");
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Failed");

    later(&app, &larkfield, 5).await;
    for late in [Disposition::Processed, Disposition::Dispatched] {
        say(&partner, &app, &larkfield, &sent, late).await;
    }
    assert_eq!(delivery(&larkfield.client, &sent, PAT).await, failed, "what comes too late changes nothing");
    assert_eq!(events(&app, sent.parse().expect("an id")).await, ["Failed"], "it failed once");
    assert_eq!(partner.mails().len(), 1, "it was sent once and notices are not answered");
    app.finish().await;
}

#[tokio::test]
async fn a_processed_notice_starts_the_hour_for_the_dispatched_one() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[PAT], "Half way").await;
    app.drain().await;
    later(&app, &larkfield, 50).await;
    say(&partner, &app, &larkfield, &sent, Disposition::Processed).await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Processed");
    later(&app, &larkfield, 59).await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Processed");
    later(&app, &larkfield, 1).await;
    let failed = delivery(&larkfield.client, &sent, PAT).await;
    assert_eq!(failed["state"], "Failed");
    assert!(failed["processedAt"].is_string(), "it is still known that it was processed");
    assert_eq!(events(&app, sent.parse().expect("an id")).await, ["Processed", "Failed"]);
    app.finish().await;
}

#[tokio::test]
async fn notices_move_a_delivery_forward_and_never_back() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[PAT], "Forward").await;
    app.drain().await;
    let mail = &partner.mails()[0];
    assert_eq!(mail.envelope.recipients, [PAT]);
    assert!(mail.parsed.headers.get("Disposition-Notification-Options").is_some(), "delivery is asked for");
    assert!(!String::from_utf8_lossy(&mail.raw).contains("Forward"), "the subject is sealed");
    for (said, shown) in [
        (Disposition::Processed, "Processed"),
        (Disposition::Processed, "Processed"),
        (Disposition::Dispatched, "Delivered"),
        (Disposition::Processed, "Delivered"),
        (Disposition::Failed, "Delivered"),
    ] {
        say(&partner, &app, &larkfield, &sent, said).await;
        assert_eq!(state(&larkfield.client, &sent, PAT).await, shown);
    }
    assert_eq!(events(&app, sent.parse().expect("an id")).await, ["Processed", "Delivered"]);
    app.finish().await;
}

#[tokio::test]
async fn a_failed_notice_and_a_bounce_show_the_partners_words() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let first = larkfield.client.send_document(&larkfield.address, &[PAT], "One").await;
    let second = larkfield.client.send_document(&larkfield.address, &[PAT], "Two").await;
    app.drain().await;
    say(&partner, &app, &larkfield, &first, Disposition::Failed).await;
    let bounce =
        partner.bounce(PAT, &larkfield.address, &original_id(&larkfield, &second).await, app.clock.now());
    let postmaster = format!("postmaster@{DOMAIN}");
    assert!(accepted(&partner.send(&app, &postmaster, &larkfield, &bounce).await));
    app.drain().await;
    for (id, words) in [(&first, "Explained by the partner."), (&second, "No such person at the partner")] {
        let delivery = delivery(&larkfield.client, id, PAT).await;
        assert_eq!(delivery["state"], "Failed");
        assert!(text(&delivery, "reason").contains(words), "{delivery}");
    }
    app.finish().await;
}

#[tokio::test]
async fn a_notice_about_a_recipient_of_another_domain_is_ignored() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[PAT, SAM], "To two systems").await;
    app.drain().await;
    assert_eq!(partner.mails().len(), 2, "one transmission per domain");
    let original = original_id(&larkfield, &sent).await;
    let mut forged =
        partner.notice(SAM, &larkfield.address, &original, Disposition::Dispatched, app.clock.now());
    forged = String::from_utf8(forged).expect("text").replace("From: ", "X-From: ").into_bytes();
    forged.splice(0..0, format!("From: {PAT}\r\n").into_bytes());
    assert!(accepted(&partner.send(&app, PAT, &larkfield, &forged).await));
    app.drain().await;
    assert_eq!(state(&larkfield.client, &sent, SAM).await, "Sent", "Pat's system cannot speak for Sam");
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Sent", "and said nothing about Pat");
    let own = partner.notice(SAM, &larkfield.address, &original, Disposition::Dispatched, app.clock.now());
    partner.send(&app, SAM, &larkfield, &own).await;
    app.drain().await;
    assert_eq!(state(&larkfield.client, &sent, SAM).await, "Delivered");
    later(&app, &larkfield, 61).await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Failed");
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Sent");
    app.finish().await;
}

#[tokio::test]
async fn a_notice_of_somebody_who_is_not_trusted_is_ignored() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[PAT], "Beware").await;
    app.drain().await;
    let original = original_id(&larkfield, &sent).await;
    let notice = partner.notice(PAT, &larkfield.address, &original, Disposition::Dispatched, app.clock.now());
    let rogue = identity(&authority("Rogue Root", app.clock.now()), DOMAIN, app.clock.now());
    let bytes = sealed(&app, &rogue, &larkfield, &notice).await;
    assert!(accepted(&post(&app, PAT, &[&larkfield.address], &bytes).await));
    app.drain().await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Sent");
    assert_eq!(rejections(&app, &larkfield).await.len(), 1, "the audit trail tells of it");
    later(&app, &larkfield, 61).await;
    app.finish().await;
}

#[tokio::test]
async fn a_notice_about_a_message_that_was_never_sent_is_ignored() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let notice =
        partner.notice(PAT, &larkfield.address, "invented@nowhere", Disposition::Dispatched, app.clock.now());
    assert!(accepted(&partner.send(&app, PAT, &larkfield, &notice).await));
    app.drain().await;
    assert_eq!(subjects(&larkfield.client, json!({})).await, [""; 0]);
    assert!(partner.mails().is_empty(), "and not answered");
    app.finish().await;
}

#[tokio::test]
async fn a_mail_server_that_defers_is_asked_again_under_the_same_message_id() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    partner.answer_next(SmtpReply::new(451, "4.3.0", "Come back later"));
    let sent = larkfield.client.send_document(&larkfield.address, &[PAT], "Again").await;
    app.drain().await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Queued");
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Pending");
    later(&app, &larkfield, 2).await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Sent");
    let mails = partner.mails();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].parsed.headers.message_id, mails[1].parsed.headers.message_id);
    say(&partner, &app, &larkfield, &sent, Disposition::Dispatched).await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Delivered");
    app.finish().await;
}

#[tokio::test]
async fn a_mail_server_that_refuses_a_person_bounces() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let nobody = format!("nobody@{DOMAIN}");
    let sent = larkfield.client.send_document(&larkfield.address, &[&nobody, PAT], "To both").await;
    app.drain().await;
    let failed = delivery(&larkfield.client, &sent, &nobody).await;
    assert_eq!(failed["state"], "Failed");
    assert!(text(&failed, "reason").contains("Nobody of that name at the partner"), "{failed}");
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Sent");
    say(&partner, &app, &larkfield, &sent, Disposition::Dispatched).await;
    app.finish().await;
}

#[tokio::test]
async fn silence_of_one_recipient_is_noticed_while_another_is_still_tried() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    partner.defer(SAM);
    let sent = larkfield.client.send_document(&larkfield.address, &[PAT, SAM], "To two").await;
    app.drain().await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Sent");
    assert_eq!(state(&larkfield.client, &sent, SAM).await, "Queued");
    later(&app, &larkfield, 61).await;
    assert_eq!(
        state(&larkfield.client, &sent, PAT).await,
        "Failed",
        "the hour of one does not wait for the other"
    );
    assert_eq!(state(&larkfield.client, &sent, SAM).await, "Queued");
    later(&app, &larkfield, 60 * 24 * 3).await;
    app.finish().await;
}

#[tokio::test]
async fn a_recipient_who_cannot_be_reached_for_days_fails_and_the_others_keep_what_they_got() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    partner.defer(PAT);
    let summit = app.practice("summit").await;
    let sent = larkfield.client.send_document(&larkfield.address, &[PAT, &summit.address], "For days").await;
    app.drain().await;
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Sent", "one was reached");
    later(&app, &larkfield, 60 * 24).await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Queued", "a day is no reason to give up");
    later(&app, &larkfield, 60 * 24 * 2).await;
    let failed = delivery(&larkfield.client, &sent, PAT).await;
    assert_eq!(failed["state"], "Failed");
    assert!(text(&failed, "reason").contains("Come back later"), "{failed}");
    assert_eq!(state(&larkfield.client, &sent, &summit.address).await, "Delivered");
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Sent");
    app.finish().await;
}
