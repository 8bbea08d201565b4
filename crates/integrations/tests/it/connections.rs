//! Connections of administrators: settings, keys, tests, and what operators allow.

use crate::world::{Server, World, form, text};
use fhir::practice::Practice as Ehr;
use serde_json::{Value, json};
use testkit::{Db, Options, Role, TestApp};

fn steps(report: &Value) -> Vec<(String, String)> {
    let steps = report["steps"].as_array().expect("steps").iter();
    steps.map(|step| (text(step, "step").to_owned(), text(step, "outcome").to_owned())).collect()
}

fn outcomes(report: &Value) -> Vec<String> {
    steps(report).into_iter().map(|(_, outcome)| outcome).collect()
}

/// MSG-C-080 MSG-C-081 MSG-C-085 MSG-C-086 MSG-R-372
#[tokio::test]
async fn an_administrator_keeps_connections() {
    let world = World::start(Db::sqlite(), Ehr::open_to_all).await;
    let (admin, base) = (&world.admin, &world.server.base);
    world.larkfield.client.get("/api/integrations").await.problem(403);
    world.larkfield.client.put("/api/integrations", &form(base)).await.problem(403);
    let id = world.connect(&form(base)).await;
    let path = format!("/api/integrations/{id}");
    let saved = admin.get(&path).await.ok();
    assert_eq!((&saved["name"], &saved["state"]), (&json!("Maple Street EHR"), &json!("Connected")));
    assert!(!saved.to_string().contains("sealed"), "keys are never shown");
    assert_eq!(
        admin.put("/api/integrations", &form(base)).await.texts("name"),
        ["A connection with this name already exists."]
    );
    for (field, value) in [
        ("baseUrl", json!("http://fhir.hospital.example/r4")),
        ("chartUrl", json!("https://ehr.example/chart")),
        ("descriptionTemplate", json!("{type} for {patient}")),
        ("name", json!("")),
    ] {
        let mut wrong = form(base);
        (wrong["name"], wrong[field]) = (json!("Other"), value);
        admin.put("/api/integrations", &wrong).await.texts(field);
    }
    let mut changed = form(base);
    (changed["id"], changed["version"], changed["name"]) = (json!(id), json!(0), json!("Elm Street EHR"));
    admin.put("/api/integrations", &changed).await.problem(409);
    changed["version"] = saved["version"].clone();
    assert_eq!(admin.put("/api/integrations", &changed).await.ok()["name"], "Elm Street EHR");

    let other = world.app.practice("summit").await;
    let stranger = world.app.signed_in(Role::Admin, &other.organization).await;
    stranger.get(&path).await.problem(404);
    stranger.delete(&path).await.problem(404);
    stranger.get(&format!("{path}/connectivity")).await.problem(404);
    admin.delete(&path).await.ok();
    admin.get(&path).await.problem(404);
    world.app.finish().await;
}

/// MSG-C-087 MSG-C-088 MSG-C-089
#[tokio::test]
async fn a_connection_with_a_key_pair_is_tested_step_by_step() {
    let world = World::start(Db::sqlite(), |ehr| ehr).await;
    let mut wanted = form(&world.server.base);
    (wanted["authentication"], wanted["clientId"]) = (json!("KeyPair"), json!(""));
    assert_eq!(
        world.admin.put("/api/integrations", &wanted).await.texts("clientId"),
        ["Please enter the client ID that the EHR gave you."]
    );
    wanted["clientId"] = json!("carepost-larkfield");
    let unsaved = world.admin.post("/api/integrations/connectivity", &wanted).await.ok();
    assert_eq!(outcomes(&unsaved), ["Passed", "NotNeeded", "NotNeeded", "NotNeeded"], "there is no key yet");
    let id = world.connect(&wanted).await;
    let path = format!("/api/integrations/{id}");
    let refused = world.admin.get(&format!("{path}/connectivity")).await.ok();
    assert_eq!(outcomes(&refused), ["Passed", "NotNeeded", "Failed", "NotReached"]);
    assert_eq!(refused["field"], "clientId");
    let row = world.connection().await;
    assert_eq!((&row["state"], &row["problem"]), (&json!("Failing"), &refused["steps"][2]["detail"]));

    // The EHR fetches the key from us.
    let keys = world.app.client().get(&format!("/integrations/{id}.jwks")).await.ok();
    world.server.ehr.register("carepost-larkfield", keys.clone());
    let passed = world.admin.get(&format!("{path}/connectivity")).await.ok();
    assert_eq!(outcomes(&passed), ["Passed", "NotNeeded", "Passed", "Passed"]);
    let row = world.connection().await;
    assert_eq!((&row["state"], &row["problem"]), (&json!("Connected"), &json!("")));
    assert!(row["offered"].as_array().expect("capabilities").contains(&json!("documentUpload")));

    // A new key is not known there before it is registered; the former one stays in the set.
    (wanted["id"], wanted["version"], wanted["newKey"]) = (json!(id), row["version"].clone(), json!(true));
    world.admin.put("/api/integrations", &wanted).await.ok();
    let rotated = world.app.client().get(&format!("/integrations/{id}.jwks")).await.ok();
    assert_eq!(rotated["keys"].as_array().map(Vec::len), Some(2));
    assert_eq!(rotated["keys"][1], keys["keys"][0]);
    let unknown = world.admin.get(&format!("{path}/connectivity")).await.ok();
    assert_eq!((outcomes(&unknown)[2].as_str(), &unknown["field"]), ("Failed", &json!("newKey")));
    world.server.ehr.register("carepost-larkfield", rotated);
    assert_eq!(world.admin.get(&format!("{path}/connectivity")).await.ok()["isConnected"], true);

    let download = format!("{path}/downloadcertificate");
    let set = world.admin.post(&download, &json!({})).await;
    assert!(set.text().contains("\"kty\"") && !set.text().contains("\"d\""));
    let certificate = world.admin.post(&download, &json!({ "form": "Certificate" })).await.text();
    assert!(certificate.starts_with("-----BEGIN CERTIFICATE-----"), "{certificate}");
    world.app.finish().await;
}

/// MSG-C-082 MSG-C-083 MSG-C-084 MSG-C-090 MSG-C-104 MSG-C-105
#[tokio::test]
async fn what_is_connected_decides_what_staff_are_offered() {
    let world = World::start(Db::sqlite(), Ehr::open_to_all).await;
    let staff = &world.larkfield.client;
    let none = staff.get("/api/integrations/capabilities").await.ok();
    assert!(none.as_object().expect("capabilities").values().all(|can| can == false));
    assert_eq!(staff.get("/api/integrations/connected/types").await.ok()["items"], json!([]));
    let types = world.admin.get("/api/integrations/types").await.ok();
    assert_eq!(
        (&types["items"][0]["integrationType"], &types["items"][0]["isAllowed"]),
        (&json!("Fhir"), &json!(true))
    );

    let mut wanted = form(&world.server.base);
    wanted["unused"] = json!(["reviewerGroupLookup"]);
    let id = world.connect(&wanted).await;
    world.admin.get(&format!("/api/integrations/{id}/connectivity")).await.ok();
    let some = staff.get("/api/integrations/capabilities").await.ok();
    for (capability, can) in
        [("patientLookup", true), ("documentUpload", true), ("reviewerGroupLookup", false)]
    {
        assert_eq!(some[capability], can, "{capability}");
    }
    let connected = staff.get("/api/integrations/connected/types").await.ok();
    assert_eq!(
        (&connected["items"][0]["name"], &connected["items"][0]["needsLogin"]),
        (&json!("Maple Street EHR"), &json!(false))
    );
    assert_eq!(staff.get("/api/integrations/patientkeys?type=Fhir").await.ok()["items"][0]["key"], "MR");
    assert_eq!(staff.get("/api/integrations/templates").await.ok()["items"][0]["text"], "{type} from {from}");

    // Operators close it for everybody.
    let operator = world.app.signed_in(Role::SysAdmin, &world.larkfield.organization).await;
    let list = "/api/admin/integrations/whitelist?integrationId=Fhir";
    let entry = operator.get(list).await.ok()["items"][0]["id"].clone();
    operator
        .delete(&format!("/api/admin/integrations/whitelist/{}", entry.as_str().expect("an id")))
        .await
        .ok();
    let available = world.admin.get("/api/integrations/types/available").await.ok();
    let available = available["items"].as_array().expect("kinds").clone();
    assert!(available.iter().all(|kind| kind["integrationType"] != "Fhir") && available.len() == 2);
    assert_eq!(world.connection().await["state"], "NotAllowed");
    assert_eq!(staff.get("/api/integrations/capabilities").await.ok(), none);
    staff.post("/api/integrations/patients", &json!({ "lastName": "Tenney" })).await.problem(409);
    let mut second = form(&world.server.base);
    second["name"] = json!("Second");
    world.admin.put("/api/integrations", &second).await.problem(409);
    world.app.finish().await;
}

#[tokio::test]
async fn an_ehr_in_a_private_network_needs_the_operators_leave() {
    let close = |config: &mut platform::Config| {
        config.integrations.allowed_networks.clear();
        config.mode = platform::config::Mode::Production;
        config.session.require_second_factor = Some(false);
    };
    let options = Options { configure: Some(Box::new(close)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let larkfield = app.practice("larkfield").await;
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let server = Server::start(app.clock.clone(), Ehr::open_to_all).await;
    for address in [server.base.as_str(), "https://10.2.0.9/r4", "https://169.254.169.254/latest"] {
        let refused = admin.put("/api/integrations", &form(address)).await;
        assert!(refused.texts("baseUrl")[0].contains("private network"), "{address}");
    }
    app.finish().await;
}

/// A dead EHR is asked again after a pause, and holds nobody meanwhile.
#[tokio::test]
async fn an_ehr_that_fails_is_paused_and_comes_back_by_itself() {
    let world = World::connected().await;
    let staff = &world.larkfield.client;
    let search = json!({ "lastName": "Tenney" });
    world.server.fail(500, 3);
    for _ in 0..3 {
        let refused = staff.post("/api/integrations/patients", &search).await.problem(502);
        assert!(!refused.to_string().contains("Marisol"), "what the EHR wrote is not passed on");
    }
    let asked = world.server.requests.load(std::sync::atomic::Ordering::Relaxed);
    let paused = staff.post("/api/integrations/patients", &search).await.problem(502);
    assert!(text(&paused, "message").starts_with("Maple Street EHR is not available at the moment."));
    assert_eq!(world.server.requests.load(std::sync::atomic::Ordering::Relaxed), asked, "it was not asked");
    let row = world.connection().await;
    assert_eq!(row["state"], "Failing");
    assert!(row["nextTryAt"].is_string() && row["problem"].is_string());
    world.app.advance(chrono::Duration::seconds(31));
    staff.post("/api/integrations/patients", &search).await.ok();
    assert_eq!(world.connection().await["state"], "Connected");
    world.app.finish().await;
}
