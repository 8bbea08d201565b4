//! Monitoring of an installation: health, metrics, and alerts with their owners.

use chrono::TimeDelta;
use platform::{Role, nodes};
use serde_json::json;
use testkit::{Db, Options, TestApp};
use uuid::Uuid;

const ALERTS: &str = "/api/diagnostics/messaging/systemalerts";

#[tokio::test]
async fn an_alert_shows_who_sees_to_it_for_a_day() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let node = Uuid::now_v7();
    nodes::say(&app, node, "1.2.3", app.clock.now()).await.expect("a heartbeat");
    app.advance(TimeDelta::minutes(5));
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
    let seen = async || operator.get(ALERTS).await.ok()["items"][0].clone();
    let alert = seen().await;
    assert_eq!(alert["id"], format!("node.{node}"));
    assert!(alert["acknowledgement"].is_null());

    let path = format!("{ALERTS}/node.{node}/acknowledgement");
    operator.put(&path, &json!({ "note": "Its disk is replaced" })).await.ok();
    let alert = seen().await;
    assert_eq!(alert["acknowledgement"]["note"], "Its disk is replaced");
    operator.delete(&path).await.ok();
    assert!(seen().await["acknowledgement"].is_null());
    operator.delete(&path).await.problem(404);

    operator.put(&path, &json!({})).await.ok();
    operator.put(&path, &json!({ "note": "x".repeat(201) })).await.problem(422);
    operator.put(&format!("{ALERTS}/disk.elsewhere/acknowledgement"), &json!({})).await.problem(404);
    let reporter = app.signed_in(Role::Reporting, &larkfield).await;
    reporter.get(ALERTS).await.ok();
    reporter.put(&path, &json!({})).await.problem(403);
    app.finish().await;
}

#[tokio::test]
async fn an_alert_keeps_its_beginning_however_often_it_is_looked_at() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
    let begun = async || {
        app.health.note_audit(vec!["An entry was changed".into()]);
        let found = operator.get(ALERTS).await.ok();
        let alerts = found["items"].as_array().expect("alerts").iter();
        alerts.clone().find(|alert| alert["id"] == "audit").expect("the alert")["createdAt"].clone()
    };
    let first = begun().await;
    app.advance(TimeDelta::minutes(5));
    assert_eq!(begun().await, first);
    app.finish().await;
}

#[tokio::test]
async fn metrics_stand_on_a_listener_of_their_own_and_name_nobody() {
    let configure = |config: &mut platform::Config| config.metrics.listen = Some(([127, 0, 0, 1], 0).into());
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let larkfield = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
    operator.get(&format!("/api/organizations/{}", larkfield.id)).await.ok();
    operator.get("/api/organizations/nobody").await.problem(404);

    let metrics = app.node.metrics_addr.expect("the metrics listen");
    let answer = reqwest::get(format!("http://{metrics}/metrics")).await.expect("an answer");
    let kind = answer.headers()["content-type"].to_str().expect("text").to_owned();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    let text = answer.text().await.expect("text");
    let has = |line: &str| assert!(text.lines().any(|known| known.starts_with(line)), "{line} in {text}");
    has("carepost_http_requests_total{method=\"GET\",route=\"/api/organizations/{id}\",status=\"200\"} 1");
    has("carepost_steps_waiting{lane=\"Delivering\"} 0");
    has("carepost_workflows_last_hour{line=\"Direct outbound\",status=\"Failed\"} 0");
    has("carepost_database_up 1");
    has("carepost_disk_floor_bytes ");
    has("process_resident_memory_bytes ");
    assert!(text.ends_with("# EOF\n"));
    assert!(!text.contains(&larkfield.id.to_string()) && !text.contains("larkfield"));
    app.finish().await;
}

#[tokio::test]
async fn health_says_whether_the_node_answers_to_anybody() {
    let app = TestApp::start(Db::sqlite()).await;
    for path in ["/health/live", "/health/ready"] {
        assert_eq!(reqwest::get(app.url(path)).await.expect("an answer").status(), 204);
    }
    let hidden = reqwest::get(app.url("/metrics")).await.expect("an answer").text().await.expect("text");
    assert!(!hidden.contains("carepost_steps"), "the public address shows no metrics");
    app.finish().await;
}

#[tokio::test]
async fn health_names_settings_that_leave_something_unprotected() {
    let configure = |config: &mut platform::Config| {
        config.mode = platform::config::Mode::Production;
        config.session.require_second_factor = Some(false);
        config.malware.clamd = Some("192.0.2.7:3310".into());
        config.malware.allow_remote = true;
    };
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let larkfield = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
    let named = operator.get("/api/admin/health").await.ok()["concessions"].clone();
    assert_eq!(named.as_array().map(Vec::len), Some(1), "{named}");
    assert!(named[0].as_str().is_some_and(|text| text.contains("malware.allow_remote")), "{named}");
    app.finish().await;
}
