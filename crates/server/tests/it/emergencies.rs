//! Public health emergencies.

use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::{Value, json};
use store::entities::{
    carequality_entry::{self, ResponderType},
    string_list::StringList,
};
use testkit::{Client, Db, Organization, TestApp};
use uuid::Uuid;

const EMERGENCIES: &str = "/api/admin/emergencies";
const ORGANIZATIONS: &str = "/api/emergencies/organizations";
const OID: &str = "2.16.840.1.113883.3.9999.7";

/// Adds the organization to the Carequality directory, which the public-health service reads.
async fn listed(app: &TestApp, organization: &Organization, oid: &str, name: &str) {
    let text = |text: &str| Set(text.to_owned());
    let row = carequality_entry::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(organization.id),
        responder_type: Set(ResponderType::DirectResponder),
        oid: text(oid),
        home_community_id: text(""),
        display_name: text(name),
        legal_name: text(""),
        other_names: Set(StringList::default()),
        parent_oid: text(""),
        purpose_of_use_codes: Set(StringList::default()),
        street: text("1 Main Street"),
        city: text("Larkfield"),
        state: text("OH"),
        zip: text("43999"),
        country: text("US"),
        is_active: Set(true),
        created_at: Set(app.clock.now()),
        modified_at: Set(app.clock.now()),
        version: Set(1),
    };
    row.insert(app.store.db()).await.expect("an entry");
}

async fn begin() -> (TestApp, Client) {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    listed(&app, &home, OID, "Larkfield Family Medicine").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    (app, operator)
}

fn at(emergency: &Value) -> String {
    format!("{EMERGENCIES}/{}", emergency["id"].as_str().expect("an id"))
}

/// ADA-R-034 ADA-R-155 ADA-R-176 ADA-R-202 ADA-R-291 ADA-R-292 ADA-R-294 ADA-R-331 ADA-C-085 ADA-C-086 ADA-C-087
/// ADA-C-088 ADA-C-089 ADA-C-090
#[tokio::test]
async fn an_emergency_is_over_from_its_disabled_date_on() {
    let (app, operator) = begin().await;
    operator.put(ORGANIZATIONS, &json!({ "oid": OID })).await.ok();
    let form = json!({ "name": "Flood", "disabledDate": null, "organizations": [OID] });
    let wrong = |field: &str, value: Value| {
        let mut form = form.clone();
        form[field] = value;
        form
    };
    for (field, value) in [
        ("name", json!("")),
        ("name", json!("x".repeat(1001))),
        ("organizations", json!([])),
        ("organizations", json!(["2.16.840.1.113883.3.9999.8"])),
    ] {
        let refused = operator.post(EMERGENCIES, &wrong(field, value)).await.problem(422);
        assert!(refused["modelState"][field].is_array(), "{field}");
    }
    let added = operator.post(EMERGENCIES, &form).await.ok();
    assert_eq!(added["organizations"], json!([{ "oid": OID, "name": "Larkfield Family Medicine" }]));
    let today = app.clock.now().date_naive();
    let mut version = added["version"].clone();
    for (day, is_disabled) in
        [(today.succ_opt(), false), (Some(today), true), (today.pred_opt(), true), (None, false)]
    {
        let mut change = wrong("disabledDate", json!(day));
        change["id"] = added["id"].clone();
        change["version"] = version.clone();
        let saved = operator.put(EMERGENCIES, &change).await.ok();
        assert_eq!(saved["isDisabled"], is_disabled, "{day:?}");
        version = saved["version"].clone();
    }
    operator.put(&format!("{}/disable", at(&added)), &json!({})).await.ok();
    assert_eq!(operator.get(&at(&added)).await.ok()["isDisabled"], true);
    operator.put(&format!("{}/enable", at(&added)), &json!({})).await.ok();
    assert_eq!(operator.get(&at(&added)).await.ok()["disabledDate"], json!(null));

    let id = Uuid::now_v7();
    let mut other = wrong("name", json!("Fire"));
    other["id"] = json!(id);
    assert_eq!(
        operator.put(EMERGENCIES, &other).await.ok()["id"],
        json!(id),
        "a PUT makes what is not there"
    );
    assert_eq!(operator.get(EMERGENCIES).await.ok()["items"].as_array().map(Vec::len), Some(2));
    operator.delete(&at(&added)).await.ok();
    operator.get(&at(&added)).await.problem(404);
    app.finish().await;
}

/// ADA-R-035 ADA-R-299 ADA-R-300 ADA-R-302 ADA-C-091 ADA-C-092 ADA-C-093 ADA-C-094 ADA-C-095
#[tokio::test]
async fn the_public_health_service_says_what_an_organization_is_called() {
    let (app, operator) = begin().await;
    let search = "/api/organization/admin/_search";
    let found = operator.post(search, &json!({ "orgId": OID })).await.ok();
    assert_eq!(found["value"]["displayName"], "Larkfield Family Medicine");
    for nobody in ["2.16.840.1.9", "larkfield", ""] {
        assert_eq!(operator.post(search, &json!({ "orgId": nobody })).await.ok()["value"], json!(null));
    }
    let wrong = operator.put(ORGANIZATIONS, &json!({ "oid": "2.16.840.1.9" })).await.problem(422);
    assert_eq!(wrong["modelState"]["oid"], json!(["No organizations found"]));
    let added = operator.put(ORGANIZATIONS, &json!({ "oid": format!("urn:oid:{OID}") })).await.ok();
    assert_eq!((&added["oid"], &added["name"]), (&json!(OID), &json!("Larkfield Family Medicine")));
    operator.put(ORGANIZATIONS, &json!({ "oid": OID })).await.problem(422);
    assert_eq!(operator.get(&format!("{ORGANIZATIONS}/{OID}")).await.ok(), added);

    let form = json!({ "name": "Flood", "organizations": [OID] });
    let emergency = operator.post(EMERGENCIES, &form).await.ok();
    let held = operator.delete(&format!("{ORGANIZATIONS}/{OID}")).await.problem(409);
    assert_eq!(held["message"], "1 emergency includes this organization. Please remove it there first.");
    operator.delete(&at(&emergency)).await.ok();
    operator.delete(&format!("{ORGANIZATIONS}/{OID}")).await.ok();
    assert_eq!(operator.get(ORGANIZATIONS).await.ok()["items"], json!([]));
    app.finish().await;
}
