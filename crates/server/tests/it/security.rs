//! Sign-in requirements of an organization, and the sessions of a person.

use chrono::Duration;
use platform::{Config, Role, audit::event, session};
use reqwest::Method;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::audit_entry;
use testkit::{Answer, Client, Db, Options, Organization, PASSWORD, TestApp, User};

const SETTINGS: &str = "/api/account/settings/security";
const PROFILE: &str = "/api/users/profiledata";
const HOME: &str = "192.0.2.7";
const AWAY: &str = "198.51.100.1";
const REFUSED: &str = "Your organization does not allow access from this network address. Please ask an administrator of your organization.";

/// An application behind a proxy, so that a request may come from any address.
async fn behind_a_proxy(db: Db) -> TestApp {
    let configure = |config: &mut Config| {
        config.http.trusted_proxies = vec!["127.0.0.0/8".to_owned().try_into().expect("a network")];
    };
    TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..Options::default() }).await
}

async fn from(client: &Client, address: &str, method: Method, path: &str, body: Value) -> Answer {
    let request = client.request(method, path).header("x-forwarded-for", address);
    client.send(if body.is_null() { request } else { request.json(&body) }).await
}

async fn sign_in_from(client: &Client, address: &str, user: &User) -> Answer {
    let body = json!({ "userName": user.user_name, "password": PASSWORD });
    let answer = from(client, address, Method::POST, "/api/account/login", body).await;
    if answer.status.is_success() {
        client.set_token(answer.json()["accessToken"].as_str().expect("a token"));
    }
    answer
}

fn settings(addresses: &[&str]) -> Value {
    json!({
        "idleMinutes": 15, "requireSecondFactor": false,
        "requireWhitelistedIp": !addresses.is_empty(), "allowedAddresses": addresses,
    })
}

/// Saves settings that were just read.
async fn save(client: &Client, body: &Value) -> Answer {
    let mut body = body.clone();
    body["version"] = client.get(SETTINGS).await.ok()["version"].clone();
    client.put(SETTINGS, &body).await
}

/// Allows the home address only.
async fn allow_home(app: &TestApp, organization: &Organization) {
    let admin = app.user(Role::Admin, organization).await;
    let client = app.client();
    sign_in_from(&client, HOME, &admin).await.ok();
    let mut body = settings(&["192.0.2.0/24"]);
    body["version"] = json!(0);
    from(&client, HOME, Method::PUT, SETTINGS, body).await.ok();
}

#[tokio::test]
async fn a_session_ends_after_the_idle_time_of_the_organization_it_works_in() {
    let app = TestApp::start(Db::sqlite()).await;
    // People start in the first of their organizations by name.
    let (yarrow, summit) = (app.organization("yarrow").await, app.organization("summit").await);
    let admin = app.signed_in(Role::Admin, &yarrow).await;
    let body = json!({ "idleMinutes": 5, "requireSecondFactor": false, "requireWhitelistedIp": false });
    assert_eq!(save(&admin, &body).await.ok()["idleMinutes"], 5);
    assert_eq!(admin.get(PROFILE).await.ok()["idleTimeoutSeconds"], 300);
    let user = app.user(Role::User, &summit).await;
    app.join(user.id, &yarrow, session::ROLE_USER).await;
    let client = app.browser_of(&user).await;
    app.advance(Duration::minutes(6));
    assert_eq!(client.get(PROFILE).await.ok()["idleTimeoutSeconds"], 900, "of the present organization");
    admin.get(PROFILE).await.problem(401);
    admin.renew().await.problem(401);
    client.post("/api/account/change", &json!({ "orgId": yarrow.id })).await.ok();
    app.advance(Duration::minutes(5));
    client.renew().await.ok();
    assert_eq!(client.get(PROFILE).await.ok()["idleTimeoutSeconds"], 300);
    app.advance(Duration::minutes(5) + Duration::seconds(1));
    client.get(PROFILE).await.problem(401);
    app.finish().await;
}

/// MSG-R-472
#[tokio::test]
async fn an_address_that_is_not_allowed_is_refused_at_sign_in() {
    let app = behind_a_proxy(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    allow_home(&app, &larkfield).await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.client();
    let problem = sign_in_from(&client, AWAY, &user).await.problem(403);
    assert_eq!((&problem["message"], &problem["reason"]), (&json!(REFUSED), &json!("Address not allowed.")));
    let failures = audit_entry::Entity::find()
        .filter(audit_entry::Column::EventType.eq(event::SIGN_IN_FAILED))
        .filter(audit_entry::Column::SourceIp.eq(AWAY));
    assert_eq!(failures.count(app.store.db()).await.expect("a count"), 1);
    let wrong = json!({ "userName": user.user_name, "password": "wrong" });
    from(&client, AWAY, Method::POST, "/api/account/login", wrong).await.problem(401);
    sign_in_from(&client, HOME, &user).await.ok();
    let operator = app.user(Role::SysAdmin, &larkfield).await;
    sign_in_from(&app.client(), AWAY, &operator).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn an_address_that_is_not_allowed_is_refused_on_every_request() {
    let app = behind_a_proxy(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.client();
    sign_in_from(&client, AWAY, &user).await.ok();
    from(&client, AWAY, Method::GET, PROFILE, Value::Null).await.ok();
    allow_home(&app, &larkfield).await;
    let problem = from(&client, AWAY, Method::GET, PROFILE, Value::Null).await.problem(403);
    assert_eq!(problem["reason"], "Address not allowed.");
    from(&client, AWAY, Method::POST, "/api/account/renew", Value::Null).await.problem(403);
    from(&client, HOME, Method::GET, PROFILE, Value::Null).await.ok();
    from(&client, "192.0.2.99", Method::POST, "/api/account/renew", Value::Null).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn an_address_that_is_not_allowed_is_refused_on_switching() {
    let app = behind_a_proxy(Db::sqlite()).await;
    let (larkfield, summit) = (app.organization("larkfield").await, app.organization("summit").await);
    allow_home(&app, &larkfield).await;
    let user = app.user(Role::User, &summit).await;
    app.join(user.id, &larkfield, session::ROLE_USER).await;
    let client = app.client();
    sign_in_from(&client, AWAY, &user).await.ok();
    let switch = json!({ "orgId": larkfield.id });
    let refused = from(&client, AWAY, Method::POST, "/api/account/change", switch.clone()).await.problem(403);
    assert_eq!(refused["message"], REFUSED);
    let still = from(&client, AWAY, Method::GET, PROFILE, Value::Null).await.ok();
    assert_eq!(still["organizationId"], json!(summit.id));
    from(&client, HOME, Method::POST, "/api/account/change", switch).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn who_belongs_to_another_organization_begins_there() {
    let app = behind_a_proxy(Db::sqlite()).await;
    let (larkfield, summit) = (app.organization("larkfield").await, app.organization("summit").await);
    let user = app.user(Role::User, &larkfield).await;
    app.join(user.id, &summit, session::ROLE_USER).await;
    let client = app.client();
    sign_in_from(&client, HOME, &user).await.ok();
    let first = from(&client, HOME, Method::GET, PROFILE, Value::Null).await.ok();
    assert_eq!(first["organizationId"], json!(larkfield.id));
    allow_home(&app, &larkfield).await;
    let client = app.client();
    sign_in_from(&client, AWAY, &user).await.ok();
    let away = from(&client, AWAY, Method::GET, PROFILE, Value::Null).await.ok();
    assert_eq!(away["organizationId"], json!(summit.id));
    app.finish().await;
}

#[tokio::test]
async fn an_administrator_does_not_lock_themself_out_by_mistake() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    let mut body = settings(&[AWAY]);
    let problem = save(&admin, &body).await.problem(422);
    assert!(problem["modelState"]["confirmLockOut"].is_array(), "{problem}");
    assert_eq!(admin.get(SETTINGS).await.ok()["requireWhitelistedIp"], false);
    save(&admin, &settings(&["127.0.0.0/8", AWAY])).await.ok();
    let saved = admin.get(SETTINGS).await.ok();
    assert_eq!(saved["allowedAddresses"], json!(["127.0.0.0/8", "198.51.100.1"]));
    assert_eq!(saved["ownAddress"], "127.0.0.1");
    body["confirmLockOut"] = json!(true);
    save(&admin, &body).await.ok();
    admin.get(SETTINGS).await.problem(403);
    app.finish().await;
}

#[tokio::test]
async fn settings_are_for_administrators_and_checked() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    app.signed_in(Role::User, &larkfield).await.get(SETTINGS).await.problem(403);
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    for (body, field) in [
        (
            json!({ "idleMinutes": 4, "requireSecondFactor": false, "requireWhitelistedIp": false }),
            "idleMinutes",
        ),
        (
            json!({ "idleMinutes": 31, "requireSecondFactor": false, "requireWhitelistedIp": false }),
            "idleMinutes",
        ),
        (
            json!({ "idleMinutes": -1, "requireSecondFactor": false, "requireWhitelistedIp": false }),
            "idleMinutes",
        ),
        (settings(&["127.0.0.1", "<script>"]), "allowedAddresses"),
        (
            json!({ "idleMinutes": 15, "requireSecondFactor": false, "requireWhitelistedIp": true }),
            "allowedAddresses",
        ),
        (settings(&["127.0.0.1"; 201]), "allowedAddresses"),
    ] {
        let problem = save(&admin, &body).await.problem(422);
        assert!(problem["modelState"][field].is_array(), "{problem}");
    }
    let on = json!({ "idleMinutes": 20, "requireSecondFactor": true, "requireWhitelistedIp": false });
    let saved = save(&admin, &on).await.ok();
    assert_eq!((&saved["idleMinutes"], &saved["requireSecondFactor"]), (&json!(20), &json!(true)));
    let changes = audit_entry::Entity::find()
        .filter(audit_entry::Column::EventType.eq(event::SECURITY_CHANGED))
        .filter(audit_entry::Column::OrganizationId.eq(larkfield.id));
    assert_eq!(changes.count(app.store.db()).await.expect("a count"), 1);
    app.finish().await;
}

#[tokio::test]
async fn settings_that_somebody_else_changed_are_not_saved_over_unseen() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    let version = admin.get(SETTINGS).await.ok()["version"].clone();
    let with = |mut body: Value, version: &Value| {
        body["version"] = version.clone();
        body
    };
    let restricted = with(settings(&["127.0.0.0/8"]), &version);
    let newer = admin.put(SETTINGS, &restricted).await.ok()["version"].clone();
    let refused = admin.put(SETTINGS, &with(settings(&[]), &version)).await.problem(409);
    assert_eq!(refused["message"], "Somebody else has changed these settings since you opened them.");
    assert_eq!(admin.get(SETTINGS).await.ok()["requireWhitelistedIp"], true);
    admin.put(SETTINGS, &with(settings(&[]), &newer)).await.ok();
    admin.put(SETTINGS, &settings(&["127.0.0.0/8"])).await.problem(422);
    app.finish().await;
}

#[tokio::test]
async fn people_see_and_end_their_own_sessions() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let (here, elsewhere, third) =
        (app.browser_of(&user).await, app.browser_of(&user).await, app.browser_of(&user).await);
    let stranger = app.signed_in(Role::Admin, &larkfield).await;
    let list = here.get("/api/account/sessions").await.ok();
    let list = list["items"].as_array().expect("a list");
    assert_eq!(list.len(), 3);
    let current: Vec<&Value> = list.iter().filter(|s| s["isCurrent"] == true).collect();
    assert_eq!((current.len(), current[0]["sourceIp"].as_str()), (1, Some("127.0.0.1")));
    let theirs = elsewhere.get("/api/account/sessions").await.ok();
    let theirs = theirs["items"].as_array().expect("a list").iter().find(|s| s["isCurrent"] == true);
    let path =
        format!("/api/account/sessions/{}/end", theirs.expect("a session")["id"].as_str().expect("an id"));
    let again = json!({ "password": PASSWORD });
    stranger.post(&path, &again).await.problem(404);
    for (given, text) in [
        (json!({}), "Please enter your password."),
        (json!({ "password": "wrong" }), "The password is incorrect."),
    ] {
        let refused = here.post(&path, &given).await.problem(422);
        assert_eq!(refused["modelState"]["password"], json!([text]));
        here.post("/api/account/sessions/end", &given).await.problem(422);
        elsewhere.get(PROFILE).await.ok();
    }
    assert_eq!(here.post(&path, &again).await.status, 204);
    elsewhere.get(PROFILE).await.problem(401);
    elsewhere.renew().await.problem(401);
    here.get(PROFILE).await.ok();
    assert_eq!(here.post("/api/account/sessions/end", &again).await.status, 204);
    here.get(PROFILE).await.problem(401);
    third.get(PROFILE).await.problem(401);
    stranger.get(PROFILE).await.ok();
    let back = app.browser_of(&user).await;
    app.advance(Duration::minutes(16));
    let back_again = app.browser_of(&user).await;
    let list = back_again.get("/api/account/sessions").await.ok();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1), "what is idle for too long is over");
    back.get(PROFILE).await.problem(401);
    app.finish().await;
}

#[tokio::test]
async fn people_change_their_own_names_and_preferences() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let path = "/api/account/profile";
    let wrong = json!({ "firstName": " ", "lastName": "n".repeat(256), "phoneNumber": "12" });
    let problem = client.put(path, &wrong).await.problem(422);
    assert_eq!(problem["modelState"]["firstName"][0], "First Name is required.");
    assert!(problem["modelState"]["lastName"].is_array() && problem["modelState"]["phoneNumber"].is_array());
    let mut form =
        json!({ "firstName": "Priya", "lastName": "Nandakumar-Lund", "phoneNumber": "(555) 010-0110" });
    assert!(client.put(path, &form).await.problem(422)["modelState"]["version"].is_array());
    form["version"] = client.get(path).await.ok()["version"].clone();
    let saved = client.put(path, &form).await.ok();
    assert_eq!(
        (&saved["lastName"], &saved["phoneNumber"]),
        (&json!("Nandakumar-Lund"), &json!("5550100110"))
    );
    assert_eq!(client.get(PROFILE).await.ok()["fullName"], "Priya Nandakumar-Lund");
    let path = "/api/account/preferences";
    let first = client.get(path).await.ok();
    assert_eq!(
        (&first["emailNewMessages"], &first["emailSystemNotifications"]),
        (&json!(false), &json!(true))
    );
    let wanted = json!({
        "emailNewMessages": true, "emailUnprocessedMessages": true, "emailSystemNotifications": false,
        "emailUnassignedMessages": false, "emailFailedMessagesDigest": true, "emailFiledByRule": false,
    });
    client.put(path, &wanted).await.ok();
    assert_eq!(client.get(path).await.ok(), wanted);
    assert_eq!(client.get("/api/users/current").await.ok()["userPreferences"], wanted);
    app.finish().await;
}
