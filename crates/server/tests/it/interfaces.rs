//! Connections on which systems send documents to the installation.

use platform::Role;
use serde_json::{Value, json};
use testkit::{Client, Db, Organization, TestApp};

const PATH: &str = "/api/admin/inboundconnections";

async fn operator(app: &TestApp) -> (Client, Organization) {
    let home = app.organization("home").await;
    (app.signed_in(Role::SysAdmin, &home).await, app.organization("larkfield").await)
}

fn with(mut form: Value, field: &str, value: Value) -> Value {
    form[field] = value;
    form
}

#[tokio::test]
async fn connections_are_listed_by_name_created_saved_once_and_deleted() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, larkfield) = operator(&app).await;
    let form = json!({
        "name": "Northgate lab", "kind": "Mllp", "organizationId": larkfield.id, "networks": ["10.2.0.0/16"],
        "sendingFacility": "NORTH",
    });
    let made = operator.post(PATH, &form).await.ok();
    assert_eq!((&made["isEnabled"], &made["receivedCount"]), (&json!(true), &json!(0)));
    let wide = json!({ "name": "Edge", "kind": "Xdr", "certificate": "AB".repeat(32) });
    assert_eq!(operator.post(PATH, &wide).await.ok()["certificate"], "ab".repeat(32));
    let list = operator.get(&format!("{PATH}?pageSize=10")).await.ok();
    assert_eq!((&list["totalCount"], &list["items"][0]["name"]), (&json!(2), &json!("Edge")));
    assert_eq!(operator.get(&format!("{PATH}?search=north&kind=Mllp")).await.ok()["totalCount"], 1);
    let path = format!("{PATH}/{}", made["id"].as_str().expect("an id"));
    let saved = operator.put(&path, &with(made.clone(), "isEnabled", json!(false))).await.ok();
    assert_eq!((&saved["isEnabled"], &saved["version"]), (&json!(false), &json!(2)));
    operator.put(&path, &made).await.problem(409);
    let taken = operator.post(PATH, &with(form, "name", json!("NORTHGATE LAB"))).await.problem(422);
    assert!(taken["modelState"]["name"].is_array());
    operator.delete(&path).await.ok();
    operator.get(&path).await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn a_connection_says_from_where_or_by_which_certificate_its_sender_is_known() {
    let app = TestApp::start(Db::sqlite()).await;
    let (operator, larkfield) = operator(&app).await;
    let stranger = app.user(Role::User, &app.organization("summit").await).await;
    let good = || json!({ "name": "Northgate", "kind": "Mllp", "organizationId": larkfield.id, "networks": ["10.2.0.7"] });
    for (field, value) in [
        ("name", json!("")),
        ("name", json!("x".repeat(101))),
        ("kind", json!("Pigeon")),
        ("organizationId", Value::Null),
        ("organizationId", json!(uuid::Uuid::now_v7())),
        ("networks", json!([])),
        ("networks", json!(["everywhere"])),
        ("networks", json!((0..21).map(|n| format!("10.0.0.{n}")).collect::<Vec<_>>())),
        ("certificate", json!("AB")),
        ("assignedTo", json!(stranger.user_name)),
        ("sendingFacility", json!("x".repeat(228))),
    ] {
        let problem = operator.post(PATH, &with(good(), field, value.clone())).await.problem(422);
        let fields = problem["modelState"].as_object().expect("fields");
        assert!(fields.keys().any(|name| name.starts_with(field)), "{field} {value}: {problem}");
    }
    operator.post(PATH, &good()).await.ok();
    app.finish().await;
}
