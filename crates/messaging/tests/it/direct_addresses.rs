//! The Direct settings of an organization: its domain, certificate and addresses.

use crate::support::audit_of;
use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::json;
use store::entities::organization;
use testkit::{Client, Db, Organization, TestApp};
use uuid::Uuid;

testkit::on_both_databases! {
    an_operator_adds_and_renames_direct_addresses,
    what_arrives_at_an_address_is_read_by_those_who_may,
}

async fn operator(app: &TestApp) -> Client {
    app.signed_in(Role::SysAdmin, &Organization { id: Uuid::nil(), sub_domain: String::new() }).await
}

/// ADA-S-010
async fn an_operator_adds_and_renames_direct_addresses(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let operator = operator(&app).await;
    let of = format!("/api/organizations/{}", larkfield.organization.id);
    let named = format!("?organizationId={}", larkfield.organization.id);
    let domain = operator.get(&format!("{of}/direct")).await.ok();
    assert_eq!((&domain["isServed"], domain["certificate"].is_object()), (&json!(true), true));
    let suffix = format!("@{}", domain["domain"].as_str().expect("a domain"));

    let admin = app.user(Role::Admin, &larkfield.organization).await;
    let form = json!({ "localPart": "Front.Desk", "displayName": " Front desk " });
    let created = operator.post(&format!("{OWN}{named}"), &form).await.ok();
    assert_eq!(created["address"], format!("front.desk{suffix}"));
    let people = created["people"].as_array().expect("people");
    assert!(people.contains(&json!(admin.id)), "administrators may send from it at first");

    let path = format!("{OWN}/{}{named}", created["id"].as_str().expect("an id"));
    let change = json!({ "displayName": "Reception", "people": people, "version": created["version"] });
    let renamed = operator.put(&path, &change).await.ok();
    assert_eq!((&renamed["displayName"], &renamed["address"]), (&json!("Reception"), &created["address"]));
    let found = operator.get(&format!("{OWN}{named}&search=front")).await.ok();
    assert_eq!((&found["totalCount"], &found["items"][0]), (&json!(1), &operator.get(&path).await.ok()));
    let id = created["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
    assert_eq!(audit_of(&app, id).await.len(), 2);
    app.finish().await;
}

/// ADA-C-038
#[tokio::test]
async fn an_operator_renews_and_revokes_the_certificate_of_a_domain() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let operator = operator(&app).await;
    let of = format!("/api/organizations/{}", larkfield.organization.id);
    let settings = format!("{of}/directsettings");
    let serial =
        |answer: &serde_json::Value| answer["certificate"]["serial"].as_str().expect("a serial").to_owned();
    let first = serial(&operator.get(&format!("{of}/direct")).await.ok());
    let renewed = serial(&operator.put(&settings, &json!({ "certificate": "Renew" })).await.ok());
    assert_ne!(first, renewed);
    let revoked = serial(&operator.put(&settings, &json!({ "certificate": "Revoke" })).await.ok());
    assert_ne!(renewed, revoked);
    // Mail works in both directions with the new key.
    summit.client.send_document(&summit.address, &[&larkfield.address], "To the new key").await;
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "With the new key").await;
    app.drain().await;
    for practice in [&larkfield, &summit] {
        let intake = practice.client.post("/api/intake", &json!({})).await.ok();
        assert_eq!(intake["items"].as_array().map(Vec::len), Some(1));
    }
    let closed = app.organization("closed").await;
    let row =
        organization::ActiveModel { id: Set(closed.id), is_activated: Set(false), ..Default::default() };
    row.update(app.store.db()).await.expect("an organization");
    let path = format!("/api/organizations/{}/directsettings", closed.id);
    operator.put(&path, &json!({ "certificate": "Renew" })).await.problem(409);
    larkfield.client.put(&settings, &json!({ "certificate": "Renew" })).await.problem(403);
    app.finish().await;
}

#[tokio::test]
async fn an_address_that_cannot_be_is_refused_and_belongs_to_its_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.organization("summit").await);
    let operator = operator(&app).await;
    let list = |id: Uuid| format!("{OWN}?organizationId={id}");
    let post = async |local: &str| {
        operator
            .post(&list(larkfield.organization.id), &json!({ "localPart": local, "displayName": "x" }))
            .await
    };
    for wrong in ["", "a..b", ".a", "a b", "a@b", "ä"] {
        let said = post(wrong).await.problem(422)["modelState"].to_string();
        assert!(said.contains("localPart"), "{wrong}: {said}");
    }
    let created = post("office2").await.ok();
    assert_eq!(post("Office2").await.texts("localPart"), ["This address is in use or was used before."]);
    let id = created["id"].as_str().expect("an id");
    let elsewhere = format!("{OWN}/{id}?organizationId={}", summit.id);
    operator.get(&elsewhere).await.problem(404);
    let form = json!({ "displayName": "x", "people": [], "version": created["version"] });
    operator.put(&elsewhere, &form).await.problem(404);
    operator.get(&list(Uuid::now_v7())).await.problem(404);
    larkfield.client.get(OWN).await.problem(403);
    app.finish().await;
}

/// Whether a client sees a message: in the list, its counts, a search, and by id.
async fn sees(client: &Client, id: &str) -> bool {
    let list = client.post("/api/intake", &json!({})).await.ok();
    let listed = list["items"].as_array().expect("items").iter().any(|m| m["id"] == id);
    let counts = client.post("/api/intake/counts", &json!({})).await.ok();
    let found = client.post("/api/intake", &json!({ "filter": "confidential" })).await.ok();
    let read = client.get(&format!("/api/messages/{id}")).await.status.is_success();
    let marked = client.put(&format!("/api/messages/{id}/read"), &json!({ "isRead": true })).await;
    let alike = client.get(&format!("/api/messages/{id}/duplicates")).await.status.is_success();
    let all = [
        listed,
        counts["totalCount"] == 1,
        found["items"].as_array().is_some_and(|items| items.len() == 1),
        read,
        marked.status != 404,
        alike,
    ];
    assert!(all.iter().all(|seen| *seen == all[0]), "{all:?}");
    all[0]
}

async fn what_arrives_at_an_address_is_read_by_those_who_may(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let form = json!({ "localPart": "hr", "displayName": "HR", "readers": [larkfield.user.id] });
    let made = admin.post(OWN, &form).await.ok();
    let at = format!("{OWN}/{}", made["id"].as_str().expect("an id"));
    let made = admin.post(&format!("{at}/activate"), &json!({})).await.ok();
    assert_eq!(made["readers"], json!([larkfield.user.id]));
    let address = made["address"].as_str().expect("an address");
    // A suffix after a plus changes nothing.
    let with_tag = address.replace('@', "+visit@");
    summit.client.send_document(&summit.address, &[&with_tag], "Confidential").await;
    app.drain().await;
    let mine = larkfield.client.post("/api/intake", &json!({})).await.ok();
    let id = mine["items"][0]["id"].as_str().expect("the message").to_owned();
    let other = app.signed_in(Role::User, &larkfield.organization).await;
    assert!(sees(&larkfield.client, &id).await);
    assert!(!sees(&other, &id).await && !sees(&admin, &id).await, "not even who administers, unless chosen");

    let save = |readers: serde_json::Value, version: &serde_json::Value| json!({ "displayName": "HR", "people": [], "readers": readers, "version": version });
    let none = admin.put(&at, &save(json!([]), &made["version"])).await;
    assert_eq!(none.texts("readers"), ["Choose at least one person who may read its mail."]);
    let foreign = admin.put(&at, &save(json!([summit.user.id]), &made["version"])).await;
    assert!(foreign.problem(422)["modelState"]["readers"].is_array());
    let open = admin.put(&at, &save(serde_json::Value::Null, &made["version"])).await.ok();
    assert_eq!(open["readers"], serde_json::Value::Null);
    assert!(sees(&other, &id).await);
    admin.put(&at, &save(json!([larkfield.user.id]), &made["version"])).await.problem(409);
    // A message that was also sent to an unrestricted address is visible to everybody.
    admin.put(&at, &save(json!([larkfield.user.id]), &open["version"])).await.ok();
    assert!(!sees(&other, &id).await);
    summit.client.send_document(&summit.address, &[address, &larkfield.address], "For all").await;
    app.drain().await;
    let theirs = other.post("/api/intake", &json!({})).await.ok();
    assert_eq!((&theirs["totalCount"], &theirs["items"][0]["subject"]), (&json!(1), &json!("For all")));
    app.finish().await;
}

const OWN: &str = "/api/settings/directaddresses";

/// The answer of the listener about a recipient.
async fn told(app: &TestApp, from: &testkit::Practice, to: &str) -> String {
    let sent = from.client.send_document(&from.address, &[to], "To an address").await;
    app.drain().await;
    let view = from.client.get(&format!("/api/messages/{sent}")).await.ok();
    let delivery = &view["deliveries"][0];
    format!(
        "{} {}",
        delivery["state"].as_str().unwrap_or_default(),
        delivery["reason"].as_str().unwrap_or_default()
    )
}

/// MSG-R-372
#[tokio::test]
async fn an_administrator_requests_activates_and_retires_an_address_that_nobody_else_ever_gets() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let other = app.signed_in(Role::Admin, &summit.organization).await;
    larkfield.client.get(OWN).await.problem(403);
    let form = json!({ "localPart": "Referrals", "displayName": "Referrals", "people": [larkfield.user.id] });
    let requested = admin.post(OWN, &form).await.ok();
    let address = requested["address"].as_str().expect("an address").to_owned();
    assert!(address.starts_with("referrals@"), "{address}");
    assert_eq!(
        (&requested["state"], &requested["people"]),
        (&json!("Requested"), &json!([larkfield.user.id]))
    );
    assert!(admin.post(OWN, &form).await.problem(422)["modelState"]["localPart"].is_array());
    let foreign = json!({ "localPart": "x", "displayName": "x", "people": [summit.user.id] });
    assert!(admin.post(OWN, &foreign).await.problem(422)["modelState"]["people"].is_array());
    let at = format!("{OWN}/{}", requested["id"].as_str().expect("an id"));
    for tail in ["", "/activate", "/retire"] {
        let path = format!("{at}{tail}");
        let answer =
            if tail.is_empty() { other.get(&path).await } else { other.post(&path, &json!({})).await };
        answer.problem(404);
    }
    let before = told(&app, &summit, &address).await;
    assert!(before.starts_with("Failed") && before.contains("5.1.1"), "{before}");

    let active = admin.post(&format!("{at}/activate"), &json!({})).await.ok();
    assert_eq!(active["state"], "Active");
    let taken = told(&app, &summit, &address).await;
    assert!(taken.starts_with("Processed") || taken.starts_with("Delivered"), "it takes mail: {taken}");
    larkfield.client.send_document(&address, &[&summit.address], "From the new address").await;
    let busy = admin.post(&format!("{at}/retire"), &json!({})).await.problem(409);
    assert!(busy["message"].as_str().is_some_and(|text| text.contains("still being sent")), "{busy}");
    app.drain().await;
    let retired = admin.post(&format!("{at}/retire"), &json!({})).await.ok();
    assert_eq!(retired["state"], "Retired");
    let after = told(&app, &summit, &address).await;
    assert!(after.starts_with("Failed") && after.contains("5.2.1"), "{after}");
    assert!(admin.post(OWN, &form).await.problem(422)["modelState"]["localPart"].is_array(), "it is kept");
    let id: Uuid = requested["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
    assert_eq!(audit_of(&app, id).await.len(), 3);
    app.finish().await;
}

#[tokio::test]
async fn an_address_is_renamed_and_its_senders_chosen_by_administrators_and_operators() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let (admin, operator) = (app.signed_in(Role::Admin, &larkfield.organization).await, operator(&app).await);
    let list = admin.get(OWN).await.ok();
    let own = &list["items"][0];
    let at = format!("{OWN}/{}", own["id"].as_str().expect("an id"));
    let named = format!("?organizationId={}", larkfield.organization.id);
    let save =
        |version: &serde_json::Value| json!({ "displayName": "Desk", "people": [], "version": version });
    let saved = operator.put(&format!("{at}{named}"), &save(&own["version"])).await.ok();
    assert_eq!((&saved["displayName"], &saved["people"]), (&json!("Desk"), &json!([])));
    admin.put(&at, &save(&own["version"])).await.problem(409);
    operator.get(OWN).await.problem(422);
    let draft =
        larkfield.client.draft(testkit::document(&larkfield.address, &[&larkfield.address], "x")).await;
    let refused = larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await;
    assert!(!refused.status.is_success(), "nobody may send from it");
    let closed = app.organization("closed").await;
    let row =
        organization::ActiveModel { id: Set(closed.id), is_activated: Set(false), ..Default::default() };
    row.update(app.store.db()).await.expect("an organization");
    let named = format!("?organizationId={}", closed.id);
    let form = json!({ "localPart": "desk", "displayName": "Desk" });
    let requested = operator.post(&format!("{OWN}{named}"), &form).await.ok();
    let path = format!("{OWN}/{}/activate{named}", requested["id"].as_str().expect("an id"));
    operator.post(&path, &json!({})).await.problem(409);
    app.finish().await;
}
