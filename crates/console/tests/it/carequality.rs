//! Directory entries of an organization.

use crate::world::{World, id_of, with};
use axum::{Router, extract::Query, http::HeaderMap, response::IntoResponse, routing::get};
use platform::{Config, Role};
use reqwest::StatusCode;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};
use std::collections::HashMap;
use store::entities::audit_entry;
use testkit::{Db, Options, TestApp};
use uuid::Uuid;

const OID: &str = "2.16.840.1.113883.3.9999";

fn path(organization: Uuid) -> String {
    format!("/api/admin/organizations/{organization}/directoryentries")
}

fn entry() -> Value {
    json!({
        "responderType": "DirectResponder", "organizationId": OID, "displayName": "Larkfield Family Medicine",
        "address": "418 Orchard Lane", "city": "Portland", "state": "OR", "zipCode": "97201", "country": "US",
    })
}

impl World {
    async fn save_entry(&self, organization: Uuid, change: Value) -> Value {
        self.call("PUT", &path(organization), with(entry(), change)).await.ok()
    }
}

/// ADA-C-030, ADA-C-031, ADA-R-017, ADA-R-098, ADA-R-110, ADA-R-111, ADA-R-332
#[tokio::test]
async fn an_entry_is_added_and_changed_by_the_same_call() {
    let world = World::new(Db::sqlite()).await;
    let created = world.organization("Larkfield Family Medicine", "larkfield").await;
    let id = id_of(&created);
    let codes = json!({ "allowedPurposeOfUseCodes": ["TREAT"], "version": created["version"] });
    let form = with(world.form("Larkfield Family Medicine", "larkfield"), codes);
    world.call("PUT", &format!("/api/organizations/{id}"), form).await.ok();
    let names = json!({ "otherNames": [" Lark ", "", "Lark"], "purposeOfUseCodes": ["HPAYMT"] });
    let saved = world.save_entry(id, names).await;
    assert_eq!(saved["isActive"], true, "a new entry is active");
    assert_eq!(saved["otherNames"], json!(["Lark"]));
    assert_eq!(saved["purposeOfUseCodes"], json!(["TREAT"]), "those of the organization, whatever is sent");
    assert_eq!((&saved["initiatorOnly"], &saved["isParent"]), (&json!(false), &json!(false)));
    let change = json!({ "id": saved["id"], "version": saved["version"],
        "responderType": "InitiatorOnly", "displayName": "Larkfield" });
    let changed = world.save_entry(id, change).await;
    assert_eq!((&changed["id"], &changed["displayName"]), (&saved["id"], &json!("Larkfield")));
    assert_eq!(changed["initiatorOnly"], true, "true for this type, and no other");
    let below = json!({ "organizationId": format!("{OID}.1"), "parentOrgId": OID, "displayName": "a Branch",
        "responderType": "ChildLocation" });
    assert_eq!(world.save_entry(id, below).await["parentOrgId"], OID);
    let list = world.get(&path(id)).await;
    let shown = list["items"].as_array().unwrap();
    let shown: Vec<_> = shown.iter().map(|e| (e["displayName"].as_str().unwrap(), &e["isParent"])).collect();
    assert_eq!(shown, [("a Branch", &json!(false)), ("Larkfield", &json!(true))]);
}

/// ADA-R-101
#[tokio::test]
async fn an_entry_is_deactivated_and_activated_again() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let mut saved = world.save_entry(id, json!({})).await;
    for (is_active, city) in [(false, "Salem"), (true, "Albany")] {
        let flip = json!({ "id": saved["id"], "version": saved["version"], "isActive": is_active });
        let flipped = world.save_entry(id, flip).await;
        assert_eq!(flipped["isActive"], is_active);
        let move_it = json!({ "id": saved["id"], "version": flipped["version"], "city": city });
        saved = world.save_entry(id, move_it.clone()).await;
        assert_eq!(saved["isActive"], is_active, "who does not say it leaves it as it is");
        let outdated = world.call("PUT", &path(id), with(entry(), move_it)).await;
        assert_eq!(outdated.status, StatusCode::CONFLICT);
    }
    let entries = audit_entry::Entity::find()
        .filter(audit_entry::Column::ObjectId.eq(saved["id"].as_str().unwrap()))
        .order_by_asc(audit_entry::Column::Seq)
        .all(world.app.store.db())
        .await
        .unwrap();
    let events: Vec<_> = entries.iter().map(|e| e.event_type.as_str()).collect();
    assert_eq!(events, ["Created", "Changed", "Changed", "Changed", "Changed"]);
    assert_eq!(entries[1].detail, r#"{"after":{"is_active":false},"before":{"is_active":true}}"#);
    assert!(entries.iter().all(|e| e.organization_id == Some(id)), "in the organization's own trail");
}

/// ADA-R-102, ADA-R-103, ADA-R-104, ADA-R-105, ADA-R-106, ADA-R-107, ADA-R-108, ADA-R-109
#[tokio::test]
async fn what_is_wrong_with_an_entry_stands_at_its_field() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let wrong = "Please enter a valid value for this field.";
    let empty = world.call("PUT", &path(id), json!({})).await;
    for field in
        ["responderType", "organizationId", "displayName", "address", "city", "state", "zipCode", "country"]
    {
        assert_eq!(empty.texts(field), [wrong], "{field}");
    }
    assert_eq!(empty.json()["modelState"].as_object().unwrap().len(), 8, "the others are optional");
    let refused = async |change: Value, field: &str, text: &str| {
        let answer = world.call("PUT", &path(id), with(entry(), change)).await;
        assert_eq!(answer.texts(field), [text], "{field}");
    };
    refused(json!({ "responderType": "Unknown" }), "responderType", wrong).await;
    refused(json!({ "organizationId": "larkfield" }), "organizationId", wrong).await;
    refused(json!({ "parentOrgId": OID }), "parentOrgId", "An entry cannot be its own parent.").await;
    refused(json!({ "country": "USA" }), "country", wrong).await;
    world.save_entry(id, json!({})).await;
    let taken = "The organization already has an entry with this ID.";
    refused(json!({}), "organizationId", taken).await;
}

#[tokio::test]
async fn entries_of_one_organization_are_not_those_of_another() {
    let world = World::new(Db::sqlite()).await;
    let larkfield = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let summit = world.organization_id("Summit Clinic", "summit").await;
    let saved = world.save_entry(larkfield, json!({})).await;
    assert_eq!(world.get(&path(summit)).await["items"], json!([]));
    let stolen = with(entry(), json!({ "id": saved["id"] }));
    let answer = world.call("PUT", &path(summit), stolen).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    world.save_entry(summit, json!({})).await;
    let gone = Uuid::now_v7();
    for (method, body) in [("GET", Value::Null), ("PUT", entry())] {
        assert_eq!(world.call(method, &path(gone), body).await.status, StatusCode::NOT_FOUND);
    }
}

/// ADA-C-032, ADA-R-094
#[tokio::test]
async fn entries_are_taken_over_from_the_directory_of_a_demonstration() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let sync = format!("{}/sync", path(id));
    let north = "2.16.840.1.113883.3.9999.10.1";
    let asked = json!({ "oids": [north, format!("urn:oid:{north}"), "2.16.840.1.113883.3.9999.404"] });
    let imported = world.call("POST", &sync, asked.clone()).await.ok();
    let outcomes = |answer: &Value| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let items = answer["items"].as_array().expect("items").iter();
        items.map(|item| (text(&item["oid"]), text(&item["outcome"]))).collect()
    };
    let expected = |outcome: &str| {
        [(north.to_owned(), outcome.to_owned()), ("2.16.840.1.113883.3.9999.404".into(), "NotFound".into())]
    };
    assert_eq!(outcomes(&imported), expected("Added"), "each OID once, however it is written");
    let entry = &imported["items"][0]["entry"];
    assert_eq!((&entry["displayName"], &entry["city"]), (&json!("Cascade Clinic North"), &json!("Salem")));
    assert_eq!(entry["responderType"], "ChildLocation");
    assert_eq!(outcomes(&world.call("POST", &sync, asked.clone()).await.ok()), expected("Unchanged"));
    let own = json!({ "id": entry["id"], "version": entry["version"], "organizationId": north,
        "responderType": "InitiatorOnly", "legalName": "Cascade LLC", "city": "Elsewhere" });
    world.save_entry(id, own).await;
    let again = world.call("POST", &sync, asked).await.ok();
    assert_eq!(outcomes(&again), expected("Updated"));
    let entry = &again["items"][0]["entry"];
    assert_eq!(entry["city"], "Salem");
    assert_eq!(
        (&entry["responderType"], &entry["legalName"]),
        (&json!("InitiatorOnly"), &json!("Cascade LLC"))
    );
    for (oids, status) in [
        (json!([]), StatusCode::UNPROCESSABLE_ENTITY),
        (json!(["no oid"]), StatusCode::UNPROCESSABLE_ENTITY),
        (json!((0..51).map(|n| format!("1.2.{n}")).collect::<Vec<_>>()), StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        assert_eq!(world.call("POST", &sync, json!({ "oids": oids })).await.status, status);
    }
    let unknown = format!("{}/sync", path(Uuid::now_v7()));
    assert_eq!(world.call("POST", &unknown, json!({ "oids": [north] })).await.status, StatusCode::NOT_FOUND);
}

/// A directory with one complete organization and one without an address. It requires a token.
async fn fhir(Query(query): Query<HashMap<String, String>>, headers: HeaderMap) -> impl IntoResponse {
    if headers.get("authorization").is_none_or(|value| value != "Bearer secret") {
        return (StatusCode::UNAUTHORIZED, axum::Json(json!({})));
    }
    let oid = query["identifier"].rsplit(',').next().unwrap_or_default().to_owned();
    let address =
        json!([{ "line": ["1 Main Street"], "city": "Salem", "state": "OR", "postalCode": "97301" }]);
    let entry = match oid.as_str() {
        "1.2.3" | "1.2.4" => json!([{ "resource": {
            "resourceType": "Organization", "name": format!("Clinic {oid}"), "active": false,
            "identifier": [{ "value": format!("urn:oid:{oid}") }],
            "address": if oid == "1.2.3" { address } else { json!([]) },
        } }]),
        _ => json!([]),
    };
    (StatusCode::OK, axum::Json(json!({ "resourceType": "Bundle", "entry": entry })))
}

#[tokio::test]
async fn entries_are_taken_over_from_a_fhir_server_that_is_configured() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new().route("/fhir/Organization", get(fhir));
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let start = async |token: &'static str| {
        let configure = move |config: &mut Config| {
            config.carequality.directory_url = Some(format!("http://{address}/fhir").parse().expect("a URL"));
            config.carequality.directory_token = Some(token.into());
        };
        let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
        let app = TestApp::start_with(Db::sqlite(), options).await;
        let larkfield = app.organization("larkfield").await;
        let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
        let sync = format!("{}/sync", path(larkfield.id));
        (app, operator, sync)
    };
    let oids = json!({ "oids": ["1.2.3", "1.2.4", "1.2.5"] });
    let (app, operator, sync) = start("secret").await;
    let items = operator.post(&sync, &oids).await.ok()["items"].clone();
    let outcomes: Vec<&Value> =
        items.as_array().expect("items").iter().map(|item| &item["outcome"]).collect();
    assert_eq!(outcomes, ["Added", "Incomplete", "NotFound"]);
    assert_eq!(items[0]["entry"]["isActive"], false);
    app.finish().await;
    let (app, operator, sync) = start("another").await;
    let refused = operator.post(&sync, &oids).await.problem(409);
    assert!(refused["message"].as_str().expect("a sentence").contains("token"), "{refused}");
    server.abort();
    let _ = server.await;
    let gone = operator.post(&sync, &oids).await.problem(409);
    assert!(gone["message"].as_str().expect("a sentence").contains("could not be reached"), "{gone}");
    app.finish().await;
}
