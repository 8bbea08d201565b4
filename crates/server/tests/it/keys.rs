//! The master key is replaced, and everything that was sealed stays readable.

use chrono::Duration;
use platform::{Role, audit::event};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::json;
use server::{commands::rotate_key, installation};
use std::process::Command;
use store::{entities::audit_entry, keys::MasterKey};
use testkit::{Db, PASSWORD, TestApp};
use totp_rs::{Builder, Secret};

#[tokio::test]
async fn the_master_key_is_replaced_while_everything_stays_readable() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Before").await;
    app.drain().await;
    let user = app.user(Role::User, &larkfield.organization).await;
    let client = app.browser_of(&user).await;
    let asked = json!({ "password": PASSWORD });
    let setup = client.post("/api/account/secondfactor/authenticator", &asked).await.ok();
    let secret = setup["secret"].as_str().expect("a secret").to_owned();
    let confirmed = json!({ "challenge": setup["challenge"], "code": code(&app, &secret) });
    client.post("/api/account/secondfactor/authenticator/confirm", &confirmed).await.ok();
    client.post("/api/account/password/forgot", &json!({ "userName": user.user_name })).await;

    let old = app.config.keys.master_key.clone();
    let new = MasterKey::generate().to_base64().to_string();
    let app = app
        .restart_with(|config| {
            config.keys.master_key = Some(new.clone());
            config.keys.previous_master_key = old.clone();
        })
        .await;
    sign_in(&app, &user.user_name, &secret).await;
    assert!(installation::is_being_replaced(&app.store, &app.keys).await.expect("an answer"));
    // Two nodes may be told at once.
    assert_ne!(rotate_key::rotate(&app).await.expect("a rotation"), (0, 0));
    assert_eq!(rotate_key::rotate(&app).await.expect("another"), (0, 0));
    assert!(!installation::is_being_replaced(&app.store, &app.keys).await.expect("an answer"));
    let rows = audit_entry::Entity::find().filter(audit_entry::Column::EventType.eq(event::KEY_ROTATED));
    assert_eq!(rows.count(app.store.db()).await.expect("a count"), 2);

    let app = app.restart_with(|config| config.keys.previous_master_key = None).await;
    sign_in(&app, &user.user_name, &secret).await;
    let reader = app.browser_of(&summit.user).await;
    let list = reader.post("/api/intake", &json!({})).await.ok();
    assert_eq!(list["items"][0]["subject"], "Before");
    // The authority's key is there too: a new organization gets its certificate by it.
    let bayline = app.practice("bayline").await;
    let writer = app.browser_of(&larkfield.user).await;
    writer.send_document(&larkfield.address, &[&bayline.address], "After").await;
    app.drain().await;
    let list = bayline.client.post("/api/intake", &json!({})).await.ok();
    assert_eq!(list["items"][0]["subject"], "After");
    app.finish().await;
}

fn code(app: &TestApp, secret: &str) -> String {
    let secret = Secret::try_from_base32(secret).expect("base32");
    let totp = Builder::new().with_secret(secret).with_issuer(Some("x")).with_account_name("x");
    totp.build().expect("an app").generate(app.clock.now().timestamp().unsigned_abs()).to_string()
}

async fn sign_in(app: &TestApp, user_name: &str, secret: &str) {
    app.advance(Duration::minutes(1));
    let client = app.client();
    let asked = json!({ "userName": user_name, "password": PASSWORD });
    let asked = client.post("/api/account/login", &asked).await.ok();
    let answer = json!({ "challenge": asked["challenge"], "method": "app", "code": code(app, secret) });
    client.post("/api/account/login/code", &answer).await.ok();
}

#[test]
fn without_a_previous_key_there_is_nothing_to_replace() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = Command::new(env!("CARGO_BIN_EXE_carepost"))
        .arg("rotate-key")
        .env("CAREPOST_DATA_DIR", folder.path())
        .output()
        .expect("it runs");
    assert!(!out.status.success());
    assert!(String::from_utf8_lossy(&out.stderr).contains("there is no key to replace"));
}
