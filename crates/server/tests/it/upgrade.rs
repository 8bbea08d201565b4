//! This version takes over a database of an earlier version.

use accounts::branding::http::DEMO_ACCOUNTS;
use serde_json::json;
use std::{fs, process::Command};
use testkit::{Db, Options, TestApp};

/// Output of `script/keep-database`.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept/demo.db.gz");
const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const EVER: &str = "2020-01-01T00:00:00Z";

#[tokio::test]
async fn a_database_filled_by_an_earlier_version_is_migrated_and_served() {
    let db = Db::sqlite().empty().await;
    let unpacked = Command::new("gzip").args(["-dc", KEPT]).output().expect("gzip is installed");
    assert!(unpacked.status.success());
    fs::write(db.folder().join("carepost.db"), unpacked.stdout).expect("the database is written");
    let options = Options {
        live: true,
        configure: Some(Box::new(|config| config.keys.master_key = Some(KEY.into()))),
        ..Options::default()
    };
    let app = TestApp::start_with(db, options).await;
    assert_eq!(app.store.pending_migrations().await.expect("migrations"), [""; 0]);

    let client = app.client();
    client.sign_in(DEMO_ACCOUNTS[0].user_name, DEMO_ACCOUNTS[0].password).await.ok();
    let query = json!({ "startDate": EVER, "pageSize": 100 });
    let list = client.post("/api/intake", &query).await.ok();
    let items = list["items"].as_array().expect("items");
    assert!(items.len() >= 20, "{list}");
    for item in items {
        let id = item["id"].as_str().expect("an id");
        let message = client.get(&format!("/api/messages/{id}")).await.ok();
        assert_eq!(message["subject"], item["subject"], "what was sealed opens");
    }
    let patient = items.iter().find_map(|item| item["patientName"].as_str().filter(|name| !name.is_empty()));
    let last_name = patient.and_then(|name| name.split([' ', ',']).next()).expect("a patient");
    let found = client.post("/api/intake", &json!({ "startDate": EVER, "filter": last_name })).await.ok();
    assert_ne!(found["items"], json!([]), "{last_name}: {found}");

    app.node.stop().await;
}
