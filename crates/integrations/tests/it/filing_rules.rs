//! Intake rules that file into charts without a person.

use crate::{
    charts::{filings, path},
    world::{World, form, text},
};
use chrono::{Duration, NaiveDate};
use documents::samples::{self, SamplePatient, SamplePractice};
use serde_json::{Value, json};
use testkit::{Practice, Role, document};

const RULES: &str = "/api/settings/intakerules";
/// The authority of the sample practice's record numbers.
const RECORD_NUMBERS: &str = "2.16.840.1.113883.19.5.50";

/// Larkfield with an EHR, and a practice that sends summaries to it.
struct Desk {
    world: World,
    sender: Practice,
}

fn summary(patient: &SamplePatient) -> String {
    let practice = SamplePractice { oid: RECORD_NUMBERS.into(), ..samples::practices()[0].clone() };
    let day = NaiveDate::from_ymd_opt(2026, 11, 19).expect("a day");
    samples::ccd_xml(patient, &practice, day)
}

/// Without a record number, which would tell charts of one name apart.
fn unnumbered(patient: &SamplePatient) -> String {
    let id = format!(r#"<id root="{RECORD_NUMBERS}" extension="{}""#, patient.mrn);
    summary(patient).replacen(&id, r#"<id nullFlavor="UNK""#, 1)
}

impl Desk {
    async fn new() -> Self {
        let world = World::connected().await;
        let sender = world.app.practice("trivalley").await;
        Self { world, sender }
    }

    async fn rule(&self, name: &str, over: Value) -> Value {
        let connection = self.world.connection().await["id"].clone();
        let mut rule = json!({
            "name": name, "isEnabled": true, "fileToChart": { "integrationId": connection, "minimumPercent": 98 },
        });
        rule.as_object_mut().expect("a rule").extend(over.as_object().cloned().expect("fields"));
        self.world.admin.post(RULES, &rule).await.ok()
    }

    /// Sends files in one message.
    async fn send(&self, patient: &SamplePatient, files: &[String]) {
        let mut draft =
            document(&self.sender.address, &[&self.world.larkfield.address], "Summary of a visit");
        draft["patient"] = json!({
            "firstName": patient.first, "lastName": patient.last, "birthDate": patient.birth_date,
            "gender": patient.gender.code(),
        });
        let draft = self.sender.client.draft(draft).await;
        for (number, file) in files.iter().enumerate() {
            let name = format!("Summary {number}.xml");
            self.sender.client.upload(&draft, &name, file.clone().into_bytes(), json!({})).await;
        }
        let sent = json!({ "acceptsPatient": true });
        self.sender.client.post(&format!("/api/messages/{draft}/send"), &sent).await.ok();
        self.world.app.drain().await;
    }

    /// The newest message of the Intake, once rules have decided.
    async fn newest(&self) -> Value {
        for _ in 0..3 {
            self.world.later(Duration::seconds(20)).await;
        }
        let all = json!({ "statuses": ["Received", "Processed"] });
        let list = self.world.larkfield.client.post("/api/intake", &all).await.ok();
        self.world.message(text(&list["items"][0], "id")).await
    }

    async fn receive(&self, patient: &SamplePatient) -> Value {
        self.send(patient, &[summary(patient)]).await;
        self.newest().await
    }

    async fn refusal(&self, message: &Value) -> Value {
        self.world.larkfield.client.get(&path(message, "")).await.ok()["refusal"].clone()
    }

    fn in_charts(&self) -> usize {
        self.world.server.ehr.count("DocumentReference")
    }

    async fn listed(&self, rest: &str) -> Vec<Value> {
        let list = self.world.larkfield.client.get(&format!("/api/filedbyrule{rest}")).await.ok();
        list["items"].as_array().expect("items").clone()
    }
}

fn tenney() -> SamplePatient {
    samples::patients()[0].clone()
}

#[tokio::test]
async fn what_is_certain_is_filed_without_a_person_and_taken_back_by_one() {
    let desk = Desk::new().await;
    let rule = desk.rule("Summaries", json!({})).await;
    assert_eq!(rule["filingProblem"], "");
    let message = desk.receive(&tenney()).await;
    let filing = filings(&desk.world, &message).await.remove(0);
    assert_eq!(
        (&filing["state"], &filing["filedBy"], &filing["ruleId"]),
        (&json!("Filed"), &json!("rule Summaries"), &rule["id"])
    );
    assert!(filing["percent"].as_i64().is_some_and(|percent| percent >= 98), "{filing}");
    assert_eq!(message["isProcessed"], true);
    assert_eq!(message["patient"]["integrationMeta"]["patientId"], "tenney");
    assert_eq!(desk.in_charts(), 1);
    assert_eq!(desk.refusal(&message).await, Value::Null);

    let listed = desk.listed("").await;
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (&listed[0]["messageId"], &listed[0]["patientName"], &listed[0]["ruleName"]),
        (&message["id"], &json!("Tenney, Marisol J"), &json!("Summaries"))
    );
    let counts = desk.listed("/counts").await;
    assert_eq!((&counts[0]["filed"], &counts[0]["left"]), (&json!(1), &json!(0)));
    assert!(desk.listed("?end=2020-01-01T00:00:00Z").await.is_empty());
    let stranger = &desk.sender.client;
    assert_eq!(stranger.get("/api/filedbyrule").await.ok()["totalCount"], 0);
    assert_eq!(stranger.get("/api/filedbyrule/counts").await.ok()["items"], json!([]));

    let undo = path(&message, &format!("/{}/undo", text(&filing, "id")));
    stranger.post(&undo, &json!({})).await.problem(404);
    desk.world.larkfield.client.post(&undo, &json!({})).await.ok();
    desk.world.app.drain().await;
    assert_eq!(filings(&desk.world, &message).await[0]["state"], "Withdrawn");
    assert_eq!(desk.world.message(text(&message, "id")).await["isProcessed"], false);
    assert_eq!(desk.listed("/counts").await[0]["withdrawn"], 1);
    desk.world.app.finish().await;
}

#[tokio::test]
async fn a_rule_that_only_files_leaves_the_message_open() {
    let desk = Desk::new().await;
    let connection = desk.world.connection().await["id"].clone();
    let filing = json!({ "integrationId": connection, "marksProcessed": false });
    desk.rule("Summaries", json!({ "fileToChart": filing })).await;
    let message = desk.receive(&tenney()).await;
    assert_eq!(message["isProcessed"], false);
    assert_eq!(filings(&desk.world, &message).await[0]["state"], "Filed");
    desk.world.app.finish().await;
}

/// Registered twice, another birth date, two patients, and a restricted document.
#[tokio::test]
async fn what_is_not_certain_is_left_to_people_with_the_reason() {
    let desk = Desk::new().await;
    desk.rule("Summaries", json!({})).await;
    let born = NaiveDate::from_ymd_opt(1961, 3, 15).expect("a day");
    let other_day = SamplePatient { birth_date: born, ..tenney() };
    let whitcomb = samples::patients()[2].clone();
    let restricted =
        summary(&tenney()).replacen(r#"confidentialityCode code="N""#, r#"confidentialityCode code="R""#, 1);
    let cases = [
        (&whitcomb, vec![unnumbered(&whitcomb)], "more than one patient of the chart matches"),
        (&other_day, vec![summary(&other_day)], "the birth date differs"),
        (&whitcomb, vec![summary(&tenney()), summary(&whitcomb)], "it names more than one patient"),
        (&whitcomb, vec![restricted], "a document is restricted"),
    ];
    for (patient, files, reason) in cases {
        desk.send(patient, &files).await;
        let message = desk.newest().await;
        let refusal = desk.refusal(&message).await;
        assert_eq!(
            (&refusal["ruleName"], &refusal["reason"]),
            (&json!("Summaries"), &json!(reason)),
            "{refusal}"
        );
        assert_eq!(message["isProcessed"], false);
        assert!(filings(&desk.world, &message).await.is_empty());
    }
    assert_eq!(desk.in_charts(), 0);
    assert_eq!(desk.listed("/counts").await[0]["left"], 4);
    let left = desk.listed("/left").await;
    assert_eq!((left.len(), &left[0]["reason"]), (4, &json!("a document is restricted")));
    assert_eq!(desk.sender.client.get("/api/filedbyrule/left").await.ok()["totalCount"], 0);
    desk.world.app.finish().await;
}

#[tokio::test]
async fn an_ehr_that_is_down_gets_the_document_once_and_what_a_person_opened_meanwhile_is_theirs() {
    let desk = Desk::new().await;
    desk.rule("Summaries", json!({})).await;
    desk.world.server.fail(503, 1_000);
    let first = desk.receive(&tenney()).await;
    assert!(filings(&desk.world, &first).await.is_empty() && first["isProcessed"] == false);
    let second = desk.receive(&samples::patients()[1]).await;
    let read = format!("/api/messages/{}/read", text(&second, "id"));
    assert!(desk.world.larkfield.client.put(&read, &json!({})).await.status.is_success());
    desk.world.server.fail(0, 0);
    for _ in 0..6 {
        desk.world.later(Duration::minutes(30)).await;
    }
    desk.world.larkfield.client.enter(&desk.world.larkfield.user).await;
    assert_eq!(filings(&desk.world, &first).await[0]["state"], "Filed");
    assert_eq!(desk.in_charts(), 1);
    assert!(filings(&desk.world, &second).await.is_empty());
    assert_eq!(desk.refusal(&second).await["reason"], "somebody works on this message already");
    desk.world.app.finish().await;
}

#[tokio::test]
async fn an_ehr_that_stays_down_is_not_asked_for_ever() {
    let desk = Desk::new().await;
    desk.rule("Summaries", json!({})).await;
    desk.world.server.fail(503, 10_000);
    let message = desk.receive(&tenney()).await;
    for _ in 0..12 {
        desk.world.later(Duration::minutes(31)).await;
    }
    desk.world.larkfield.client.enter(&desk.world.larkfield.user).await;
    assert_eq!(desk.refusal(&message).await["reason"], "the EHR did not answer for hours");
    desk.world.app.finish().await;
}

#[tokio::test]
async fn a_rule_files_only_where_it_may_and_while_it_is_on() {
    let desk = Desk::new().await;
    let admin = &desk.world.admin;
    let own = desk.world.connection().await["id"].clone();
    let refused = async |filing: Value, field: &str| {
        let rule = json!({ "name": "Summaries", "fileToChart": filing });
        admin.post(RULES, &rule).await.texts(field).remove(0)
    };
    let low = json!({ "integrationId": own, "minimumPercent": 89 });
    assert!(refused(low, "minimumPercent").await.contains("90 to 99"));
    let there = desk.world.app.signed_in(Role::Admin, &desk.sender.organization).await;
    let theirs = there.put("/api/integrations", &form(&desk.world.server.base)).await.ok();
    assert!(
        refused(json!({ "integrationId": theirs["id"] }), "integrationId").await.contains("choose another")
    );
    let mut personal = form(&desk.world.server.base);
    (personal["name"], personal["authentication"]) = (json!("Personal"), json!("Person"));
    personal["clientId"] = json!("carepost");
    let personal = admin.put("/api/integrations", &personal).await.ok();
    let words = refused(json!({ "integrationId": personal["id"] }), "integrationId").await;
    assert!(words.contains("Each person signs in"), "{words}");

    let rule = desk.rule("Summaries", json!({})).await;
    let mut off = form(&desk.world.server.base);
    let row = admin.get(&format!("/api/integrations/{}", own.as_str().expect("an id"))).await.ok();
    (off["id"], off["isActive"], off["version"]) = (own.clone(), json!(false), row["version"].clone());
    admin.put("/api/integrations", &off).await.ok();
    let at = format!("{RULES}/{}", text(&rule, "id"));
    let mut seen = admin.get(&at).await.ok();
    assert_eq!(seen["filingProblem"], "Maple Street EHR is switched off, so this rule files nothing.");
    let message = desk.receive(&tenney()).await;
    assert_eq!(desk.refusal(&message).await["reason"], "the EHR is not connected");
    // What a rule has stays, although it could not be chosen now.
    seen["isEnabled"] = json!(false);
    admin.put(&at, &seen).await.ok();
    let message = desk.receive(&samples::patients()[1]).await;
    assert_eq!((desk.refusal(&message).await, desk.in_charts()), (Value::Null, 0));
    desk.world.app.finish().await;
}

#[tokio::test]
async fn a_dry_run_compares_with_what_people_filed_and_writes_nothing() {
    let desk = Desk::new().await;
    let staff = &desk.world.larkfield.client;
    let file = async |patient: &SamplePatient, chart: &str| {
        let message = desk.receive(patient).await;
        let message = desk.world.choose(&message, chart).await;
        let meta = &message["patient"]["integrationMeta"];
        let body = json!({
            "acceptsGaps": true, "acceptsPatient": true, "integrationId": meta["integrationId"],
            "chartPatientId": meta["patientId"],
        });
        staff.post(&path(&message, ""), &body).await.ok();
        desk.world.app.drain().await;
        message
    };
    let other = file(&tenney(), "tenney-1964").await;
    let same = file(&samples::patients()[1], "pruitt").await;
    let twice = samples::patients()[2].clone();
    desk.send(&twice, &[unnumbered(&twice)]).await;
    let open = desk.newest().await;
    let filed = desk.in_charts();
    assert_eq!(filed, 2);

    let connection = desk.world.connection().await["id"].clone();
    let rule = json!({ "name": "Summaries", "fileToChart": { "integrationId": connection } });
    let dry_run = format!("{RULES}/dryrun/chart");
    let tried = desk.world.admin.post(&dry_run, &json!({ "rule": rule })).await.ok();
    let rows = tried["items"].as_array().expect("rows");
    let of = |field: &str| rows.iter().map(|row| row[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("id"), [&other, &open, &same].map(|message| message["id"].clone()));
    assert_eq!(of("byPerson"), [json!("Other"), Value::Null, json!("Same")]);
    assert_eq!(of("wouldFile"), [json!(true), json!(false), json!(true)]);
    assert_eq!(rows[0]["chartPatient"], "Tenney, Marisol J");
    assert_eq!(rows[1]["reason"], "more than one patient of the chart matches");
    assert_eq!((&tried["isCut"], desk.in_charts()), (&json!(false), filed));
    assert_eq!(desk.refusal(&open).await, Value::Null);

    staff.post(&dry_run, &json!({ "rule": rule })).await.problem(403);
    let there = desk.world.app.signed_in(Role::Admin, &desk.sender.organization).await;
    assert_eq!(there.post(&dry_run, &json!({ "rule": rule })).await.texts("integrationId").len(), 1);
    desk.world.app.finish().await;
}
