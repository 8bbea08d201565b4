//! The whitelist determines which organizations may connect external systems.

use platform::Role;
use serde_json::{Value, json};
use testkit::{Client, Db, TestApp};

const LIST: &str = "/api/admin/integrations/whitelist";

async fn operator(app: &TestApp) -> Client {
    let home = app.organization("home").await;
    app.signed_in(Role::SysAdmin, &home).await
}

/// Removes the entry that allows an integration for everybody.
async fn close(operator: &Client, integration: &str) {
    let found = operator.get(&format!("{LIST}?integrationId={integration}")).await.ok();
    assert_eq!((&found["totalCount"], &found["items"][0]["organizationId"]), (&json!(1), &Value::Null));
    operator.delete(&format!("{LIST}/{}", found["items"][0]["id"].as_str().expect("an id"))).await.ok();
}

/// ADB-C-045 ADB-C-046 ADB-C-047 ADB-C-048 ADB-C-049 ADB-R-247 ADB-R-250
#[tokio::test]
async fn entries_are_kept_once_for_an_organization_and_integration() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let larkfield = app.organization("larkfield").await;
    let form = json!({ "name": "Pilot", "integrationId": "Webhooks", "organizationId": larkfield.id });
    let entry = operator.post(LIST, &form).await.ok();
    assert!(entry["createdBy"].is_string() && entry["createDate"].is_string());
    let twice = operator.post(LIST, &form).await.problem(422);
    assert!(twice["modelState"]["organizationId"].is_array());
    let nobody =
        json!({ "name": "Pilot", "integrationId": "Webhooks", "organizationId": uuid::Uuid::now_v7() });
    assert!(operator.post(LIST, &nobody).await.problem(422)["modelState"]["organizationId"].is_array());
    let path = format!("{LIST}/{}", entry["id"].as_str().expect("an id"));
    let mut renamed = entry.clone();
    renamed["name"] = json!("Contract");
    let saved = operator.put(&path, &renamed).await.ok();
    assert_eq!(operator.get(&path).await.ok(), saved);
    operator.put(&path, &renamed).await.problem(409);
    let found = operator.get(&format!("{LIST}?search=contract&organizationId={}", larkfield.id)).await.ok();
    assert_eq!(found["totalCount"], 1);
    operator.delete(&path).await.ok();
    operator.get(&path).await.problem(404);
    app.finish().await;
}

/// ADB-C-043 ADB-C-044 ADB-R-248 ADB-R-249
#[tokio::test]
async fn a_system_of_an_organization_that_is_not_listed_stays_out() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let larkfield = app.practice("larkfield").await;
    let system = app.system_of(&larkfield.organization).await;
    system.post("/api/intake", &json!({})).await.ok();
    close(&operator, "ServiceAccounts").await;
    system.post("/api/intake", &json!({})).await.problem(403);
    let accounts = format!("/api/organizations/{}/serviceaccounts", larkfield.organization.id);
    operator.post(&accounts, &json!({ "name": "Interface engine" })).await.problem(409);
    let path = "/api/admin/integrations/ServiceAccounts/organizations";
    let users = operator.get(path).await.ok();
    assert_eq!((&users["totalCount"], &users["items"][0]["isAllowed"]), (&json!(1), &json!(false)));

    let form = json!({ "name": "Pilot", "integrationId": "ServiceAccounts", "organizationId": larkfield.organization.id });
    operator.post(LIST, &form).await.ok();
    system.post("/api/intake", &json!({})).await.ok();
    let all = operator.get("/api/admin/integrations").await.ok();
    let own = all["items"].as_array().expect("items").iter().find(|i| i["id"] == "ServiceAccounts");
    let own = own.expect("service accounts");
    assert_eq!(
        (&own["organizationCount"], &own["isOpenToAll"], &own["whitelistedCount"]),
        (&json!(1), &json!(false), &json!(1))
    );
    operator.get("/api/admin/integrations/Telegraph/organizations").await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn webhooks_are_neither_made_nor_called_without_an_entry() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let larkfield = app.practice("larkfield").await;
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let form = json!({ "name": "Records", "url": "http://127.0.0.1:9/", "events": ["message.received"] });
    let hook = admin.post("/api/webhooks", &form).await.ok();
    let id = hook["id"].as_str().expect("an id");
    let test = admin.post(&format!("/api/webhooks/{id}/test"), &json!({})).await.ok();
    close(&operator, "Webhooks").await;
    app.drain().await;
    let path = format!("/api/webhooks/{id}/deliveries/{}", test["id"].as_str().expect("an id"));
    let delivery = admin.get(&path).await.ok();
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("Failed"), &json!(0)));
    admin.post(&format!("/api/webhooks/{id}/test"), &json!({})).await.problem(409);
    admin.post("/api/webhooks", &form).await.problem(409);
    app.finish().await;
}
