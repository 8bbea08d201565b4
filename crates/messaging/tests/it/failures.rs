//! Messages that are unsent or failed: listed, acknowledged, sent again.

use crate::{partner::*, support::*};
use chrono::Duration;
use direct::smtp::server::SmtpReply;
use platform::Role;
use serde_json::{Value, json};
use testkit::{Client, Db, TestApp};

testkit::on_both_databases! {
    failures_are_listed_until_they_are_acknowledged,
    what_failed_is_sent_again_to_that_recipient_alone,
}

const LIST: &str = "/api/failedmessages";

async fn listed(client: &Client, view: &str) -> Vec<Value> {
    let list = client.get(&format!("{LIST}{view}")).await.ok();
    let items = list["items"].as_array().expect("items").clone();
    assert_eq!(list["totalCount"], items.len());
    items
}

async fn failures_are_listed_until_they_are_acknowledged(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let client = &larkfield.client;
    let unknown = summit.address.replace("records@", "nobody@");
    for (to, subject) in [(&unknown, "First"), (&summit.address, "Arrives"), (&unknown, "Second")] {
        client.send_document(&larkfield.address, &[to], subject).await;
        assert_eq!(listed(client, "?view=waiting").await.len(), 1, "it has not left yet");
        app.drain().await;
        app.advance(Duration::minutes(1));
    }
    assert!(listed(client, "?view=waiting").await.is_empty());
    let failed = listed(client, "?view=failed").await;
    let of = |field: &str| failed.iter().map(|f| text(f, field).to_owned()).collect::<Vec<_>>();
    assert_eq!(of("subject"), ["Second", "First"]);
    let told = "This address does not exist. Please check the spelling.";
    assert_eq!(of("explanation"), [told; 2]);
    assert!(of("reason").iter().all(|reason| reason.contains("550")));
    assert!(failed.iter().all(|f| f["canSendNow"] == true));
    assert!(listed(&summit.client, "").await.is_empty(), "another organization has no failures");

    let path = format!("{LIST}/{}/acknowledge", text(&failed[0], "id"));
    summit.client.put(&path, &json!({})).await.problem(404);
    for _ in 0..2 {
        assert_eq!(client.put(&path, &json!({})).await.status, 204);
    }
    let rest = listed(client, "").await;
    assert_eq!(rest.len(), 1);
    let before =
        json!({ "until": failed[1]["acceptedAt"].as_str().expect("a time").replace("2026", "2025") });
    let all = format!("{LIST}/acknowledgeall");
    assert_eq!(client.post(&all, &before).await.ok()["acknowledged"], 0, "what failed later was not seen");
    assert_eq!(summit.client.post(&all, &json!({})).await.ok()["acknowledged"], 0);
    assert_eq!(client.post(&all, &json!({})).await.ok()["acknowledged"], 1);
    assert!(listed(client, "").await.is_empty());
    app.finish().await;
}

async fn what_failed_is_sent_again_to_that_recipient_alone(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let client = &larkfield.client;
    let late = summit.address.replace("records@", "late@");
    let sent = client.send_document(&larkfield.address, &[&summit.address, &late], "Visit note").await;
    app.drain().await;
    let failed = listed(client, "").await;
    assert_eq!((failed.len(), text(&failed[0], "address")), (1, late.as_str()));
    app.source(&summit.organization, "late").await;

    let now = format!("{LIST}/{}/sendnow", text(&failed[0], "id"));
    summit.client.post(&now, &json!({})).await.problem(404);
    let colleague = app.signed_in(Role::User, &larkfield.organization).await;
    assert_eq!(listed(&colleague, "").await[0]["canSendNow"], false);
    let refused = colleague.post(&now, &json!({})).await.problem(409);
    assert_eq!(refused["message"], "You cannot send from this address.");

    assert_eq!(client.post(&now, &json!({})).await.status, 202);
    assert_eq!(state(client, &sent, &late).await, "Queued");
    app.drain().await;
    for address in [&summit.address, &late] {
        assert_eq!(state(client, &sent, address).await, "Delivered", "{address}");
    }
    assert_eq!(message(client, &sent).await["status"], "Sent");
    client.post(&now, &json!({})).await.problem(409);
    assert!(listed(client, "").await.is_empty());
    let mails = mails(&app, &summit).await;
    assert_eq!(mails.len(), 2, "the first recipient was not sent to again");
    app.finish().await;
}

#[tokio::test]
async fn a_message_that_waits_for_its_next_attempt_is_sent_at_once() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    partner.answer_next(SmtpReply::new(451, "4.3.0", "Come back later"));
    let sent = larkfield.client.send_document(&larkfield.address, &[PAT], "Visit note").await;
    app.drain().await;
    let waiting = listed(&larkfield.client, "?view=waiting").await;
    assert!(waiting[0]["nextAt"].is_string(), "{waiting:?}");
    assert!(text(&waiting[0], "explanation").ends_with("We will try again."));
    let acknowledge = format!("{LIST}/{}/acknowledge", text(&waiting[0], "id"));
    assert_eq!(
        larkfield.client.put(&acknowledge, &json!({})).await.problem(409)["message"],
        "This message has not failed."
    );
    let now = format!("{LIST}/{}/sendnow", text(&waiting[0], "id"));
    larkfield.client.post(&now, &json!({})).await;
    app.drain().await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Sent");
    // No notice arrives.
    app.advance(Duration::days(7));
    app.finish().await;
}

/// The remaining state of a draft that was sent and taken back.
#[tokio::test]
async fn a_message_is_taken_back_while_nothing_has_left() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let client = &larkfield.client;
    let draft = client.draft(testkit::document(&larkfield.address, &[&summit.address], "Visit note")).await;
    client.upload(&draft, "Note.txt", b"A short note.\n".to_vec(), meta()).await;
    let (send, back) = (format!("/api/messages/{draft}/send"), format!("/api/messages/{draft}/takeback"));
    let sent = client.post(&send, &json!({ "isHeld": true })).await.ok();
    assert!(sent["heldUntil"].is_string(), "{sent}");
    app.drain().await;
    assert_eq!(state(client, &draft, &summit.address).await, "Queued", "nothing has left");
    summit.client.post(&back, &json!({})).await.problem(404);
    for _ in 0..2 {
        let view = client.post(&back, &json!({})).await.ok();
        assert_eq!((&view["isDraft"], &view["deliveries"]), (&json!(true), &json!([])), "{view}");
    }
    pass(&app, Duration::seconds(30)).await;
    assert!(mails(&app, &summit).await.is_empty(), "it was called off");

    client.post(&send, &json!({ "isHeld": true })).await.ok();
    // After that time, it can no longer be taken back.
    pass(&app, Duration::seconds(13)).await;
    assert_eq!(mails(&app, &summit).await.len(), 1);
    let refused = client.post(&back, &json!({})).await.problem(409);
    assert_eq!(refused["message"], "The message is already being sent and cannot be taken back.");
    app.drain().await;
    app.finish().await;
}

#[tokio::test]
async fn what_is_sent_to_another_recipient_instead_has_failed_no_more() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let client = &larkfield.client;
    let types = client.get("/api/releasetypes").await.ok();
    let kind = types["releaseTypes"][0]["id"].clone();
    let dead = summit.address.replace("records@", "nobody@");
    let mut form = testkit::document(&larkfield.address, &[&dead], "Visit note");
    form["releaseTypeId"] = kind.clone();
    form["comments"] = json!("As agreed");
    let first = client.draft(form).await;
    client.upload(&first, "Note.txt", b"A short note.\n".to_vec(), meta()).await;
    client.post(&format!("/api/messages/{first}/send"), &json!({})).await.ok();
    app.drain().await;
    let failed = listed(client, "").await;
    let contacts = client.get("/api/contacts").await.ok();
    assert_eq!(contacts["items"][0]["isFailing"], true, "{contacts}");

    let path = format!("{LIST}/{}/draft", text(&failed[0], "id"));
    summit.client.post(&path, &json!({})).await.problem(404);
    let draft = client.post(&path, &json!({ "to": summit.address })).await.ok();
    let draft = text(&draft, "id").to_owned();
    let view = message(client, &draft).await;
    assert_eq!((&view["subject"], &view["comments"]), (&json!("Visit note"), &json!("As agreed")));
    assert_eq!((&view["releaseTypeId"], &view["toAddresses"]), (&kind, &json!([summit.address])));
    assert_eq!(view["attachments"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed(client, "").await.len(), 1, "a draft corrects nothing yet");
    client.post(&format!("/api/messages/{draft}/send"), &json!({ "isHeld": true })).await.ok();
    assert!(listed(client, "?view=failed").await.is_empty());
    let corrected = delivery(client, &first, &dead).await;
    assert_eq!((&corrected["state"], &corrected["correctedBy"]), (&json!("Failed"), &json!(draft)));
    assert_eq!(message(client, &first).await["status"], "Sent");
    client.post(&format!("/api/messages/{draft}/takeback"), &json!({})).await.ok();
    assert_eq!(listed(client, "?view=failed").await.len(), 1, "it was taken back");
    assert_eq!(message(client, &first).await["status"], "Failed");
    client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.drain().await;
    let rows = client.get("/api/messages?isDraft=false").await.ok();
    let row = rows["items"].as_array().and_then(|rows| rows.iter().find(|row| row["id"] == json!(first)));
    let counts = &row.expect("the first message")["delivery"];
    assert_eq!((&counts["failed"], &counts["corrected"]), (&json!(0), &json!(1)), "{counts}");
    app.finish().await;
}
