//! Requests to endpoints.

use crate::endpoint::Endpoint;
use aws_lc_rs::hmac;
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::Duration;
use serde_json::{Value, json};
use testkit::{Client, Db, Options, Practice, Role, TestApp};
use tokio::net::TcpListener;

testkit::on_both_databases! {
    an_event_is_sent_signed_and_logged,
    an_event_is_tried_again_and_the_webhook_paused_in_the_end,
}

struct Scene {
    app: TestApp,
    practice: Practice,
    endpoint: Endpoint,
    /// Of the webhook.
    path: String,
}

impl Scene {
    async fn new(db: Db) -> Self {
        Self::of(TestApp::start(db).await).await
    }

    async fn of(app: TestApp) -> Self {
        let practice = app.practice("larkfield").await;
        let endpoint = Endpoint::start().await;
        let mut scene = Self { app, practice, endpoint, path: String::new() };
        scene.path = scene.webhook_to(&scene.endpoint.url).await;
        scene
    }

    /// The path of a new webhook.
    async fn webhook_to(&self, url: &str) -> String {
        let form = json!({
            "name": url, "url": url, "events": ["message.received"],
            "authenticationType": "Basic", "userName": "carepost", "credential": "a password",
        });
        let made = self.admin().await.post("/api/webhooks", &form).await.ok();
        format!("/api/webhooks/{}", made["id"].as_str().expect("an id"))
    }

    /// Sessions expire while the clock advances.
    async fn admin(&self) -> Client {
        self.app.signed_in(Role::Admin, &self.practice.organization).await
    }

    /// Causes an event.
    async fn receive(&self) {
        let own = self.practice.address.as_str();
        let client = self.app.browser_of(&self.practice.user).await;
        client.send_document(own, &[own], "Visit note").await;
        self.app.drain().await;
    }

    async fn deliveries(&self) -> Vec<Value> {
        self.deliveries_of(&self.path).await
    }

    async fn deliveries_of(&self, path: &str) -> Vec<Value> {
        let log = self.admin().await.get(&format!("{path}/deliveries")).await.ok();
        log["items"].as_array().expect("a log").clone()
    }

    async fn webhook(&self) -> Value {
        self.admin().await.get(&self.path).await.ok()
    }

    async fn post(&self, below: &str, body: Value) -> testkit::Answer {
        self.admin().await.post(&format!("{}/{below}", self.path), &body).await
    }
}

async fn an_event_is_sent_signed_and_logged(db: Db) {
    let scene = Scene::new(db).await;
    scene.receive().await;
    let came = scene.endpoint.take();
    let [(headers, body)] = came.as_slice() else { panic!("{} calls", came.len()) };
    let header = |name: &str| headers[name].to_str().expect("a text").to_owned();
    assert_eq!(header("authorization"), format!("Basic {}", STANDARD.encode("carepost:a password")));
    let secret = scene.admin().await.get(&format!("{}/secret", scene.path)).await.ok();
    let secret = secret["secret"].as_str().expect("a key").trim_start_matches("whsec_").to_owned();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &STANDARD.decode(secret).expect("base64"));
    let signed =
        [format!("{}.{}.", header("webhook-id"), header("webhook-timestamp")).as_bytes(), body].concat();
    let signature = header("webhook-signature").trim_start_matches("v1,").to_owned();
    hmac::verify(&key, &signed, &STANDARD.decode(signature).expect("base64")).expect("our signature");

    let event: Value = serde_json::from_slice(body).expect("JSON");
    assert_eq!(event["type"], "message.received");
    assert_eq!(event["data"]["toAddress"], scene.practice.address.as_str());
    assert!(!String::from_utf8_lossy(body).contains("Visit note"), "nothing of the content is told");
    let log = scene.deliveries().await;
    assert_eq!((&log[0]["status"], &log[0]["responseStatus"]), (&json!("Delivered"), &json!(204)));
    let shown =
        scene.admin().await.get(&format!("{}/deliveries/{}", scene.path, header("webhook-id"))).await.ok();
    assert_eq!(shown["body"], String::from_utf8_lossy(body).as_ref());
    scene.app.finish().await;
}

async fn an_event_is_tried_again_and_the_webhook_paused_in_the_end(db: Db) {
    let scene = Scene::new(db).await;
    scene.endpoint.answers(503);
    scene.receive().await;
    assert_eq!(scene.endpoint.kinds(), ["message.received"]);
    assert_eq!(scene.deliveries().await[0]["reason"], "The endpoint answered with status 503.");
    for _ in 0..8 {
        scene.app.advance(Duration::hours(4));
        scene.app.drain().await;
    }
    let hook = scene.webhook().await;
    assert!(hook["pausedAt"].is_string(), "{hook}");
    assert_eq!(scene.deliveries().await[0]["status"], "Failed");
    scene.post("test", json!({})).await.problem(409);
    scene.post("resend", json!({ "since": "2026-11-20T00:00:00Z" })).await.problem(409);

    // Events meanwhile wait in the log.
    scene.endpoint.take();
    scene.endpoint.answers(200);
    scene.receive().await;
    assert!(scene.endpoint.kinds().is_empty());
    let resumed = scene.post("resume", json!({})).await.ok();
    assert_eq!(resumed["pausedAt"], Value::Null);
    let again = scene.post("resend", json!({ "since": "2026-11-20T00:00:00Z" })).await.ok();
    assert_eq!(again, json!({ "count": 2, "hasMore": false }));
    scene.app.drain().await;
    assert_eq!(scene.endpoint.kinds(), ["message.received", "message.received"]);
    let states: Vec<Value> = scene.deliveries().await.iter().map(|d| d["status"].clone()).collect();
    assert_eq!(states, ["Delivered", "Delivered"]);
    assert_eq!(scene.webhook().await["failingSince"], Value::Null);
    scene.app.finish().await;
}

#[tokio::test]
async fn a_test_is_sent_once_and_a_redirect_is_not_followed() {
    let scene = Scene::new(Db::sqlite()).await;
    scene.endpoint.answers(302);
    scene.post("test", json!({})).await.ok();
    scene.app.drain().await;
    assert_eq!(scene.endpoint.kinds(), ["webhook.test"]);
    let test = scene.deliveries().await[0].clone();
    assert_eq!(test["status"], "Failed");
    assert_eq!(test["reason"], "The endpoint answered with a redirect, which is not followed.");
    assert_eq!(scene.webhook().await["failingSince"], Value::Null, "a test says nothing about events");
    scene.endpoint.answers(200);
    let again = format!("deliveries/{}/resend", test["id"].as_str().expect("an id"));
    scene.post(&again, json!({})).await.ok();
    scene.app.drain().await;
    assert_eq!(scene.endpoint.kinds(), ["webhook.test"]);
    scene.app.finish().await;
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_left_alone_and_old_deliveries_are_forgotten() {
    let scene = Scene::new(Db::sqlite()).await;
    scene.endpoint.answers(410);
    scene.receive().await;
    assert!(scene.webhook().await["pausedAt"].is_string());
    scene.app.advance(Duration::hours(1));
    scene.app.drain().await;
    scene.app.advance(Duration::days(31));
    assert_eq!(webhooks::sweep(&scene.app).await.expect("a sweep"), 1);
    assert!(scene.deliveries().await.is_empty());
    scene.app.finish().await;
}

#[tokio::test]
async fn an_endpoint_that_never_answers_is_called_again_later_and_slows_no_other() {
    let configure = |config: &mut platform::Config| config.webhooks.timeout_seconds = 1;
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    let scene = Scene::of(TestApp::start_with(Db::sqlite(), options).await).await;
    // The system accepts the connections without reading.
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/events", silent.local_addr().expect("an address"));
    let path = scene.webhook_to(&url).await;
    let of_silent = async || scene.deliveries_of(&path).await[0].clone();

    scene.receive().await;
    let waiting = of_silent().await;
    assert_eq!((&waiting["status"], &waiting["attempts"]), (&json!("Waiting"), &json!(1)));
    assert_eq!(waiting["reason"], "The endpoint could not be reached, or did not answer within 1 seconds.");
    let other = scene.deliveries().await[0].clone();
    assert_eq!((&other["status"], &other["attempts"]), (&json!("Delivered"), &json!(1)));
    let milliseconds = |delivery: &Value| delivery["milliseconds"].as_u64().expect("a time");
    assert!(milliseconds(&other) < milliseconds(&waiting), "{waiting} {other}");

    scene.app.advance(Duration::seconds(14));
    scene.app.drain().await;
    assert_eq!(of_silent().await["attempts"], 1, "not before its time");
    scene.app.advance(Duration::seconds(1));
    scene.app.drain().await;
    assert_eq!(of_silent().await["attempts"], 2);
    assert_eq!(scene.endpoint.kinds(), ["message.received"], "the other one is called once");

    assert_eq!(scene.admin().await.delete(&path).await.status, 204);
    scene.app.advance(Duration::minutes(1));
    scene.app.finish().await;
}
