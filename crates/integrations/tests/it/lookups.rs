//! Lookups of staff in the chart.

use crate::world::{World, form, text};
use fhir::practice::Practice as Ehr;
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use store::entities::audit_entry;
use testkit::Db;

fn ids(found: &Value) -> Vec<&str> {
    found["items"].as_array().expect("items").iter().map(|item| text(item, "id")).collect()
}

/// MSG-C-091 MSG-C-092 MSG-R-100 MSG-R-101 MSG-R-308 MSG-R-309 MSG-R-310 MSG-R-311
#[tokio::test]
async fn patients_are_found_by_name_and_birth_date_or_in_detail() {
    let world = World::connected().await;
    let staff = &world.larkfield.client;
    let search = async |criteria: Value| staff.post("/api/integrations/patients", &criteria).await;
    let found = search(json!({ "name": "Tenney", "birthDate": "1961-03-14" })).await.ok();
    assert_eq!(ids(&found), ["tenney"]);
    let tenney = &found["items"][0];
    assert_eq!((&tenney["medicalRecordNumber"], &tenney["gender"]), (&json!("LFM-20417"), &json!("F")));
    assert!(tenney["admitDate"].is_string() && tenney["streetAddress1"].is_string());
    let both = search(json!({ "lastName": "Tenney", "firstName": "Marisol" })).await.ok();
    assert_eq!(ids(&both).len(), 2, "both are offered, whichever is meant");
    assert_eq!(ids(&search(json!({ "mrn": "LFM-40055" })).await.ok()), ["stroud"]);
    let active = search(json!({ "lastName": "Whitcomb" })).await.ok();
    assert_eq!(ids(&active), ["whitcomb"]);
    assert_eq!(ids(&search(json!({ "lastName": "Whitcomb", "showInactive": true })).await.ok()).len(), 2);
    for (criteria, field) in [
        (json!({ "name": "Te" }), "name"),
        (json!({ "firstName": "M" }), "firstName"),
        (json!({ "lastName": "T" }), "lastName"),
        (json!({ "mrn": "7" }), "mrn"),
        (json!({ "gender": "F" }), "name"),
        (json!({}), "name"),
    ] {
        assert_eq!(search(criteria.clone()).await.texts(field).len(), 1, "{criteria}");
    }
    let details = staff.get("/api/integrations/patients/tenney").await.ok();
    let patient = &details["patient"];
    assert_eq!(
        (&patient["patientId"], &patient["integrationMeta"]["patientId"]),
        (&json!("LFM-20417"), &json!("tenney"))
    );
    staff.get("/api/integrations/patients/nobody").await.problem(404);

    let rows = audit_entry::Entity::find().all(world.app.store.db()).await.expect("the trail");
    let own: Vec<_> =
        rows.iter().filter(|row| row.event_type == "Searched" && row.object_type == "integration").collect();
    assert!(own.len() >= 5, "each search leaves an entry");
    assert!(own.iter().all(|row| !row.detail.contains("Tenney")));
    world.app.finish().await;
}

/// MSG-R-313
#[tokio::test]
async fn a_facility_is_needed_where_the_connection_says_so() {
    let world = World::start(Db::sqlite(), Ehr::open_to_all).await;
    let mut wanted = form(&world.server.base);
    wanted["requiresFacility"] = json!(true);
    let id = world.connect(&wanted).await;
    world.admin.get(&format!("/api/integrations/{id}/connectivity")).await.ok();
    let staff = &world.larkfield.client;
    let refused = staff.post("/api/integrations/patients", &json!({ "lastName": "Tenney" })).await;
    assert_eq!(refused.texts("facility"), ["Please choose a facility."]);
    let facilities = staff.get("/api/integrations/facilities?filter=main").await.ok();
    assert_eq!(ids(&facilities).len(), 1);
    let asked = json!({ "lastName": "Tenney", "facility": ids(&facilities)[0] });
    staff.post("/api/integrations/patients", &asked).await.ok();
    world.app.finish().await;
}

/// MSG-C-093 MSG-C-094 MSG-C-095 MSG-C-096 MSG-C-097 MSG-C-098 MSG-C-103
#[tokio::test]
async fn visits_orders_reviewers_and_lists_come_from_the_chart() {
    let world = World::connected().await;
    let staff = &world.larkfield.client;
    let of = json!({ "patientId": "pruitt" });
    let visits = staff.post("/api/integrations/visits", &of).await.ok();
    let visits = visits["items"].as_array().expect("visits");
    assert!(visits.iter().any(|visit| visit["isCancelled"] == true), "a cancelled one is marked");
    let with_orders = visits.iter().find(|visit| visit["orders"] != json!([])).expect("a visit with orders");
    let asked = json!({ "patientId": "pruitt", "visitId": with_orders["id"] });
    let orders = staff.post("/api/integrations/orders", &asked).await.ok();
    assert_eq!(orders["items"], with_orders["orders"]);
    let of = json!({ "patientId": "whitcomb" });
    let all = staff.post("/api/integrations/orders", &of).await.ok();
    assert!(all["items"].as_array().expect("orders").iter().any(|order| order["isRevoked"] == true));

    let reviewers = staff.post("/api/integrations/reviewers", &json!({ "search": "oka" })).await.ok();
    assert_eq!(reviewers["items"][0]["lastName"], "Okafor");
    let groups = staff.get("/api/integrations/reviewergroups").await.ok();
    assert!(ids(&groups).iter().any(|id| id.starts_with("Group/") || id.starts_with("CareTeam/")));
    let types = staff.get("/api/integrations/documenttypes").await.ok();
    assert!(ids(&types).contains(&"http://loinc.org|11488-4"));
    let asked = world.server.requests.load(std::sync::atomic::Ordering::Relaxed);
    staff.get("/api/integrations/documenttypes").await.ok();
    assert_eq!(
        world.server.requests.load(std::sync::atomic::Ordering::Relaxed),
        asked,
        "a list is remembered"
    );
    staff.post("/api/integrations/clearcache", &json!({})).await.ok();
    staff.get("/api/integrations/documenttypes").await.ok();
    assert!(world.server.requests.load(std::sync::atomic::Ordering::Relaxed) > asked);
    world.app.finish().await;
}

#[tokio::test]
async fn a_patient_is_added_after_a_look_at_those_who_are_alike() {
    let world = World::connected().await;
    let staff = &world.larkfield.client;
    let before = world.server.ehr.count("Patient");
    let add = async |patient: Value, accepts: bool| {
        let body = json!({ "patient": patient, "acceptsDuplicates": accepts });
        staff.post("/api/integrations/patients/add", &body).await
    };
    let tenney =
        json!({ "firstName": "Maria", "lastName": "Tenney", "birthDate": "1961-03-14", "gender": "F" });
    assert_eq!(add(tenney.clone(), false).await.texts("acceptsDuplicates").len(), 1);
    assert_eq!(add(json!({ "lastName": "Tenney" }), true).await.texts("birthDate").len(), 1);
    assert_eq!(world.server.ehr.count("Patient"), before);
    let added = add(tenney, true).await.ok();
    assert!(added["patient"]["integrationMeta"]["patientId"].is_string());
    assert_eq!(world.server.ehr.count("Patient"), before + 1);
    world.app.finish().await;
}
