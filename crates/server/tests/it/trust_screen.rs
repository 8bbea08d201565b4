//! Operators determine on a screen whose certificates are trusted. openssl makes the certificates and
//! bundles.

use crate::trust::Publisher;
use direct::cert::Certificate;
use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use std::fs;
use store::entities::{audit_entry, organization};
use testkit::{Client, Db, Organization, TestApp};
use uuid::Uuid;

const BUNDLES: &str = "/api/admin/trust/bundles";
const ANCHORS: &str = "/api/admin/trust/anchors";

async fn operator(app: &TestApp) -> Client {
    app.signed_in(Role::SysAdmin, &Organization { id: Uuid::nil(), sub_domain: String::new() }).await
}

fn at(list: &str, row: &Value) -> String {
    format!("{list}/{}", row["id"].as_str().expect("an id"))
}

/// Number of audit entries about an object.
async fn audited(app: &TestApp, row: &Value) -> u64 {
    let of_row = audit_entry::Column::ObjectId.eq(row["id"].as_str().expect("an id"));
    audit_entry::Entity::find().filter(of_row).count(app.store.db()).await.expect("the trail")
}

#[tokio::test]
async fn a_bundle_is_added_refreshed_and_removed_and_its_refusals_stand_under_their_fields() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.organization("larkfield").await, app.organization("summit").await);
    let operator = operator(&app).await;
    let publisher = Publisher::start();
    let (north, south, signer) = (publisher.root("north"), publisher.root("south"), publisher.root("signer"));
    publisher.bundle("community.p7b", &[&north, &south]);
    let form = |url: &str| json!({ "name": "Community", "url": url, "organizationId": larkfield.id });
    let url = publisher.url("community.p7b");

    let missing = operator.post(BUNDLES, &form(&publisher.url("nothing.p7b"))).await;
    assert!(missing.texts("url")[0].contains("the server answered with status 404"), "{}", missing.text());
    assert!(!operator.post(BUNDLES, &form("ftp://x/y")).await.texts("url").is_empty());
    let plain = operator.post(BUNDLES, &form("http://community.example/anchors.p7b")).await;
    assert!(plain.texts("url")[0].starts_with("A bundle loaded by http"), "{}", plain.text());
    let mut pinned = form(&url);
    pinned["signer"] = json!(fs::read_to_string(publisher.path(&signer)).expect("a certificate"));
    let unsigned = operator.post(BUNDLES, &pinned).await;
    assert!(unsigned.texts("signer")[0].contains("not signed by the pinned signer"), "{}", unsigned.text());
    let mut unreadable = form(&url);
    unreadable["signer"] = json!("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----");
    assert_eq!(
        operator.post(BUNDLES, &unreadable).await.texts("signer"),
        ["This is not a readable certificate."]
    );
    let mut stranger = form(&url);
    stranger["organizationId"] = json!(Uuid::now_v7());
    assert!(!operator.post(BUNDLES, &stranger).await.texts("organizationId").is_empty());
    assert_eq!(operator.get(BUNDLES).await.ok()["totalCount"], 0, "what was refused is not kept");

    let added = operator.post(BUNDLES, &form(&url)).await.ok();
    assert_eq!((&added["anchors"], &added["organizationId"]), (&json!(2), &json!(larkfield.id)));
    assert!(added["refreshedDate"].is_string() && added["lastError"].is_null(), "{added}");
    assert_eq!(
        operator.post(BUNDLES, &form(&url)).await.texts("url"),
        ["The bundle at this address is already trusted."]
    );

    assert_eq!(added["isUnprotected"], false, "it comes from this machine");
    publisher.bundle("community.p7b", &[&north]);
    let refreshed = operator.post(&format!("{}/refresh", at(BUNDLES, &added)), &json!({})).await.ok();
    assert_eq!(refreshed["anchors"], 1);
    fs::write(publisher.path("community.p7b"), "Be right back.").expect("it is written");
    let said = operator.post(&format!("{}/refresh", at(BUNDLES, &added)), &json!({})).await.problem(409);
    assert!(said["message"].as_str().is_some_and(|text| text.contains("cannot be read")), "{said}");
    let kept = operator.get(&at(BUNDLES, &added)).await.ok();
    assert_eq!(kept["anchors"], 1, "the last good anchors hold");
    assert!(kept["lastError"].as_str().is_some_and(|text| text.contains("cannot be read")), "{kept}");

    let shown = async |list: &str, id: Uuid| {
        operator.get(&format!("{list}?organizationId={id}")).await.ok()["totalCount"].clone()
    };
    assert_eq!((shown(BUNDLES, larkfield.id).await, shown(BUNDLES, summit.id).await), (json!(1), json!(0)));
    // Everybody trusts the installation's own authority.
    assert_eq!((shown(ANCHORS, larkfield.id).await, shown(ANCHORS, summit.id).await), (json!(2), json!(1)));
    let bundle = added["id"].as_str().expect("an id");
    let anchors = operator.get(&format!("{ANCHORS}?bundleId={bundle}")).await.ok();
    let anchor = &anchors["items"][0];
    assert!(anchor["subject"].as_str().is_some_and(|text| text.contains("north Root")), "{anchor}");
    assert_eq!(anchor["bundleName"], "Community");
    operator.delete(&at(ANCHORS, anchor)).await.problem(409);
    let terms = json!({ "direction": "Incoming", "version": anchor["version"] });
    operator.put(&at(ANCHORS, anchor), &terms).await.problem(409);

    assert_eq!(operator.delete(&at(BUNDLES, &added)).await.status, 204);
    operator.delete(&at(BUNDLES, &added)).await.problem(404);
    operator.post(&format!("{}/refresh", at(BUNDLES, &added)), &json!({})).await.problem(404);
    assert_eq!(operator.get(ANCHORS).await.ok()["totalCount"], 1, "its anchors went with it");
    assert_eq!(audited(&app, &added).await, 3, "added, changed, removed");
    app.finish().await;
}

#[tokio::test]
async fn operators_read_what_partners_need_of_this_installation() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let waiting = app.practice("summit").await;
    let inactive = organization::ActiveModel {
        id: Set(waiting.organization.id),
        is_activated: Set(false),
        ..Default::default()
    };
    inactive.update(app.store.db()).await.expect("an organization");
    let larkfield = app.practice("larkfield").await;
    let own = operator.get("/api/admin/trust/authority").await.ok();
    let pem = own["certificate"].as_str().expect("a certificate");
    let certificate = Certificate::from_pem(pem.as_bytes()).expect("a certificate");
    assert_eq!(own["fingerprint"], certificate.fingerprint());
    assert_eq!((&own["name"], &own["subject"]), (&json!("Tests"), &json!(certificate.subject())));
    assert_eq!(own["directDomain"], "direct.carepost.example");
    assert_eq!((&own["mailServer"], &own["answersDns"]), (&json!("localhost"), &json!(false)));
    assert_eq!(own["addresses"], json!([larkfield.address]), "addresses that take mail");
    let list = own["revocationList"].as_str().expect("an address");
    let path = list.find("/crl/").map(|at| &list[at..]).expect("a path");
    assert_eq!(operator.get(path).await.status, 200);
    larkfield.client.get("/api/admin/trust/authority").await.problem(403);
    app.finish().await;
}

#[tokio::test]
async fn an_anchor_is_trusted_on_terms_that_can_be_changed_until_it_is_removed() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let operator = operator(&app).await;
    let publisher = Publisher::start();
    let pem = fs::read_to_string(publisher.path(&publisher.root("north"))).expect("a certificate");
    let form = json!({ "certificate": pem, "direction": "Incoming", "requiresRevocation": true });
    let added = operator.post(ANCHORS, &form).await.ok();
    assert_eq!((&added["direction"], &added["requiresRevocation"]), (&json!("Incoming"), &json!(true)));
    assert!(added["organizationId"].is_null() && added["notAfter"].is_string(), "{added}");
    assert_eq!(
        operator.post(ANCHORS, &form).await.texts("certificate"),
        ["This certificate is already trusted."]
    );
    let twice = pem.repeat(2);
    for (wrong, words) in
        [("junk", "not a readable certificate"), (twice.as_str(), "only one certificate, not 2")]
    {
        let said = operator.post(ANCHORS, &json!({ "certificate": wrong })).await;
        assert!(said.texts("certificate")[0].contains(words), "{}", said.text());
    }
    let own = format!("{ANCHORS}?organizationId={}", larkfield.organization.id);
    assert_eq!(
        operator.get(&own).await.ok()["totalCount"],
        2,
        "what is for all is for each, as the installation's own"
    );
    operator.get(&format!("{ANCHORS}?organizationId={}", Uuid::now_v7())).await.problem(404);

    let terms = |version: &Value| json!({ "direction": "Outgoing", "version": version });
    let changed = operator.put(&at(ANCHORS, &added), &terms(&added["version"])).await.ok();
    assert_eq!((&changed["direction"], &changed["requiresRevocation"]), (&json!("Outgoing"), &json!(false)));
    operator.put(&at(ANCHORS, &added), &terms(&added["version"])).await.problem(409);
    for client in [&larkfield.client, &app.signed_in(Role::Admin, &larkfield.organization).await] {
        client.get(ANCHORS).await.problem(403);
        client.post(ANCHORS, &form).await.problem(403);
        client.delete(&at(ANCHORS, &added)).await.problem(403);
        client.get(BUNDLES).await.problem(403);
    }
    assert_eq!(operator.delete(&at(ANCHORS, &added)).await.status, 204);
    operator.put(&at(ANCHORS, &added), &terms(&changed["version"])).await.problem(404);
    assert_eq!(audited(&app, &added).await, 3, "added, changed, removed");
    app.finish().await;
}
