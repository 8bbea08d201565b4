//! The Direct tab of an organization: its domain, its certificate, its addresses.

use crate::support::audit_of;
use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::json;
use store::entities::organization;
use testkit::{Client, Db, Organization, TestApp};
use uuid::Uuid;

testkit::on_both_databases! { an_operator_adds_and_renames_direct_addresses }

async fn operator(app: &TestApp) -> Client {
    app.signed_in(Role::SysAdmin, &Organization { id: Uuid::nil(), sub_domain: String::new() }).await
}

/// ADA-S-010
async fn an_operator_adds_and_renames_direct_addresses(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let operator = operator(&app).await;
    let of = format!("/api/organizations/{}", larkfield.organization.id);
    let list = format!("{of}/directaddresses");
    let domain = operator.get(&format!("{of}/direct")).await.ok();
    assert_eq!((&domain["isServed"], domain["certificate"].is_object()), (&json!(true), true));
    let suffix = format!("@{}", domain["domain"].as_str().expect("a domain"));

    let form = json!({ "localPart": "Front.Desk", "displayName": " Front desk " });
    let created = operator.post(&list, &form).await.ok();
    assert_eq!(created["address"], format!("front.desk{suffix}"));
    let administrators = created["users"].as_u64().expect("a number");
    let shown = larkfield.client.get(&format!("/api/users/{}/documentsources", larkfield.user.id)).await.ok();
    let can_send =
        shown["items"].as_array().expect("a list").iter().any(|s| s["fullAddress"] == created["address"]);
    assert_eq!(can_send, administrators > 0, "administrators may send from it at once");

    let path = format!("{list}/{}", created["id"].as_str().expect("an id"));
    let renamed = operator.put(&path, &json!({ "displayName": "Reception" })).await.ok();
    assert_eq!((&renamed["displayName"], &renamed["address"]), (&json!("Reception"), &created["address"]));
    let found = operator.get(&format!("{list}?search=front")).await.ok();
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
    // Mail goes both ways with the new key.
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
    let list = |id: Uuid| format!("/api/organizations/{id}/directaddresses");
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
    assert_eq!(post("Office2").await.texts("localPart"), ["This organization has this address already."]);
    let id = created["id"].as_str().expect("an id");
    operator.get(&format!("{}/{id}", list(summit.id))).await.problem(404);
    operator.put(&format!("{}/{id}", list(summit.id)), &json!({ "displayName": "x" })).await.problem(404);
    operator.get(&list(Uuid::now_v7())).await.problem(404);
    larkfield.client.get(&list(larkfield.organization.id)).await.problem(403);
    app.finish().await;
}
