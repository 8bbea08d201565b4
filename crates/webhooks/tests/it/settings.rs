//! Settings of administrators.

use crate::endpoint::Endpoint;
use serde_json::{Value, json};
use testkit::{Client, Db, Options, Role, TestApp};

fn form(url: &str) -> Value {
    json!({ "name": "EHR", "url": url, "events": ["message.received"] })
}

/// An installation that is not a demonstration.
fn close(config: &mut platform::Config) {
    config.webhooks.allowed_networks.clear();
    config.mode = platform::config::Mode::Production;
    config.session.require_second_factor = Some(false);
}

async fn admin(app: &TestApp) -> Client {
    let practice = app.practice("larkfield").await;
    app.signed_in(Role::Admin, &practice.organization).await
}

/// MSG-C-141, MSG-C-142, MSG-C-143, MSG-C-144, MSG-C-145, MSG-C-146
#[tokio::test]
async fn an_administrator_keeps_webhooks() {
    let app = TestApp::start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    practice.client.get("/api/webhooks").await.problem(403);
    let events = admin.get("/api/webhooks/events").await.ok();
    assert!(events["items"].as_array().expect("events").contains(&json!("message.received")));
    let types = admin.get("/api/webhooks/authenticationtypes").await.ok();
    assert_eq!(types["items"], json!(["None", "Basic", "Bearer"]));

    let mut wanted = form("https://hooks.larkfield.example/in");
    wanted["authenticationType"] = json!("Bearer");
    wanted["credential"] = json!("not to be shown");
    let made = admin.post("/api/webhooks", &wanted).await;
    assert!(!made.text().contains("not to be shown"));
    let made = made.ok();
    assert_eq!((&made["hasCredential"], &made["version"]), (&json!(true), &json!(1)));
    let path = format!("/api/webhooks/{}", made["id"].as_str().expect("an id"));
    assert_eq!(
        admin.post("/api/webhooks", &wanted).await.texts("name"),
        ["A webhook with this name already exists."]
    );
    assert_eq!(admin.get("/api/webhooks?search=LARK").await.ok()["totalCount"], 1);

    wanted["credential"] = json!("");
    wanted["name"] = json!("Portal");
    wanted["version"] = json!(0);
    admin.put(&path, &wanted).await.problem(409);
    wanted["version"] = json!(1);
    let changed = admin.put(&path, &wanted).await.ok();
    assert_eq!((&changed["name"], &changed["hasCredential"]), (&json!("Portal"), &json!(true)));
    // Another host does not get the token of the first.
    wanted["version"] = json!(2);
    wanted["url"] = json!("https://elsewhere.example/in");
    assert_eq!(admin.put(&path, &wanted).await.texts("credential"), ["Please enter the password or token."]);
    let (secret, renewed) = (format!("{path}/secret"), json!({}));
    let first = admin.get(&secret).await.ok();
    assert!(first["secret"].as_str().expect("a key").starts_with("whsec_"));
    assert_ne!(admin.post(&secret, &renewed).await.ok(), first);
    admin.delete(&path).await.ok();
    admin.get(&path).await.problem(404);
    app.finish().await;
}

/// MSG-R-349, MSG-R-350
#[tokio::test]
async fn only_safe_public_addresses_are_taken() {
    let options = Options { configure: Some(Box::new(close)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let admin = admin(&app).await;
    for unsafe_url in
        ["http://hooks.larkfield.example/", "ftp://hooks.larkfield.example", "hooks", "https://[fd00::1]/in"]
    {
        let said = admin.post("/api/webhooks", &form(unsafe_url)).await.texts("url");
        assert!(said[0].starts_with("Please enter an https address"), "{unsafe_url}: {said:?}");
    }
    for inner in
        ["https://10.1.2.3/in", "https://localhost/in", "http://127.0.0.1:8080", "https://169.254.169.254/"]
    {
        let said = admin.post("/api/webhooks", &form(inner)).await.texts("url");
        assert!(said[0].starts_with("This address is in a private network"), "{inner}: {said:?}");
    }
    let mut nothing = form("https://hooks.larkfield.example/");
    nothing["events"] = json!(["message.read"]);
    assert_eq!(
        admin.post("/api/webhooks", &nothing).await.texts("events"),
        ["Please choose at least one event."]
    );
    app.finish().await;
}

/// A name with an internal address is refused when it is called, whatever it resolved to before.
#[tokio::test]
async fn what_moves_into_a_private_network_is_not_called() {
    let app = TestApp::start(Db::sqlite()).await;
    let (admin, endpoint) = (admin(&app).await, Endpoint::start().await);
    admin.post("/api/webhooks", &form(&endpoint.url.replace("127.0.0.1", "localhost"))).await.ok();
    let token = admin.token();
    let app = app.restart_with(close).await;
    let admin = app.client();
    admin.set_token(&token);
    let id = admin.get("/api/webhooks").await.ok()["items"][0]["id"].clone();
    let path = format!("/api/webhooks/{}", id.as_str().expect("an id"));
    admin.post(&format!("{path}/test"), &json!({})).await.ok();
    app.drain().await;
    let failed = admin.get(&format!("{path}/deliveries")).await.ok()["items"][0].clone();
    assert_eq!(failed["status"], "Failed");
    assert!(failed["reason"].as_str().expect("a reason").starts_with("This address is in a private network"));
    assert!(endpoint.take().is_empty());
    app.finish().await;
}
