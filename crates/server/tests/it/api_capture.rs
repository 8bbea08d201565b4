//! Calls are captured only for organizations whose capture is enabled.

use chrono::Duration;
use platform::{Role, capture};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use store::entities::{api_capture, organization};
use testkit::{Client, Db, Options, Practice, TestApp};

testkit::on_both_databases! { captured_calls_are_found_by_every_filter }

const CALLS: &str = "/api/diagnostics/apicapture";

async fn offering(db: Db) -> TestApp {
    let configure = |config: &mut platform::Config| config.api_capture.enabled = true;
    TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..Options::default() }).await
}

async fn operator(app: &TestApp) -> Client {
    let home = app.organization("home").await;
    app.signed_in(Role::SysAdmin, &home).await
}

async fn captured(app: &TestApp, name: &str) -> Practice {
    let practice = app.practice(name).await;
    let on = organization::ActiveModel {
        id: Set(practice.organization.id),
        api_capture: Set(true),
        ..Default::default()
    };
    on.update(app.store.db()).await.expect("an organization");
    practice
}

/// The captured calls that match a query. There must be `count`.
async fn calls(app: &TestApp, operator: &Client, query: &str, count: u64) -> Value {
    app.capture.settled().await;
    let found = operator.get(&format!("{CALLS}?{query}")).await.ok();
    assert_eq!(found["totalCount"], count, "{query}: {found}");
    found
}

/// ADB-C-035 ADB-R-217 ADB-R-218 ADB-R-224 ADB-R-226 ADB-R-227
async fn captured_calls_are_found_by_every_filter(db: Db) {
    let app = offering(db).await;
    let operator = operator(&app).await;
    let (larkfield, summit) = (captured(&app, "larkfield").await, app.practice("summit").await);
    larkfield.client.get("/api/features").await.ok();
    app.advance(Duration::seconds(1));
    larkfield.client.get(&format!("/api/messages/{}", uuid::Uuid::now_v7())).await.problem(404);
    summit.client.get("/api/features").await.ok();
    let all = calls(&app, &operator, "", 2).await;
    let newest = &all["items"][0];
    assert_eq!(
        (&newest["value"]["response"]["status"], &newest["userName"]),
        (&json!(404), &json!(larkfield.user.user_name))
    );
    let search = |search: Value| format!("search={search}");
    for (query, count) in [
        (search(json!({ "tenantId": larkfield.organization.id })), 2),
        (search(json!({ "tenantId": summit.organization.id })), 0),
        (search(json!({ "networkId": uuid::Uuid::now_v7() })), 0),
        (search(json!({ "userId": larkfield.user.id })), 2),
        (search(json!({ "userId": larkfield.user.user_name })), 2),
        (search(json!({ "url": "API/FEAT" })), 1),
        (search(json!({ "method": "get", "statusCode": "404" })), 1),
        (search(json!({ "statusCode": 200 })), 1),
        ("start=2020-01-01&end=2020-01-02".to_owned(), 0),
    ] {
        calls(&app, &operator, &query, count).await;
    }
    let oldest = calls(&app, &operator, "sortDir=asc", 2).await;
    assert_eq!(oldest["items"][0]["value"]["request"]["url"], "/api/features");
    operator.get(&format!("{CALLS}?search={{")).await.problem(400);
    let wrong = operator.get(&format!("{CALLS}?search={}", json!({ "tenantId": "01" }))).await.problem(422);
    assert!(wrong["modelState"]["tenantId"].is_array());
    operator.get(&format!("{CALLS}?start=2026-02-01&end=2026-01-01")).await.problem(422);
    larkfield.client.get(CALLS).await.problem(403);
    app.finish().await;
}

/// ADB-R-220 ADB-R-221
#[tokio::test]
async fn bodies_are_sealed_and_shown_to_whoever_says_why() {
    let app = offering(Db::sqlite()).await;
    let operator = operator(&app).await;
    let larkfield = captured(&app, "larkfield").await;
    let filter = json!({ "filter": "xylophone" });
    larkfield.client.post("/api/intake", &filter).await.ok();
    let call = calls(&app, &operator, "", 1).await["items"][0].clone();
    assert!(call["value"]["request"]["body"].is_null() && call["value"]["response"]["body"].is_null());
    let token = call["value"]["request"]["headers"]["authorization"].as_str().expect("a header");
    assert_eq!(token, format!("Bearer hmac:{}", call["tokenHash"].as_str().expect("a hash")));
    let row = api_capture::Entity::find().one(app.store.db()).await.expect("a row").expect("a row");
    assert!(!row.sealed_exchange.windows(9).any(|bytes| bytes == b"xylophone"), "it is sealed");

    let path = format!("{CALLS}/{}/reveal", call["id"].as_str().expect("an id"));
    operator.post(&path, &json!({ "reason": "" })).await.problem(422);
    let whole =
        operator.post(&path, &json!({ "reason": "Ticket 4711: the search finds nothing" })).await.ok();
    assert_eq!(whole["value"]["request"]["body"], filter.to_string());
    let answer: Value =
        serde_json::from_str(whole["value"]["response"]["body"].as_str().expect("a body")).expect("JSON");
    assert_eq!(answer["items"], json!([]));
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let seen = admin.get("/api/audit/entries/apicapture?eventType=Viewed").await.ok();
    assert_eq!(seen["items"][0]["objectId"], call["id"], "the organization can see who looked");
    app.finish().await;
}

/// Operations whose bodies are never captured.
const WITH_SECRETS: &[&str] = &[
    "addPasskey",
    "answerCode",
    "answerPasskey",
    "askPasskey",
    "beginTokenAuthentication",
    "changePassword",
    "checkLoginState",
    "checkPasswordLink",
    "checkSetupLink",
    "completeSso",
    "confirmAuthenticator",
    "confirmRegistration",
    "createAdminUser",
    "createFirstOperator",
    "createOrganizationServiceAccount",
    "createWebhook",
    "enableEmailCodes",
    "enableTokenAuthentication",
    "endSession",
    "endSessions",
    "externalLogin",
    "hubTicket",
    "login",
    "registrationLink",
    "removeAuthenticator",
    "removePasskey",
    "renamePasskey",
    "renew",
    "renewOrganizationServiceAccount",
    "renewRecoveryCodes",
    "renewServiceAccount",
    "renewWebhookSecret",
    "saveEfaxAccount",
    "saveFaxAccount",
    "saveIntegration",
    "saveSsoSettings",
    "saveWestfaxAccount",
    "sendCode",
    "setEmailCodes",
    "setPassword",
    "signMessage",
    "startAuthenticator",
    "startPasskey",
    "submitIdentity",
    "testIntegration",
    "updateAdminUser",
    "updateWebhook",
    "verifyConfirmationCode",
    "webhookSecret",
];

/// Members whose names sound like secrets, with the reason why they are none.
const NO_SECRETS: &[(&str, &str)] = &[
    ("AddPasskeyRequest.credential", "a public key; the challenge beside it is a secret"),
    ("CapturedCall.tokenHash", "a keyed hash"),
    ("Classification.code", "of a vocabulary"),
    ("DemoAccount.password", "shown to everybody where there is sample data"),
    ("DocumentTypeForm.code", "of a vocabulary"),
    ("ListEntry.code", "of a vocabulary"),
    ("ListEntryForm.code", "of a vocabulary"),
    ("OwnDocumentType.code", "of a vocabulary"),
    ("OwnDocumentTypeForm.code", "of a vocabulary"),
    ("PasskeyAnswer.credential", "a signature; the challenge beside it is a secret"),
    ("PurposeOfUse.code", "of a vocabulary"),
    ("SsoAnswer.code", "sent by nobody who is signed in, so that it is not captured"),
    ("SystemDocumentType.code", "of a vocabulary"),
];

/// Whether the name sounds like a secret.
fn is_called_a_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let parts =
        ["password", "secret", "token", "ticket", "credential", "challenge", "recovery", "ssn", "totp", "qr"];
    parts.iter().any(|part| name.contains(part))
        || ["code", "codes", "pin", "seed", "uri", "otp"].contains(&name.as_str())
}

/// Whether a schema is a secret; `None` if it is neither a text nor an object.
fn is_secret(schema: &Value, all: &Value) -> Option<bool> {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return is_secret(&all[name], all);
    }
    if schema["items"].is_object() {
        return is_secret(&schema["items"], all);
    }
    for variants in ["oneOf", "anyOf", "allOf"] {
        if let Some(variants) = schema[variants].as_array() {
            let found: Vec<bool> = variants.iter().filter_map(|variant| is_secret(variant, all)).collect();
            return (!found.is_empty()).then(|| found.iter().all(|is_secret| *is_secret));
        }
    }
    let is_text = schema["type"] == "object" || schema["type"].to_string().contains("\"string\"");
    let is_no_secret = matches!(schema["format"].as_str(), Some("date" | "date-time" | "uuid"));
    (is_text && !is_no_secret && !schema["enum"].is_array()).then(|| schema["format"] == "password")
}

/// The list follows from the types. A new field whose name sounds like a secret must have the type of a
/// secret, or be listed here with a reason.
#[test]
fn bodies_with_secrets_are_told_by_their_types() {
    let document = server::openapi::document();
    let mut operations = platform::api::secrets::operations(&document);
    operations.sort();
    assert_eq!(operations, WITH_SECRETS);
    let all = serde_json::to_value(document.components.expect("schemas")).expect("JSON")["schemas"].clone();
    let mut found = Vec::new();
    for (of, schema) in all.as_object().expect("schemas") {
        // The items of pages and lists are checked under their own type.
        if of.starts_with("Paged_") || of.starts_with("Items_") {
            continue;
        }
        let named = schema["properties"].as_object().into_iter().flatten();
        let suspicious = named.filter(|(name, _)| is_called_a_secret(name));
        let plain = suspicious.filter(|(_, property)| is_secret(property, &all) == Some(false));
        found.extend(plain.map(|(name, _)| format!("{of}.{name}")));
    }
    found.sort();
    let known: Vec<&str> = NO_SECRETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, known);
}

/// The secret of an authenticator app, an e-mailed code, and a password.
#[tokio::test]
async fn nothing_is_kept_of_bodies_with_secrets() {
    let app = offering(Db::sqlite()).await;
    let operator = operator(&app).await;
    let larkfield = captured(&app, "larkfield").await;
    let setup = larkfield
        .client
        .post("/api/account/secondfactor/authenticator", &json!({ "password": testkit::PASSWORD }))
        .await
        .ok();
    assert!(setup["uri"].as_str().is_some_and(|uri| uri.starts_with("otpauth:")), "{setup}");
    let call = calls(&app, &operator, "", 1).await["items"][0].clone();
    let path = format!("{CALLS}/{}/reveal", call["id"].as_str().expect("an id"));
    let whole = operator.post(&path, &json!({ "reason": "Ticket 4711" })).await.ok();
    for side in ["request", "response"] {
        let side = &whole["value"][side];
        assert!(side["body"].is_null() && side["omitted"] == "it may contain secrets", "{side}");
    }
    app.finish().await;
}

#[tokio::test]
async fn captured_calls_are_forgotten_in_time() {
    let app = offering(Db::sqlite()).await;
    let operator = operator(&app).await;
    let larkfield = captured(&app, "larkfield").await;
    larkfield.client.get("/api/features").await.ok();
    calls(&app, &operator, "", 1).await;
    assert_eq!(capture::sweep(&app).await.expect("a sweep"), 0);
    app.advance(Duration::days(15));
    assert_eq!(capture::sweep(&app).await.expect("a sweep"), 1);
    app.finish().await;
}

/// A stopping node writes the waiting calls first.
#[tokio::test]
async fn a_node_that_stops_writes_what_waits_and_nothing_where_capture_is_not_offered() {
    for (is_offered, count) in [(true, 1), (false, 0)] {
        let app = offering(Db::sqlite()).await;
        let app = app.restart_with(|config| config.api_capture.enabled = is_offered).await;
        let larkfield = captured(&app, "larkfield").await;
        larkfield.client.get("/api/features").await.ok();
        let app = app.restart().await;
        let kept = api_capture::Entity::find().count(app.store.db()).await.expect("a count");
        assert_eq!(kept, count);
        app.finish().await;
    }
}
