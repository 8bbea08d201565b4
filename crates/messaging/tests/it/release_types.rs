//! Release types and document types of an organization.

use crate::support::*;
use platform::Role;
use serde_json::{Value, json};
use testkit::{Db, TestApp, document};

const PATH: &str = "/api/settings/releasetypes";

/// MSG-R-370, MSG-R-371
#[tokio::test]
async fn an_administrator_keeps_the_release_types_of_the_organization_and_not_those_of_the_system() {
    let app = TestApp::start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    let (admin, stranger) = (
        app.signed_in(Role::Admin, &practice.organization).await,
        app.signed_in(Role::Admin, &app.organization("summit").await).await,
    );
    practice.client.get(PATH).await.problem(403);
    let all = admin.get(&format!("{PATH}?pageSize=100")).await.ok();
    let system =
        all["items"].as_array().expect("items").iter().find(|t| t["isSystem"] == true).expect("a type");
    let at = |row: &Value| format!("{PATH}/{}", text(row, "id"));
    admin.put(&at(system), &json!({ "name": "Ours now", "version": system["version"] })).await.problem(404);
    admin.delete(&at(system)).await.problem(404);

    let form = json!({ "name": "To the county", "conversion": "Pdf", "subject": "Weekly list" });
    let own = admin.post(PATH, &form).await.ok();
    assert_eq!((&own["isSystem"], &own["conversion"]), (&json!(false), &json!("Pdf")));
    assert!(admin.post(PATH, &form).await.problem(422)["modelState"]["name"].is_array(), "the name is taken");
    stranger.post(PATH, &form).await.ok();
    stranger.get(&at(&own)).await.problem(404);
    let mut changed = form.clone();
    changed["isRetired"] = json!(true);
    admin.put(&at(&own), &changed).await.problem(422);
    changed["version"] = own["version"].clone();
    assert_eq!(admin.put(&at(&own), &changed).await.ok()["isRetired"], true);
    assert_eq!(admin.put(&at(&own), &changed).await.problem(409)["reason"], "Changed in the meantime.");
    assert_eq!(admin.delete(&at(&own)).await.status, 204);
    app.finish().await;
}

#[tokio::test]
async fn a_quick_release_has_an_active_address_of_the_organization_and_a_recipient_who_can_be_reached() {
    let app = TestApp::start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    let (own, summit) = (app.source(&practice.organization, "lab").await, app.organization("summit").await);
    let foreign = app.source(&summit, "lab").await;
    let form = |origin: Value, to: &str| json!({ "name": "Lab", "originAddressId": origin, "destinationAddress": to });
    for (field, wrong) in [
        ("originAddressId", form(json!(foreign.id), "lab@direct.partner.example")),
        ("originAddressId", form(Value::Null, "lab@direct.partner.example")),
        ("destinationAddress", form(json!(own.id), "the laboratory")),
        ("conversion", json!({ "name": "Lab", "conversion": "Gif" })),
        ("classificationCode", json!({ "name": "Lab", "classificationCode": "1-8" })),
    ] {
        let problem = admin.post(PATH, &wrong).await.problem(422);
        assert!(problem["modelState"][field].is_array(), "{field}: {problem}");
    }
    let quick = admin.post(PATH, &form(json!(own.id), "(740) 555-0120")).await.ok();
    let types = practice.client.get("/api/releasetypes").await.ok();
    let types = types["releaseTypes"].as_array().expect("types");
    let shown = types.iter().find(|t| t["id"] == quick["id"]).expect("the quick release");
    assert_eq!(shown["originAddressId"], json!(own.id));
    let mut fields = document(&practice.address, &[&practice.address], "Of this type");
    fields["releaseTypeId"] = quick["id"].clone();
    practice.client.draft(fields).await;
    admin.delete(&format!("{PATH}/{}", text(&quick, "id"))).await.problem(409);
    app.finish().await;
}

/// MSG-R-372
#[tokio::test]
async fn an_administrator_keeps_the_document_types_of_the_organization_and_not_those_of_the_system() {
    const TYPES: &str = "/api/settings/documenttypes";
    let app = TestApp::start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    let other = app.organization("summit").await;
    let (admin, stranger) =
        (app.signed_in(Role::Admin, &practice.organization).await, app.signed_in(Role::Admin, &other).await);
    practice.client.get(TYPES).await.problem(403);
    let all = admin.get(&format!("{TYPES}?pageSize=100")).await.ok();
    let system =
        all["items"].as_array().expect("items").iter().find(|t| t["isSystem"] == true).expect("a type");
    let at = |row: &Value| format!("{TYPES}/{}", text(row, "id"));
    admin.put(&at(system), &json!({ "name": "Ours now", "version": system["version"] })).await.problem(404);
    admin.delete(&at(system)).await.problem(404);
    let taken = admin.post(TYPES, &json!({ "name": system["name"] })).await.problem(422);
    assert!(taken["modelState"]["name"].is_array());

    let form = json!({ "name": "Growth chart of a twin" });
    let own = admin.post(TYPES, &form).await.ok();
    admin.post(TYPES, &form).await.problem(422);
    stranger.post(TYPES, &form).await.ok();
    stranger.get(&at(&own)).await.problem(404);
    let offered = practice.client.get("/api/documenttypes").await.ok();
    let names = offered["items"].as_array().expect("types").iter().map(|t| text(t, "name"));
    assert_eq!(names.filter(|name| *name == "Growth chart of a twin").count(), 1, "its own alone");
    let renamed = json!({ "name": "Growth chart", "version": own["version"] });
    assert_eq!(admin.put(&at(&own), &renamed).await.ok()["name"], "Growth chart");
    assert_eq!(admin.delete(&at(&own)).await.status, 204);
    app.finish().await;
}
