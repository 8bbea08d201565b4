//! Documents of messages in charts.

use crate::world::{World, form, text};
use chrono::Duration;
use serde_json::{Value, json};
use testkit::Role;

pub fn path(message: &Value, rest: &str) -> String {
    format!("/api/messages/{}/chart{rest}", text(message, "id"))
}

pub async fn filings(world: &World, message: &Value) -> Vec<Value> {
    let view = world.larkfield.client.get(&path(message, "")).await.ok();
    view["items"].as_array().expect("filings").clone()
}

fn in_chart(world: &World, filing: &Value) -> Value {
    world.server.ehr.resource("DocumentReference", text(filing, "chartDocumentId")).expect("a document")
}

/// Everything that a person chose on the screen.
pub async fn chosen(world: &World) -> Value {
    let message = world.letter().await;
    world.choose(&message, "tenney").await
}

pub async fn file(world: &World, message: &Value) -> Value {
    let meta = &message["patient"]["integrationMeta"];
    let body = json!({
        "acceptsGaps": true, "integrationId": meta["integrationId"], "chartPatientId": meta["patientId"],
    });
    world.larkfield.client.post(&path(message, ""), &body).await.ok()
}

#[tokio::test]
async fn a_document_is_filed_once_and_taken_back() {
    let world = World::connected().await;
    let message = world.letter().await;
    let staff = &world.larkfield.client;
    let connection = world.connection().await["id"].clone();
    assert_eq!(
        staff
            .post(&path(&message, ""), &json!({ "chartPatientId": "tenney", "integrationId": connection }))
            .await
            .texts("patient")
            .len(),
        1,
        "no chart is chosen"
    );
    let message = world.choose(&message, "tenney").await;
    let view = file(&world, &message).await;
    assert_eq!(view["items"][0]["state"], "Waiting");
    assert_eq!(world.message(text(&message, "id")).await["isProcessed"], true);
    assert_eq!(
        staff
            .post(
                &path(&message, ""),
                &json!({ "acceptsGaps": true, "chartPatientId": "tenney", "integrationId": connection })
            )
            .await
            .texts("attachmentIds")
            .len(),
        1
    );
    world.app.drain().await;
    let filing = filings(&world, &message).await.remove(0);
    assert_eq!((&filing["state"], &filing["patientName"]), (&json!("Filed"), &json!("Tenney, Marisol J")));
    assert_eq!(filing["chartUrl"], "https://ehr.example/chart/tenney");
    let document = in_chart(&world, &filing);
    assert_eq!(document["subject"]["reference"], "Patient/tenney");
    assert_eq!(document["status"], "current");
    assert_eq!(world.server.ehr.count("DocumentReference"), 1);
    let row = world.connection().await;
    assert_eq!((&row["filedLastWeek"], &row["waiting"]), (&json!(1), &json!(0)));

    let undo = path(&message, &format!("/{}/undo", text(&filing, "id")));
    assert_eq!(staff.post(&undo, &json!({})).await.ok()["items"][0]["state"], "Withdrawing");
    assert_eq!(world.message(text(&message, "id")).await["isProcessed"], false);
    world.app.drain().await;
    assert_eq!(filings(&world, &message).await[0]["state"], "Withdrawn");
    assert_eq!(in_chart(&world, &filing)["status"], "entered-in-error");
    staff.post(&undo, &json!({})).await.problem(409);
    // It can be filed again, as a document of its own.
    file(&world, &message).await;
    world.app.drain().await;
    assert_eq!(world.server.ehr.count("DocumentReference"), 2);

    let stranger = world.app.practice("summit").await;
    stranger.client.get(&path(&message, "")).await.problem(404);
    stranger
        .client
        .post(&path(&message, ""), &json!({ "chartPatientId": "tenney", "integrationId": connection }))
        .await
        .problem(404);
    stranger.client.post(&undo, &json!({})).await.problem(404);
    // A connection of another organization is none.
    let there = world.app.signed_in(Role::Admin, &stranger.organization).await;
    let theirs = there.put("/api/integrations", &form(&world.server.base)).await.ok();
    there.get(&format!("/api/integrations/{}/connectivity", text(&theirs, "id"))).await.ok();
    let now = world.message(text(&message, "id")).await;
    let mut patient = now["patient"].clone();
    patient["integrationMeta"]["integrationId"] = theirs["id"].clone();
    patient["version"] = now["patientVersion"].clone();
    staff.put(&format!("/api/messages/{}/patient", text(&message, "id")), &patient).await.ok();
    assert_eq!(
        staff
            .post(&path(&message, ""), &json!({ "chartPatientId": "tenney", "integrationId": connection }))
            .await
            .texts("patient")
            .len(),
        1
    );
    let search = json!({ "lastName": "Tenney", "integrationId": theirs["id"] });
    staff.post("/api/integrations/patients", &search).await.problem(409);
    world.app.finish().await;
}

#[tokio::test]
async fn an_ehr_that_stumbles_gets_each_document_once() {
    let world = World::connected().await;
    let message = chosen(&world).await;
    file(&world, &message).await;
    world.server.fail(503, 2);
    world.app.drain().await;
    assert_eq!(filings(&world, &message).await[0]["state"], "Waiting");
    for _ in 0..3 {
        world.later(Duration::seconds(70)).await;
    }
    assert_eq!(filings(&world, &message).await[0]["state"], "Filed");
    assert_eq!(world.server.ehr.count("DocumentReference"), 1);
    world.app.finish().await;
}

#[tokio::test]
async fn a_document_that_is_taken_back_on_its_way_does_not_stay_in_the_chart() {
    let world = World::connected().await;
    let message = chosen(&world).await;
    let filing = file(&world, &message).await["items"][0].clone();
    let undo = path(&message, &format!("/{}/undo", text(&filing, "id")));
    let view = world.larkfield.client.post(&undo, &json!({})).await.ok();
    assert_eq!(view["items"][0]["state"], "Withdrawing");
    world.app.drain().await;
    assert_eq!(filings(&world, &message).await[0]["state"], "Withdrawn");
    assert_eq!(world.server.ehr.count("DocumentReference"), 0);
    world.app.finish().await;
}

/// The chart is somebody else's: the father, the twin, or a record that was merged or closed.
#[tokio::test]
async fn nothing_is_filed_into_another_persons_chart() {
    let world = World::connected().await;
    let message = world.letter().await;
    let staff = &world.larkfield.client;
    let connection = world.connection().await["id"].clone();
    for (chart, reason) in [("tenney-1964", "differs"), ("whitcomb-old", "")] {
        // The details of the message stay; only the chart is another one.
        let now = world.message(text(&message, "id")).await;
        let named = world.choose(&now, "tenney").await;
        let mut patient = named["patient"].clone();
        patient["integrationMeta"]["patientId"] = json!(chart);
        patient["version"] = named["patientVersion"].clone();
        let put = format!("/api/messages/{}/patient", text(&message, "id"));
        staff.put(&put, &patient).await.ok();
        let now = world.message(text(&message, "id")).await;
        let other = json!({ "acceptsGaps": true, "chartPatientId": "tenney", "integrationId": connection });
        let refused = staff.post(&path(&message, ""), &other).await.texts("patient");
        assert!(refused[0].contains("changed meanwhile"), "the person saw another chart");
        let view = file(&world, &now).await;
        world.app.drain().await;
        let own =
            filings(&world, &message).await.into_iter().find(|filing| filing["id"] == view["items"][0]["id"]);
        let own = own.expect("the filing");
        assert_eq!(own["state"], "Failed", "{chart}");
        assert!(text(&own, "problem").contains(reason), "{own}");
        assert!(!text(&own, "problem").contains("Tenney"));
        assert_eq!(world.connection().await["failed"], 1);
        let undo = path(&message, &format!("/{}/undo", text(&own, "id")));
        staff.post(&undo, &json!({})).await.ok();
        world.app.drain().await;
    }
    assert_eq!(world.server.ehr.count("DocumentReference"), 0);
    assert_eq!(world.connection().await["failed"], 0);
    world.app.finish().await;
}

#[tokio::test]
async fn what_failed_is_tried_again() {
    let world = World::connected().await;
    let message = chosen(&world).await;
    file(&world, &message).await;
    world.server.fail(400, 1_000);
    world.app.drain().await;
    let failed = filings(&world, &message).await.remove(0);
    assert_eq!(failed["state"], "Failed");
    assert!(!text(&failed, "problem").contains("Marisol"), "what the EHR wrote is not shown");
    world.server.fail(0, 0);
    let retry = path(&message, &format!("/{}/retry", text(&failed, "id")));
    world.larkfield.client.post(&retry, &json!({})).await.ok();
    world.app.drain().await;
    assert_eq!(filings(&world, &message).await[0]["state"], "Filed");
    world.larkfield.client.post(&retry, &json!({})).await.problem(409);
    world.app.finish().await;
}

#[tokio::test]
async fn the_patient_of_a_message_is_proposed_only_if_it_is_certain() {
    let world = World::connected().await;
    let message = world.letter().await;
    let staff = &world.larkfield.client;
    let put = format!("/api/messages/{}/patient", text(&message, "id"));
    let matches = async |patient: Value| {
        let now = world.message(text(&message, "id")).await;
        let mut patient = patient;
        patient["version"] = now["patientVersion"].clone();
        staff.put(&put, &patient).await.ok();
        staff.get(&path(&message, "/matches")).await.ok()
    };
    let named = |first: &str, last: &str, born: &str| json!({ "firstName": first, "lastName": last, "birthDate": born, "gender": "F" });
    let certain = matches(named("Marisol", "Tenney", "1961-03-14")).await;
    assert_eq!(certain["proposed"], "tenney");
    assert_eq!(certain["items"][0]["certainty"], "Certain");
    let neighbour = matches(named("Marisol", "Tenney", "1961-03-15")).await;
    assert_eq!(neighbour["proposed"], Value::Null, "another birth date is asked about");
    let twins = matches(json!({ "lastName": "Stroud", "birthDate": "2009-09-17" })).await;
    assert_eq!((twins["items"].as_array().map(Vec::len), &twins["proposed"]), (Some(2), &Value::Null));
    world.app.finish().await;
}
