//! Restricted documents are listed for everybody, and opened only with the permission.

use crate::{parts::MAIL, support::*};
use platform::{Role, audit::event, error::RESTRICTED};
use reqwest::{Method, header::ACCEPT};
use serde_json::{Value, json};
use testkit::{Answer, Client, Db, PASSWORD, Practice, TestApp, User, document};

/// Method, path, accepted type and body of a call.
type Call = (Method, String, &'static str, Value);

fn restricted_ccd() -> Vec<u8> {
    let normal = String::from_utf8(ccd()).expect("text");
    let start = normal.find("<confidentialityCode").expect("a confidentiality");
    (normal[..start].to_owned() + &normal[start..].replacen("code=\"N\"", "code=\"R\"", 1)).into_bytes()
}

async fn ask(client: &Client, (method, path, accept, body): &Call) -> Answer {
    let request = client.request(method.clone(), path).header(ACCEPT, *accept);
    client.send(if *method == Method::GET { request } else { request.json(body) }).await
}

#[track_caller]
fn refused(answer: Answer) {
    assert_eq!(answer.problem(403)["message"], RESTRICTED);
}

/// Gives a person the permission, or withdraws it.
async fn permit(admin: &Client, person: &User, may: bool) {
    let path = format!("/api/users/{}", person.id);
    let mut form = admin.get(&path).await.ok();
    form["permissions"]["openRestricted"] = may.into();
    assert_eq!(admin.put(&path, &form).await.ok()["permissions"]["openRestricted"], may);
}

fn file_named(view: &Value, name: &str) -> String {
    let files = view["attachments"].as_array().expect("files");
    let file = files.iter().find(|file| file["fileName"] == name).expect("the file");
    file_path(text(view, "id"), text(file, "id"))
}

/// Summit has received a restricted mail and clinical document.
async fn world() -> (TestApp, Practice, Practice, Value) {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let draft = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "Results")).await;
    larkfield.client.upload(&draft, "Results.eml", MAIL.into(), meta()).await;
    larkfield.client.upload(&draft, "Summary.xml", restricted_ccd(), json!({})).await;
    larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.drain().await;
    let view = only_message(&summit.client).await;
    let mail = file_named(&view, "Results.eml");
    let version =
        summit.client.get(&format!("{mail}/metadata")).await.ok()["attachmentMeta"]["version"].clone();
    let said = json!({ "attachmentMeta": { "confidentiality": "VeryRestricted" }, "version": version });
    summit.client.put(&mail, &said).await.ok();
    (app, larkfield, summit, view)
}

/// Calls that open the files of a message, or pass them on.
fn calls(view: &Value, cached: &str, draft: &str) -> Vec<Call> {
    let (mail, summary) = (file_named(view, "Results.eml"), file_named(view, "Summary.xml"));
    let id = text(view, "id");
    let any = "*/*";
    let get = |path: String, accept| (Method::GET, path, accept, Value::Null);
    let put = |path: String, body| (Method::PUT, path, any, body);
    let post = |path: String, body| (Method::POST, path, any, body);
    vec![
        get(mail.clone(), any),
        get(mail.clone(), "application/pdf"),
        get(summary.clone(), any),
        get(summary.clone(), "text/html"),
        get(format!("{summary}/outline"), any),
        get(format!("{summary}/patient"), any),
        put(format!("{mail}/generatePreview"), json!({})),
        get(format!("{mail}/parts"), any),
        post(format!("{mail}/parts/1"), json!({})),
        get(cached.to_owned(), "application/pdf"),
        get(cached.to_owned(), "application/octet-stream"),
        get(format!("{cached}/parts"), any),
        post(format!("{cached}/parts/1"), json!({})),
        put(format!("{mail}/patient/extract"), json!({})),
        get(format!("{mail}/patient/extract"), any),
        put(format!("{mail}/convert?type=Pdf"), json!({})),
        put(format!("{mail}/transforms"), json!({ "transforms": ["Pdf"] })),
        post(format!("/api/messages/{id}/copy"), json!({})),
        get(format!("/api/messages/{draft}/fax/pages"), any),
        post(format!("/api/messages/{draft}/send"), json!({})),
    ]
}

fn files_of(view: &Value) -> usize {
    view["attachments"].as_array().map_or(0, Vec::len)
}

// MSG-R-153
#[tokio::test]
async fn a_restricted_document_is_opened_and_passed_on_with_the_permission_only() {
    let (app, larkfield, summit, view) = world().await;
    let (admin, person) =
        (app.user(Role::Admin, &summit.organization).await, app.user(Role::User, &summit.organization).await);
    let (admin, closed) = (app.browser_of(&admin).await, app.browser_of(&person).await);
    let open = &summit.client;
    let mail = file_named(&view, "Results.eml");
    let inner = open.post(&format!("{mail}/parts/1"), &json!({})).await.ok();
    let cached = format!("/api/Preview/Document/{}", text(&inner, "cacheId"));
    let draft = open.draft(document(&summit.address, &[&larkfield.address], "Results")).await;
    open.upload(&draft, "Summary.xml", restricted_ccd(), json!({})).await;
    assert!(closed.get(&mail).await.status.is_success(), "everybody may until it is taken away");

    permit(&admin, &person, false).await;
    let id = text(&view, "id");
    assert_eq!(text(&message(&closed, id).await, "subject"), "Results");
    assert_eq!(intake(&closed, json!({})).await["items"][0]["attachmentCount"], files_of(&view));
    let calls = calls(&view, &cached, &draft);
    for call in &calls {
        refused(ask(&closed, call).await);
    }
    let said = closed.get(&format!("{mail}/metadata")).await.ok();
    let lifted = json!({ "confidentiality": "Normal" });
    let lifted = json!({ "attachmentMeta": lifted, "version": said["attachmentMeta"]["version"] });
    refused(closed.put(&mail, &lifted).await);
    let signers = format!("/api/messages/{id}/signers");
    open.post(&signers, &json!({ "signers": [person.id] })).await.ok();
    let documents = closed.get(&signers).await.ok()["documents"].clone();
    let sign = json!({ "documents": documents, "password": PASSWORD });
    refused(closed.post(&format!("{signers}/sign"), &sign).await);

    for call in &calls {
        let answer = ask(open, call).await;
        assert!(answer.status != 403 && answer.status != 404, "{call:?}: {}", answer.status);
    }
    permit(&admin, &person, true).await;
    assert!(closed.get(&mail).await.status.is_success());
    let changes = audit_of(&app, person.id).await;
    let changes = changes.iter().filter(|e| e.event_type == event::CHANGED);
    let of_permission = |detail: &str| {
        let detail: Value = serde_json::from_str(detail).expect("details");
        detail["changed"].as_array().is_some_and(|changed| changed.contains(&json!("openRestricted")))
    };
    assert_eq!(changes.filter(|e| of_permission(&e.detail)).count(), 2);
    app.finish().await;
}

#[tokio::test]
async fn an_export_without_the_permission_leaves_restricted_documents_out() {
    let (app, larkfield, summit, view) = world().await;
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Open").await;
    app.drain().await;
    let (admin, person) = (
        app.signed_in(Role::Admin, &summit.organization).await,
        app.user(Role::User, &summit.organization).await,
    );
    let client = app.browser_of(&person).await;
    let list = intake(&client, json!({})).await;
    let ids: Vec<&Value> = list["items"].as_array().expect("items").iter().map(|row| &row["id"]).collect();
    let form = json!({ "ids": ids, "form": "NativeExport" });
    let whole = client.post("/api/tasks", &form).await.ok();
    app.drain().await;
    let of = |task: &Value, tail: &str| format!("/api/tasks/{}/{tail}", text(task, "id"));
    let files = client.get(&of(&whole, "files")).await.ok();
    assert_eq!(
        (files["items"].as_array().map(Vec::len), &files["problems"]),
        (Some(files_of(&view) + 1), &json!([]))
    );

    permit(&admin, &person, false).await;
    let less = client.post("/api/tasks", &form).await.ok();
    app.drain().await;
    let left = client.get(&of(&less, "files")).await.ok();
    assert_eq!(left["items"].as_array().map(Vec::len), Some(1), "{left}");
    assert_eq!(left["problems"][0]["messageId"], view["id"]);
    let reason = left["problems"][0]["reasons"][0].as_str().expect("a reason");
    assert!(reason.ends_with(RESTRICTED), "{reason}");

    // Existing derivatives are not handed out any more either.
    let kept = client.get(&of(&whole, "files")).await.ok();
    assert_eq!(kept["items"].as_array().map(Vec::len), Some(1));
    let still = text(&kept["items"][0], "path");
    for file in files["items"].as_array().expect("files") {
        let answer = client.get(&of(&whole, &format!("files/{}", file["position"]))).await;
        if file["path"] == still { assert_eq!(answer.status, 200) } else { refused(answer) }
    }
    // Neither when the message is deleted.
    summit.client.delete(&format!("/api/messages/{}", text(&view, "id"))).await.ok();
    let kept = client.get(&of(&whole, "files")).await.ok();
    assert_eq!(kept["items"].as_array().map(Vec::len), Some(1), "{kept}");
    app.finish().await;
}
