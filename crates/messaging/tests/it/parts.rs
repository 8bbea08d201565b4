//! Documents inside files: listed, extracted, shown and downloaded.

use crate::support::*;
use chrono::Duration;
use messaging::storage_sweep::sweep;
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use store::entities::cached_document;
use testkit::{Client, Db, Practice, Role, TestApp, document};
use uuid::Uuid;

pub const MAIL: &str = "From: Ada Poe <ada@larkfield.example>\r\nSubject: Results\r\nMIME-Version: 1.0\r\n\
    Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\nContent-Type: text/plain\r\n\r\nDear colleague\r\n\
    --o\r\nContent-Type: message/rfc822\r\n\r\nFrom: Bo <bo@cedar.example>\r\nSubject: Older\r\nMIME-Version: 1.0\r\n\
    Content-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\nContent-Type: text/plain\r\n\r\nInner\r\n\
    --i\r\nContent-Type: text/plain; name=note.txt\r\nContent-Disposition: attachment; filename=note.txt\r\n\r\nStable\r\n--i--\r\n\
    --o\r\nContent-Type: application/octet-stream; name=tool.bin\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC\r\n--o--\r\n";

async fn world() -> (TestApp, Practice, String, String) {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let draft = larkfield.client.draft(json!({})).await;
    let file = larkfield.client.upload(&draft, "Results.eml", MAIL.into(), json!({})).await;
    (app, larkfield, draft, file)
}

async fn opened(client: &Client, path: &str, part: u32) -> Value {
    client.post(&format!("{path}/parts/{part}"), &json!({})).await.ok()
}

fn address(cached: &Value) -> String {
    format!("/api/Preview/Document/{}", text(cached, "cacheId"))
}

// MSG-C-024
#[tokio::test]
async fn the_files_of_a_mail_open_one_in_the_other_and_are_nobody_elses() {
    let (app, larkfield, draft, file) = world().await;
    let client = &larkfield.client;
    let path = file_path(&draft, &file);
    let view = client.get(&format!("{path}/metadata")).await.ok();
    assert_eq!((&view["hasParts"], &view["isConvertible"]), (&json!(true), &json!(true)));
    let parts = client.get(&format!("{path}/parts")).await.ok()["parts"].clone();
    let known: Vec<_> =
        parts.as_array().unwrap().iter().map(|p| (text(p, "fileName"), p["isPreviewable"] == true)).collect();
    assert_eq!(known, [("Older.eml", true), ("tool.bin", false)]);

    let inner = opened(client, &path, 1).await;
    assert!(app.blobs.is_durable(), "its row names bytes that a power cut leaves");
    assert_eq!(opened(client, &path, 1).await["cacheId"], inner["cacheId"], "it is taken out once");
    let shown = get_as(client, &address(&inner).to_lowercase(), "application/pdf").await;
    assert!(app.blobs.is_durable(), "so does the row of a rendition");
    assert!(shown.status == 200 && shown.body.starts_with(b"%PDF"), "{}", shown.status);
    let note = client.get(&format!("{}/parts", address(&inner))).await.ok();
    assert_eq!(text(&note["parts"][0], "fileName"), "note.txt");
    let note = opened(client, &address(&inner), 1).await;
    let saved = get_as(client, &address(&note), "application/octet-stream").await;
    let kind = saved.header("content-type");
    assert_eq!((saved.text().trim(), kind.as_str()), ("Stable", "text/plain; charset=utf-8"));
    assert!(saved.header("content-security-policy").contains("sandbox"));

    let tool = opened(client, &path, 2).await;
    let words = get_as(client, &address(&tool), "application/pdf").await.problem(409);
    assert_eq!(words["message"], "There is no preview for files of this type.");
    assert_eq!(get_as(client, &address(&tool), "application/octet-stream").await.body, [0, 1, 2]);
    client.post(&format!("{path}/parts/3"), &json!({})).await.problem(404);
    client.post(&format!("{path}/parts/0"), &json!({})).await.problem(404);

    let summit = app.practice("summit").await;
    for mine in [address(&inner), format!("/api/Preview/Document/{}", Uuid::now_v7())] {
        get_as(&summit.client, &mine, "application/pdf").await.problem(404);
        summit.client.get(&format!("{mine}/parts")).await.problem(404);
        summit.client.post(&format!("{mine}/parts/1"), &json!({})).await.problem(404);
    }
    let read = audit_of(&app, id_of(&json!({ "id": inner["cacheId"] }))).await;
    assert!(read.len() >= 3, "who looked at it is known");

    pass(&app, Duration::hours(25)).await;
    sweep(&app).await.expect("a round");
    let kept = cached_document::Entity::find().all(app.store.db()).await.expect("documents");
    assert!(kept.is_empty(), "what nobody uses is forgotten");
    app.finish().await;
}

#[tokio::test]
async fn documents_that_are_too_deep_in_others_are_not_taken_out() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let client = &larkfield.client;
    let draft = client.draft(json!({})).await;
    let mut mail = "From: a@x.example\r\nSubject: 0\r\nMIME-Version: 1.0\r\n\r\nInnermost\r\n".to_owned();
    for depth in 1..8 {
        mail = format!(
            "From: a@x.example\r\nSubject: {depth}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b{depth}\r\n\r\n\
             --b{depth}\r\nContent-Type: message/rfc822\r\n\r\n{mail}\r\n--b{depth}--\r\n"
        );
    }
    let file = client.upload(&draft, "Deep.eml", mail.into(), json!({})).await;
    let mut path = file_path(&draft, &file);
    for _ in 0..4 {
        path = address(&opened(client, &path, 1).await);
    }
    assert_eq!(client.get(&format!("{path}/parts")).await.ok()["parts"], json!([]));
    client.post(&format!("{path}/parts/1"), &json!({})).await.problem(409);
    app.finish().await;
}

#[tokio::test]
async fn a_document_out_of_a_file_is_read_by_those_who_may_read_its_message() {
    let (app, larkfield, _, _) = world().await;
    let summit = app.practice("summit").await;
    let draft = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "Results")).await;
    larkfield.client.upload(&draft, "Results.eml", MAIL.into(), meta()).await;
    larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.drain().await;
    let view = only_message(&summit.client).await;
    let file = file_path(text(&view, "id"), text(&view["attachments"][0], "id"));
    let inner = opened(&summit.client, &file, 1).await;
    summit.client.get(&format!("{}/parts", address(&inner))).await.ok();
    let reader = app.user(Role::User, &summit.organization).await;
    limit_readers(&app, &summit, reader.id).await;
    get_as(&summit.client, &address(&inner), "application/pdf").await.problem(404);
    summit.client.get(&format!("{}/parts", address(&inner))).await.problem(404);
    summit.client.post(&format!("{}/parts/1", address(&inner)), &json!({})).await.problem(404);
    app.browser_of(&reader).await.get(&format!("{}/parts", address(&inner))).await.ok();
    app.finish().await;
}
