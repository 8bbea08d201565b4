//! Web services that get documents as JSON.

use crate::world::{World, text};
use axum::{Json, Router, extract::State, http::HeaderMap, routing::post};
use serde_json::{Value, json};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU16, Ordering::Relaxed},
};
use testkit::{Db, Role};
use tokio::net::TcpListener;

/// A service, and what it got: token, idempotency key and body of each call.
#[derive(Clone, Default)]
struct Service {
    got: Arc<Mutex<Vec<(String, String, Value)>>>,
    /// Status of its answers; 0 for 200.
    status: Arc<AtomicU16>,
}

async fn take(
    State(service): State<Service>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> axum::http::StatusCode {
    let header =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("").to_owned();
    service.got.lock().expect("a list").push((header("authorization"), header("idempotency-key"), body));
    let status = service.status.load(Relaxed);
    axum::http::StatusCode::from_u16(if status == 0 { 200 } else { status }).expect("a status")
}

impl Service {
    async fn start() -> (Self, String) {
        let service = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/incoming", listener.local_addr().expect("an address"));
        let routes = Router::new().route("/incoming", post(take)).with_state(service.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        (service, url)
    }

    fn got(&self) -> Vec<(String, String, Value)> {
        self.got.lock().expect("a list").clone()
    }
}

fn form(url: &str) -> Value {
    json!({
        "integrationType": "WebService", "name": "Referral desk", "isActive": true, "baseUrl": url,
        "authentication": "Open", "secret": "desk-token-1",
        "bodyTemplate": "{\"what\": {{event}}, \"who\": {{patient.lastName}}, \"title\": {{document.title}}, \"file\": {{document.content}}}",
    })
}

#[tokio::test]
async fn a_web_service_gets_documents_by_its_template_and_is_told_when_one_is_taken_back() {
    let world = World::start(Db::sqlite(), |ehr| ehr).await;
    let (service, url) = Service::start().await;
    for (field, value, words) in [
        ("bodyTemplate", json!("{\"who\": {{patient.ssn}}}"), "There is no placeholder {{patient.ssn}}."),
        ("bodyTemplate", json!("{\"who\": }"), "This is no JSON."),
        ("baseUrl", json!("ftp://desk.example"), "Please enter an https address"),
        ("authentication", json!("KeyPair"), "without sign-in"),
    ] {
        let mut wrong = form(&url);
        (wrong["clientId"], wrong[field]) = (json!("desk"), value);
        let said = world.admin.put("/api/integrations", &wrong).await.texts(field);
        assert!(said[0].contains(words), "{said:?}");
    }
    let id = world.connect(&form(&url)).await;
    let saved = world.admin.get(&format!("/api/integrations/{id}")).await.ok();
    assert_eq!(saved["hasSecret"], true);
    assert!(!saved.to_string().contains("desk-token-1"), "a token is never shown");
    let report = world.admin.get(&format!("/api/integrations/{id}/connectivity")).await.ok();
    assert_eq!((&report["isConnected"], &report["offered"]), (&json!(true), &json!(["documentSend"])));
    let staff = &world.larkfield.client;
    let can = staff.get("/api/integrations/capabilities").await.ok();
    assert_eq!(can["documentUpload"], false, "it has no charts");

    let message = world.letter().await;
    let path = format!("/api/messages/{}/chart", text(&message, "id"));
    let body = json!({ "integrationId": id, "chartPatientId": "", "processes": false });
    service.status.store(503, Relaxed);
    staff.post(&path, &body).await.ok();
    staff.post(&path, &body).await.texts("attachmentIds");
    world.app.drain().await;
    assert_eq!(staff.get(&path).await.ok()["items"][0]["state"], "Waiting");
    service.status.store(0, Relaxed);
    world.later(chrono::Duration::minutes(2)).await;
    let filing = staff.get(&path).await.ok()["items"][0].clone();
    assert_eq!((&filing["state"], &filing["integrationType"]), (&json!("Filed"), &json!("WebService")));
    let got = service.got();
    let (token, key, document) = got.last().expect("a call");
    assert!(got.iter().all(|(_, other, _)| other == key), "the same key on every attempt");
    assert_eq!(token, "Bearer desk-token-1");
    assert_eq!(document["what"], "document");
    assert!(text(document, "file").starts_with("JVBERi"), "a PDF");

    staff.post(&format!("{path}/{}/undo", text(&filing, "id")), &json!({})).await.ok();
    world.app.drain().await;
    assert_eq!(staff.get(&path).await.ok()["items"][0]["state"], "Withdrawn");
    let got = service.got();
    let (_, other, told) = got.last().expect("a call");
    assert_eq!((&told["what"], &told["file"]), (&json!("takenBack"), &Value::Null));
    assert_ne!(other, key);

    // A refusal is final until somebody tries again.
    service.status.store(422, Relaxed);
    staff.post(&path, &body).await.ok();
    world.app.drain().await;
    let failed = staff.get(&path).await.ok()["items"][0].clone();
    assert_eq!(
        (&failed["state"], &failed["problem"]),
        (&json!("Failed"), &json!("It refused the document with status 422."))
    );

    // A token is for the address that it was entered for.
    let mut moved = form(&url.replace("incoming", "elsewhere"));
    (moved["id"], moved["version"], moved["secret"]) = (json!(id), saved["version"].clone(), json!(""));
    assert_eq!(world.admin.put("/api/integrations", &moved).await.ok()["hasSecret"], false);
    world.app.finish().await;
}

/// Who somebody in the EHR is here, and what operators see of connections.
#[tokio::test]
async fn people_of_the_ehr_are_mapped_and_operators_see_connections() {
    let world = World::connected().await;
    let row = world.connection().await;
    let id = text(&row, "id");
    let path = format!("/api/integrations/{id}/mappings");
    world.larkfield.client.get(&path).await.problem(403);
    let before = world.admin.get(&path).await.ok();
    let items = before["items"].as_array().expect("people and groups").clone();
    let person = items.iter().find(|item| item["kind"] == "Person").expect("a person").clone();
    let group = items.iter().find(|item| item["kind"] == "Group").expect("a group").clone();
    let me = world.larkfield.user.id;
    let change = |of: &Value, users: Value| json!({ "kind": of["kind"], "externalId": of["externalId"], "userIds": users });
    let wanted = json!({ "items": [change(&person, json!([me])), change(&group, json!([me]))] });
    let after = world.admin.put(&path, &wanted).await.ok();
    let users = |view: &Value, of: &Value| {
        let items = view["items"].as_array().expect("items").clone();
        let own = items.into_iter().find(|item| item["externalId"] == of["externalId"]);
        own.expect("it")["users"].clone()
    };
    assert_eq!(users(&after, &person)[0]["id"], json!(me));
    assert_eq!(users(&after, &group)[0]["id"], json!(me));
    let identities = format!("/api/integrations/identities/{me}");
    let mine = world.larkfield.client.get(&identities).await.ok();
    assert_eq!(mine["items"].as_array().map(Vec::len), Some(2));
    let nobody =
        json!({ "items": [change(&json!({ "kind": "Person", "externalId": "nobody" }), json!([me]))] });
    world.admin.put(&path, &nobody).await.texts("items[0].externalId");
    let other = world.app.practice("summit").await;
    let stranger = json!({ "items": [change(&person, json!([other.user.id]))] });
    world.admin.put(&path, &stranger).await.texts("items[0].userIds");
    let there = world.app.signed_in(Role::Admin, &other.organization).await;
    there.get(&path).await.problem(404);
    assert_eq!(other.client.get(&identities).await.ok()["items"], json!([]));
    let removed = world.admin.put(&path, &json!({ "items": [change(&person, json!([]))] })).await.ok();
    assert_eq!(users(&removed, &person), json!([]));

    let operator = world.app.signed_in(Role::SysAdmin, &world.larkfield.organization).await;
    let list = "/api/admin/integrations/connections";
    world.admin.get(list).await.problem(403);
    let all = operator.get(list).await.ok();
    assert_eq!((&all["items"][0]["name"], &all["items"][0]["failingSince"]), (&row["name"], &Value::Null));
    assert_eq!(operator.get(&format!("{list}?failing=true")).await.ok()["items"], json!([]));
    world.server.fail(500, 9);
    let search = json!({ "lastName": "Tenney" });
    world.larkfield.client.post("/api/integrations/patients", &search).await.problem(502);
    let failing = operator.get(&format!("{list}?failing=true&search=lark")).await.ok();
    assert!(!text(&failing["items"][0], "problem").is_empty());
    world.app.finish().await;
}
