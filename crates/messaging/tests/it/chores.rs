//! Background tasks and failures: renewal, sweeping, restarts, and nodes that share the work.

use crate::{partner::*, support::*};
use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use messaging::{direct::certificates, storage_sweep::sweep};
use serde_json::json;
use std::{collections::BTreeSet, fs, path::Path};
use testkit::{Db, Practice, TestApp, document};
use uuid::Uuid;

testkit::on_both_databases! {
    bytes_that_nobody_names_are_removed_after_a_day_and_received_mail_after_a_month,
    work_that_was_open_when_a_node_stopped_is_done_after_its_next_start,
}

/// Signs people in again after a long time.
async fn later(app: &TestApp, practices: &[&Practice], days: i64) {
    pass(app, Duration::days(days)).await;
    for practice in practices {
        practice.client.enter(&practice.user).await;
    }
}

#[tokio::test]
async fn a_certificate_is_renewed_before_its_end_and_mail_to_the_old_one_is_still_read() {
    let partner = Partner::start().await;
    let app = partner.app(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    partner.trusted_by(&app, &larkfield).await;
    let own =
        async || app.node.direct.identities.of(&app, larkfield.organization.id).await.expect("identities");
    let first = own().await.remove(0);

    later(&app, &[&larkfield, &summit], 334).await;
    certificates::renew_due(&app).await.expect("a round");
    assert_eq!(own().await.len(), 1, "31 days before its end it is good enough");
    later(&app, &[&larkfield, &summit], 2).await;
    certificates::renew_due(&app).await.expect("a round");
    certificates::renew_due(&app).await.expect("a round");
    let both = own().await;
    assert_eq!(both.len(), 2, "one more, however often one looks");
    assert_ne!(both[0].certificate().serial(), first.certificate().serial(), "the longer one comes first");

    // Somebody outside still uses the old certificate.
    let inner =
        letter(PAT, &[&larkfield.address], "To the old key", app.clock.now()).build().expect("a letter");
    let options = direct::smime::SealOptions::default();
    let to_old = [first.certificate().clone()];
    let bytes = direct::smime::seal(&inner, &partner.identities[0], &to_old, options).expect("it seals");
    assert!(accepted(&post(&app, PAT, &[&larkfield.address], &bytes).await));
    app.drain().await;
    assert_eq!(subjects(&larkfield.client, json!({})).await, ["To the old key"]);

    // After the old certificate expired, the new one signs and decrypts.
    later(&app, &[&larkfield, &summit], 40).await;
    let to = summit.address.as_str();
    let sent = larkfield.client.send_document(&larkfield.address, &[to], "By the new key").await;
    app.drain().await;
    assert_eq!(state(&larkfield.client, &sent, to).await, "Delivered");
    app.finish().await;
}

/// Sets the age of all stored files by the test's clock.
pub fn stored_now(folder: &Path, now: DateTime<Utc>) -> usize {
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files += stored_now(&path, now);
        } else {
            let file = fs::File::options().write(true).open(&path).expect("a file");
            file.set_modified(now.into()).expect("a time");
            files += 1;
        }
    }
    files
}

async fn bytes_that_nobody_names_are_removed_after_a_day_and_received_mail_after_a_month(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Keep me").await;
    // Too large for its row.
    let long = summit.client.draft(document(&summit.address, &[&larkfield.address], "Long")).await;
    let meta =
        json!({ "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected" });
    summit.client.upload(&long, "Long.txt", vec![b'x'; 60_000], meta).await;
    summit.client.post(&format!("/api/messages/{long}/send"), &json!({})).await.ok();
    app.drain().await;
    let draft = larkfield.client.draft(json!({})).await;
    let discarded = larkfield.client.upload(&draft, "Note.txt", b"Deleted.\n".to_vec(), json!({})).await;
    larkfield.client.delete(&file_path(&draft, &discarded)).await.ok();
    let organization = larkfield.organization.id;
    let key = app.keys.data_key(organization).await.expect("a key");
    let orphan = Uuid::now_v7();
    app.blobs
        .put(&key, organization, orphan, Bytes::from_static(b"rolled back"))
        .await
        .expect("it is stored");
    let folder = app.config.blob_dir();
    let before = stored_now(&folder, app.clock.now());

    assert_eq!(sweep(&app).await.expect("a round"), 0, "work that is still under way is left alone");
    later(&app, &[&larkfield, &summit], 2).await;
    assert_eq!(sweep(&app).await.expect("a round"), 1);
    assert!(app.blobs.read_to_vec(&key, organization, orphan, 100).await.is_err());
    assert_eq!(stored_now(&folder, app.clock.now() - Duration::days(2)), before - 1);

    for practice in [&larkfield, &summit] {
        let stored = mails(&app, practice).await.into_iter().filter(|mail| mail.sealed_content.is_none());
        // One letter and two notices for each; the long letter alone is a blob.
        let is_larkfield = practice.organization.id == organization;
        assert_eq!(stored.count(), usize::from(is_larkfield));
        assert_eq!(mails(&app, practice).await.len(), 3);
    }
    later(&app, &[&larkfield, &summit], 29).await;
    assert_eq!(sweep(&app).await.expect("a round"), 1);
    for practice in [&larkfield, &summit] {
        assert!(mails(&app, practice).await.is_empty());
    }
    assert_eq!(sweep(&app).await.expect("a round"), 0);
    let view = summit.client.post("/api/intake", &json!({ "startDate": "2026-11-01" })).await.ok();
    let id = only(&view);
    let file = text(&message(&summit.client, &id).await["attachments"][0], "id").to_owned();
    assert_eq!(summit.client.get(&file_path(&id, &file)).await.body, b"A short note.\n");
    let pdf = summit
        .client
        .request(reqwest::Method::GET, &file_path(&id, &file))
        .header("accept", "application/pdf");
    assert!(summit.client.send(pdf).await.body.starts_with(b"%PDF"));
    app.finish().await;
}

async fn work_that_was_open_when_a_node_stopped_is_done_after_its_next_start(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Before the stop").await;
    let app = app.restart().await;
    app.drain().await;
    let reader = app.browser_of(&summit.user).await;
    assert_eq!(subjects(&reader, json!({})).await, ["Before the stop"]);
    app.finish().await;
}

/// With SQLite, one process does everything.
#[tokio::test]
async fn nodes_that_share_a_database_share_the_work_and_every_message_arrives_once() {
    let Some(db) = Db::postgres() else { return };
    const MESSAGES: usize = 24;
    let app = TestApp::start(db).await;
    let other = app.another_node().await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let elsewhere = other.browser_of(&larkfield.user).await;
    let mut sent = BTreeSet::new();
    for n in 0..MESSAGES {
        let client = if n % 2 == 0 { &larkfield.client } else { &elsewhere };
        let subject = format!("Letter {n}");
        client.send_document(&larkfield.address, &[&summit.address], &subject).await;
        sent.insert(subject);
    }
    // Neither node takes all due steps. How the rest is divided is chance: a node that looks while the other one claims
    // finds nothing.
    let first = app.node.runner.drain_once().await.expect("steps can be claimed");
    assert!(0 < first && first < MESSAGES, "{first} steps at once");
    let second = other.node.runner.drain_once().await.expect("steps can be claimed");
    assert!(second > 0);
    tokio::join!(app.drain(), other.drain());
    // Steps that the other node made due after this one had looked.
    app.drain().await;
    let found = subjects(&summit.client, json!({ "pageSize": 100 })).await;
    assert_eq!(found.len(), MESSAGES, "{found:?}");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), sent);
    let list = larkfield.client.get("/api/messages?isDraft=false&pageSize=100").await.ok();
    let delivered =
        list["items"].as_array().expect("items").iter().filter(|m| m["delivery"]["delivered"] == 1);
    assert_eq!(delivered.count(), MESSAGES);
    other.node.stop().await;
    app.finish().await;
}
