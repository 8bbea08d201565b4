//! Service accounts of organizations: limits set by operators, and abilities of systems.

use platform::{Config, Role, audit::event};
use reqwest::Method;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::{audit_entry, organization, service_account};
use testkit::{Answer, Client, Db, Options, Organization, TestApp};
use uuid::Uuid;

const HOME: &str = "192.0.2.7";
const AWAY: &str = "198.51.100.1";

/// An application behind a proxy, so that a request may come from any address.
async fn behind_a_proxy() -> TestApp {
    let configure = |config: &mut Config| {
        config.http.trusted_proxies = vec!["127.0.0.0/8".to_owned().try_into().expect("a network")];
    };
    TestApp::start_with(Db::sqlite(), Options { configure: Some(Box::new(configure)), ..Options::default() })
        .await
}

async fn operator(app: &TestApp) -> Client {
    let home = app.organization("operators").await;
    app.signed_in(Role::SysAdmin, &home).await
}

fn at(organization: &Organization) -> String {
    format!("/api/organizations/{}/serviceaccount", organization.id)
}

async fn create(ops: &Client, organization: &Organization) -> (Value, String) {
    let path = format!("{}s", at(organization));
    let issued = ops.post(&path, &json!({ "name": "Interface engine" })).await.ok();
    (issued["account"].clone(), issued["token"].as_str().expect("a token").to_owned())
}

async fn from(client: &Client, address: &str, method: Method, path: &str, body: Value) -> Answer {
    client.send(client.request(method, path).header("x-forwarded-for", address).json(&body)).await
}

/// ADA-R-015 ADA-S-012: An operator creates an account, and a system uses it to fetch incoming messages, from
/// its addresses only.
#[tokio::test]
async fn a_system_fetches_the_intake_of_its_organization_from_its_addresses() {
    let app = behind_a_proxy().await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    summit.client.send_document(&summit.address, &[&larkfield.address], "Referral").await;
    app.drain().await;
    let ops = operator(&app).await;
    let (account, token) = create(&ops, &larkfield.organization).await;
    let system = app.client();
    system.set_token(&token);
    let list = async |address: &str| from(&system, address, Method::POST, "/api/intake", json!({})).await;
    // Before addresses are set, no address is allowed.
    assert_eq!(list(HOME).await.problem(403)["reason"], "Address not allowed.");
    let id = account["id"].as_str().expect("an id");
    let path = format!("{}s/{id}", at(&larkfield.organization));
    let mut form = account.clone();
    form["clientIpAddresses"] = json!([HOME]);
    let saved = ops.put(&path, &form).await.ok();
    assert_eq!(saved["clientIpAddresses"], json!([HOME]));
    assert_eq!(list(AWAY).await.problem(403)["reason"], "Address not allowed.");
    let message = list(HOME).await.ok()["items"][0].clone();
    assert_eq!(message["subject"], "Referral");
    let message_id = message["id"].as_str().expect("an id");
    let shown =
        from(&system, HOME, Method::GET, &format!("/api/messages/{message_id}"), Value::Null).await.ok();
    let file = shown["attachments"][0]["id"].as_str().expect("a file");
    let path_of_file = format!("/api/messages/{message_id}/attachments/{file}");
    assert!(from(&system, HOME, Method::GET, &path_of_file, Value::Null).await.status.is_success());
    from(&system, HOME, Method::DELETE, &format!("/api/messages/{message_id}"), Value::Null)
        .await
        .problem(403);
    let of_summit = summit.client.post("/api/messages", &json!({})).await.ok();
    assert_eq!(of_summit["items"], json!([]), "nothing is sent to the sender");
    // Each call is in the audit trail of the organization.
    let used = audit_entry::Entity::find()
        .filter(audit_entry::Column::OrganizationId.eq(larkfield.organization.id))
        .filter(audit_entry::Column::EventType.eq(event::SERVICE_ACCOUNT_USED))
        .all(app.store.db())
        .await
        .expect("the trail");
    assert_eq!(used.len(), 4);
    app.finish().await;
}

#[tokio::test]
async fn a_token_ends_with_its_renewal_its_disabling_its_account_and_its_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let ops = operator(&app).await;
    let (account, old) = create(&ops, &larkfield).await;
    let path = format!("{}s/{}", at(&larkfield), account["id"].as_str().expect("an id"));
    let mut form = account.clone();
    form["clientIpAddresses"] = json!(["127.0.0.0/8"]);
    let mut saved = ops.put(&path, &form).await.ok();
    ops.put(&path, &form).await.problem(409);
    let call = async |token: &str| {
        let system = app.client();
        system.set_token(token);
        system.post("/api/intake", &json!({})).await.status.as_u16()
    };
    assert_eq!(call(&old).await, 200);
    let kept = service_account::Entity::find().one(app.store.db()).await.expect("accounts").expect("one");
    assert!(!String::from_utf8_lossy(&kept.token_hash).contains(&old), "only a hash is kept");
    let token =
        ops.post(&format!("{path}/token"), &json!({})).await.ok()["token"].as_str().unwrap().to_owned();
    assert_eq!((call(&old).await, call(&token).await), (401, 200));
    saved["version"] = json!(saved["version"].as_i64().expect("a version") + 1);
    saved["serviceAccountEnabled"] = json!(false);
    let mut saved = ops.put(&path, &saved).await.ok();
    assert_eq!(call(&token).await, 401);
    saved["serviceAccountEnabled"] = json!(true);
    ops.put(&path, &saved).await.ok();
    assert_eq!(call(&token).await, 200);
    let closed =
        organization::ActiveModel { id: Set(larkfield.id), is_enabled: Set(false), ..Default::default() };
    closed.update(app.store.db()).await.expect("an organization");
    assert_eq!(call(&token).await, 401);
    let open =
        organization::ActiveModel { id: Set(larkfield.id), is_enabled: Set(true), ..Default::default() };
    open.update(app.store.db()).await.expect("an organization");
    ops.delete(&path).await.ok();
    assert_eq!(call(&token).await, 401);
    ops.delete(&path).await.problem(404);
    app.finish().await;
}

/// ADA-R-252 ADA-R-253 ADA-R-255: The numbers of accounts and addresses have limits, which cannot be set
/// below the existing numbers.
#[tokio::test]
async fn limits_hold_and_are_not_lower_than_what_there_is() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, bayline) = (app.organization("larkfield").await, app.organization("bayline").await);
    let ops = operator(&app).await;
    let limit = format!("{}/limit", at(&larkfield));
    assert_eq!(ops.get(&limit).await.ok(), json!({ "count": 1 }));
    let (account, _) = create(&ops, &larkfield).await;
    let accounts = format!("{}s", at(&larkfield));
    ops.post(&accounts, &json!({ "name": "Second" })).await.problem(409);
    assert_eq!(ops.put(&limit, &json!({ "count": 2 })).await.ok(), json!({ "count": 2 }));
    ops.post(&accounts, &json!({ "name": "Interface engine" })).await.problem(422);
    ops.post(&accounts, &json!({ "name": "Second" })).await.ok();
    assert_eq!(ops.put(&limit, &json!({ "count": 1 })).await.texts("count").len(), 1);
    assert_eq!(ops.put(&limit, &json!({ "count": 101 })).await.texts("count").len(), 1);
    let path = format!("{accounts}/{}", account["id"].as_str().expect("an id"));
    let mut form = account.clone();
    form["clientIpAddresses"] =
        json!(["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6"]);
    assert_eq!(
        ops.put(&path, &form).await.texts("clientIpAddresses"),
        ["At most 5 addresses are allowed for this account."]
    );
    form["clientIpAddresses"] = json!(["192.0.2.1", "192.0.2.2"]);
    ops.put(&path, &form).await.ok();
    let addresses = format!("{path}/ipaddresses/limit");
    assert_eq!(
        ops.put(&addresses, &json!({ "count": 1 })).await.texts("count"),
        ["The number of Allowed Addresses cannot be lower than the count"]
    );
    assert_eq!(ops.put(&addresses, &json!({ "count": 2 })).await.ok()["allowedAddressCount"], 2);
    // An account is found in its own organization only, and an unknown account in none.
    let id = account["id"].as_str().expect("an id");
    ops.put(&format!("{}s/{id}/ipaddresses/limit", at(&bayline)), &json!({ "count": 3 })).await.problem(404);
    ops.get(&format!("/api/organizations/{}/serviceaccount", Uuid::now_v7())).await.problem(404);
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    admin.put(&limit, &json!({ "count": 9 })).await.problem(403);
    let shown = ops.get(&format!("/api/organizations/{}/integrations", larkfield.id)).await.ok();
    assert_eq!(shown["items"][0]["kind"], "ServiceAccount");
    let hook = json!({ "name": "Filing", "url": "https://example.com/hook", "events": ["message.received"] });
    admin.post("/api/webhooks", &hook).await.ok();
    let shown = ops.get(&format!("/api/organizations/{}/integrations", larkfield.id)).await.ok();
    let kinds = shown["items"].as_array().expect("items").iter().map(|item| item["kind"].clone());
    assert!(kinds.collect::<Vec<_>>().contains(&json!("Webhook")), "{shown}");
    app.finish().await;
}

/// Administrators manage the accounts of their own organization, within the limits set by operators.
#[tokio::test]
async fn an_administrator_manages_the_service_accounts_of_their_own_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, bayline) = (app.organization("larkfield").await, app.organization("bayline").await);
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    let (account, _) = create(&admin, &larkfield).await;
    let path = format!("{}s/{}", at(&larkfield), account["id"].as_str().expect("an id"));
    let mut form = account.clone();
    form["clientIpAddresses"] = json!([HOME]);
    admin.put(&path, &form).await.ok();
    admin.post(&format!("{path}/token"), &json!({})).await.ok();
    assert_eq!(admin.get(&at(&larkfield)).await.ok()["items"].as_array().map(Vec::len), Some(1));
    admin.post(&format!("{}s", at(&larkfield)), &json!({ "name": "Second" })).await.problem(409);
    admin.put(&format!("{path}/ipaddresses/limit"), &json!({ "count": 9 })).await.problem(403);
    let stranger = app.signed_in(Role::Admin, &bayline).await;
    stranger.get(&at(&larkfield)).await.problem(404);
    stranger.get(&format!("{}/limit", at(&larkfield))).await.problem(404);
    stranger.post(&format!("{}s", at(&larkfield)), &json!({ "name": "Theirs" })).await.problem(404);
    stranger.put(&path, &form).await.problem(404);
    stranger.delete(&path).await.problem(404);
    app.signed_in(Role::User, &larkfield).await.get(&at(&larkfield)).await.problem(403);
    admin.delete(&path).await.ok();
    app.finish().await;
}

/// ADA-S-011 ADA-S-015 ADA-S-017: An operator sets an organization's requirements for its people, and its
/// participation in a QHIN.
#[tokio::test]
async fn an_operator_changes_the_settings_of_an_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let ops = operator(&app).await;
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    let security = format!("/api/account/settings/security?organizationId={}", larkfield.id);
    let mut form = ops.get(&security).await.ok();
    form["idleMinutes"] = json!(7);
    // The operator's own address is not included, and does not need to be.
    form["requireWhitelistedIp"] = json!(true);
    form["allowedAddresses"] = json!(["192.0.2.0/24"]);
    assert_eq!(ops.put(&security, &form).await.ok()["idleMinutes"], 7);
    admin.get("/api/account/settings/security").await.problem(403);
    let mut open = ops.get(&security).await.ok();
    open["requireWhitelistedIp"] = json!(false);
    ops.put(&security, &open).await.ok();
    assert_eq!(admin.get("/api/account/settings/security").await.ok()["idleMinutes"], 7);
    let documents = format!("/api/settings/interoperability?organizationId={}", larkfield.id);
    let mut form = ops.get(&documents).await.ok();
    form["suppressFaxMetadataPages"] = json!(true);
    ops.put(&documents, &form).await.ok();
    assert_eq!(admin.get("/api/settings/interoperability").await.ok()["suppressFaxMetadataPages"], true);
    let qhin = format!("/api/admin/organizations/{}/qhin", larkfield.id);
    let wrong = json!({ "participates": true, "documentQueryUrl": "http://a.example", "version": 0 });
    let refused = ops.put(&qhin, &wrong).await.problem(422);
    for field in ["qhinName", "homeCommunityId", "documentQueryUrl"] {
        assert!(refused["modelState"][field].is_array(), "{field}");
    }
    let form = json!({
        "participates": true, "qhinName": "Northern Exchange", "homeCommunityId": "2.16.840.1.113883.3.9999",
        "patientDiscoveryUrl": "https://qhin.example/iti55", "version": 0,
    });
    assert_eq!(ops.put(&qhin, &form).await.ok()["version"], 1);
    ops.put(&qhin, &form).await.problem(409);
    assert_eq!(ops.get(&qhin).await.ok()["qhinName"], "Northern Exchange");
    let admins = ops.get(&format!("/api/admin/organizations/{}/admins", larkfield.id)).await.ok();
    assert_eq!(admins["items"].as_array().map(Vec::len), Some(1));
    app.finish().await;
}
