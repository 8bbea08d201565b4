//! Messages that are not out yet or did not arrive: listed, acknowledged, sent again.

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
    let told = "Nobody has this address at the recipient's mail system. Check how it is written.";
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
    assert!(text(&waiting[0], "explanation").ends_with("It is tried again."));
    let acknowledge = format!("{LIST}/{}/acknowledge", text(&waiting[0], "id"));
    assert_eq!(
        larkfield.client.put(&acknowledge, &json!({})).await.problem(409)["message"],
        "This message has not failed."
    );
    let now = format!("{LIST}/{}/sendnow", text(&waiting[0], "id"));
    larkfield.client.post(&now, &json!({})).await;
    app.drain().await;
    assert_eq!(state(&larkfield.client, &sent, PAT).await, "Sent");
    // No notice comes.
    app.advance(Duration::days(7));
    app.finish().await;
}
