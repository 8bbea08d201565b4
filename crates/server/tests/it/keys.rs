//! Replacing the master key, by another key and by one in a hardware module: all sealed data remains
//! readable.

use crate::configuration::{carepost, text};
use chrono::Duration;
use platform::{Role, audit::event};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::json;
use server::{commands::rotate_key, installation};
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};
use store::{
    entities::{audit_entry, organization_key},
    keys::MasterKey,
};
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
    // Two nodes may run the rotation at the same time.
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
    // The authority's key works too: a new organization gets its certificate.
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

const PIN: &str = "7391";

/// A SoftHSM token in a folder, and the settings for its key.
struct Token {
    configuration: String,
    module: String,
    pin: String,
}

impl Token {
    fn make(folder: &Path) -> Self {
        let (configuration, tokens, pin) =
            (folder.join("softhsm2.conf"), folder.join("tokens"), folder.join("pin"));
        std::fs::create_dir(&tokens).expect("a folder");
        let lines = format!("directories.tokendir = {}\nobjectstore.backend = file\n", tokens.display());
        std::fs::write(&configuration, lines).expect("the file is written");
        std::fs::write(&pin, PIN).expect("the file is written");
        let made = Command::new("softhsm2-util")
            .args(["--init-token", "--free", "--label", "carepost", "--so-pin", "5820", "--pin", PIN])
            .env("SOFTHSM2_CONF", &configuration)
            .output()
            .expect("softhsm2-util is installed (Debian: softhsm2)");
        assert!(made.status.success(), "{}", text(&made.stderr));
        let shown = |path: PathBuf| path.display().to_string();
        Self { configuration: shown(configuration), module: module(), pin: shown(pin) }
    }

    /// Settings for the key under this name: `pkcs11` or `previous_pkcs11`.
    fn settings(&self, name: &str) -> Vec<(String, String)> {
        let setting = |key: &str, value: &str| {
            (format!("CAREPOST_KEYS__{}__{}", name.to_uppercase(), key.to_uppercase()), value.to_owned())
        };
        vec![
            ("SOFTHSM2_CONF".into(), self.configuration.clone()),
            setting("module", &self.module),
            setting("token_label", "carepost"),
            setting("key_label", "master"),
            setting("pin_file", &self.pin),
        ]
    }
}

/// Path of the SoftHSM library.
fn module() -> String {
    let places = ["/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so"];
    let found = places.into_iter().find(|place| Path::new(place).exists());
    found.expect("libsofthsm2.so is installed (Debian: softhsm2)").to_owned()
}

/// Runs a command next to the application, with these key settings.
async fn run(app: &TestApp, command: &'static str, keys: &[Vec<(String, String)>]) -> Output {
    let mut environment = vec![
        ("CAREPOST_DATA_DIR".to_owned(), app.db.folder().display().to_string()),
        ("CAREPOST_DATABASE__URL".to_owned(), app.db.url().to_string()),
    ];
    environment.extend(keys.concat());
    let run = tokio::task::spawn_blocking(move || {
        let environment: Vec<_> = environment.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        carepost(&[command], &environment)
    });
    run.await.expect("it runs")
}

async fn succeed(app: &TestApp, command: &'static str, keys: &[Vec<(String, String)>]) -> String {
    let output = run(app, command, keys).await;
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Ids of the master keys that wrap data keys.
async fn wrapped_by(app: &TestApp) -> Vec<String> {
    let rows = organization_key::Entity::find().all(app.store.db()).await.expect("rows");
    let mut ids: Vec<_> = rows.into_iter().map(|row| row.master_key_id).collect();
    ids.sort();
    ids.dedup();
    ids
}

#[tokio::test]
async fn the_master_key_moves_into_a_hardware_module_and_back() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Before").await;
    app.drain().await;
    let token = Token::make(app.db.folder());
    let key = |name: &str, value: &str| vec![(format!("CAREPOST_KEYS__{name}"), value.to_owned())];
    let old = app.config.keys.master_key.clone().expect("a key");

    let inside = token.settings("pkcs11");
    let missing = run(&app, "rotate-key", &[inside.clone(), key("PREVIOUS_MASTER_KEY", &old)]).await;
    assert!(text(&missing.stderr).contains("carepost make-key"), "{}", text(&missing.stderr));
    assert!(succeed(&app, "make-key", std::slice::from_ref(&inside)).await.contains("was created"));
    assert!(succeed(&app, "make-key", std::slice::from_ref(&inside)).await.contains("already exists"));

    let before = wrapped_by(&app).await;
    succeed(&app, "rotate-key", &[inside.clone(), key("PREVIOUS_MASTER_KEY", &old)]).await;
    let in_module = wrapped_by(&app).await;
    assert!(in_module.len() == 1 && in_module != before, "{in_module:?}");
    let doctor = run(&app, "doctor", &[inside]).await;
    assert!(text(&doctor.stdout).contains("matches the database"), "{}", text(&doctor.stdout));
    let doctor = run(&app, "doctor", &[key("MASTER_KEY", &old)]).await;
    assert!(text(&doctor.stdout).contains("does not match"), "{}", text(&doctor.stdout));

    let new = MasterKey::generate().to_base64().to_string();
    let back = [key("MASTER_KEY", &new), token.settings("previous_pkcs11")];
    succeed(&app, "rotate-key", &back).await;
    assert_eq!(wrapped_by(&app).await.len(), 1);
    let app = app.restart_with(|config| config.keys.master_key = Some(new.clone())).await;
    let reader = app.browser_of(&summit.user).await;
    let list = reader.post("/api/intake", &json!({})).await.ok();
    assert_eq!(list["items"][0]["subject"], "Before");
    app.finish().await;
}

#[tokio::test]
async fn a_hardware_module_that_does_not_open_is_told_without_its_pin() {
    let app = TestApp::start(Db::sqlite()).await;
    let token = Token::make(app.db.folder());
    std::fs::write(&token.pin, "0000").expect("the file is written");
    let refused = run(&app, "make-key", &[token.settings("pkcs11")]).await;
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains("does not take the PIN"), "{said}");
    assert!(!said.contains("0000"), "{said}");
    app.finish().await;
}
