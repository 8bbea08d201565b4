//! Referrals between two organizations, from the request until the loop is closed.

use crate::support::*;
use chrono::Duration;
use clinical::referral::{self, Action, Document, Message, Package, ReferredPatient};
use documents::samples;
use platform::Role;
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use store::entities::conversation::{self, ConversationState};
use testkit::{Answer, Client, Db, Practice, TestApp, document};
use uuid::Uuid;

testkit::on_both_databases! { a_referral_goes_from_request_to_outcome_between_two_organizations }

async fn draft(from: &Practice, to: &str) -> String {
    let mut fields = document(&from.address, &[to], "Chest pain");
    fields["patient"] = json!({
        "firstName": "Marisol", "lastName": "Tenney", "birthDate": "1961-03-14", "gender": "F", "patientId": "LFM-1",
    });
    let draft = from.client.draft(fields).await;
    from.client.upload(&draft, "Referral.xml", ccd(), json!({})).await;
    draft
}

async fn request(from: &Practice, to: &str) -> Value {
    let form = json!({ "messageId": draft(from, to).await, "reason": "Chest pain at rest", "dueDate": "2026-12-01" });
    from.client.post("/api/conversations", &form).await.ok()
}

async fn tracked(client: &Client, body: Value) -> Value {
    client.post("/api/conversations/tracked", &body).await.ok()
}

async fn only_tracked(client: &Client) -> Value {
    let list = tracked(client, json!({})).await;
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1), "{list}");
    list["items"][0].clone()
}

async fn respond(client: &Client, of: &Value, mut body: Value) -> Answer {
    body["responseType"] = json!("360x");
    client.post(&format!("/api/conversations/{}/respond", text(of, "id")), &body).await
}

/// MSG-C-123, MSG-C-124, MSG-R-116, MSG-R-141, MSG-R-247, MSG-R-248, MSG-R-249
async fn a_referral_goes_from_request_to_outcome_between_two_organizations(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let made = request(&larkfield, &summit.address).await;
    assert_eq!((text(&made, "conversationStatus"), text(&made, "role")), ("Requested", "Initiator"));
    assert_eq!((&made["isOwnTurn"], &made["actions"]), (&json!(false), &json!(["Interim", "Cancel"])));
    app.drain().await;

    let theirs = only_tracked(&summit.client).await;
    assert_eq!((text(&theirs, "role"), text(&theirs, "patientName")), ("Recipient", "Tenney, Marisol"));
    assert_eq!((text(&theirs, "reason"), text(&theirs, "dueDate")), ("Chest pain at rest", "2026-12-01"));
    assert_eq!(theirs["isOwnTurn"], true);
    let arrived = only_message(&summit.client).await;
    assert_eq!(arrived["conversation"]["conversationId"], theirs["id"]);
    assert_eq!(arrived["conversation"]["type"], "360x");
    assert_eq!(
        arrived["attachments"].as_array().map(Vec::len),
        Some(2),
        "the package, and the note beside it"
    );

    let appointment = app.clock.now() + Duration::days(3);
    let own = || only_tracked(&larkfield.client);
    for (action, more, state) in [
        ("Accept", json!({ "responseToMessageId": theirs["messageId"] }), "Accepted"),
        ("Appointment", json!({ "appointmentDate": appointment, "note": "Bring the last ECG" }), "Scheduled"),
        ("NoShow", json!({}), "NoShow"),
        ("Interim", json!({ "note": "We call the patient" }), "NoShow"),
    ] {
        let mut body = more;
        body["responseAction"] = json!(action);
        let answer = respond(&summit.client, &theirs, body).await.ok();
        assert_eq!(text(&answer, "conversationStatus"), state);
        app.drain().await;
        assert_eq!(text(&own().await, "conversationStatus"), state, "{action} arrived");
    }
    assert_eq!(
        own().await["appointmentDate"].as_str().map(|t| &t[..16]),
        Some(&appointment.to_rfc3339()[..16])
    );

    let outcome = summit.client.draft(json!({})).await;
    summit.client.upload(&outcome, "Consultation.xml", ccd(), json!({})).await;
    respond(&summit.client, &theirs, json!({ "responseAction": "Outcome", "draftId": outcome })).await.ok();
    app.drain().await;
    let closed = larkfield.client.get(&format!("/api/conversations/{}", text(&made, "id"))).await.ok();
    assert_eq!((text(&closed, "conversationStatus"), &closed["turn"]), ("Completed", &Value::Null));
    let steps: Vec<_> =
        closed["steps"].as_array().expect("steps").iter().map(|s| text(s, "action")).collect();
    assert_eq!(steps, ["Request", "Accept", "Appointment", "NoShow", "Interim", "Outcome"]);
    assert_eq!(closed["steps"][2]["note"], "Bring the last ECG");
    respond(&larkfield.client, &made, json!({ "responseAction": "Cancel" })).await.problem(409);
    app.finish().await;
}

#[tokio::test]
async fn a_referral_is_declined_with_a_reason_or_taken_back() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let first = request(&larkfield, &summit.address).await;
    app.drain().await;
    let theirs = only_tracked(&summit.client).await;
    let decline = |note: &str| json!({ "responseAction": "Decline", "note": note });
    assert!(
        respond(&summit.client, &theirs, decline("")).await.problem(422)["modelState"]["note"].is_array()
    );
    respond(&summit.client, &theirs, json!({ "responseAction": "Appointment" })).await.problem(422);
    respond(&summit.client, &theirs, json!({ "responseAction": "NoShow" })).await.problem(409);
    respond(&summit.client, &theirs, decline("No cardiologist until May")).await.ok();
    app.drain().await;
    let declined = larkfield.client.get(&format!("/api/conversations/{}", text(&first, "id"))).await.ok();
    assert_eq!(text(&declined, "conversationStatus"), "Declined");
    assert_eq!(declined["steps"][1]["note"], "No cardiologist until May");
    let second = request(&larkfield, &summit.address).await;
    app.drain().await;
    respond(&larkfield.client, &second, json!({ "responseAction": "Cancel" })).await.ok();
    app.drain().await;
    assert_eq!(tracked(&summit.client, json!({ "isOpen": true })).await["totalCount"], 0);
    assert_eq!(tracked(&summit.client, json!({})).await["totalCount"], 2);
    app.finish().await;
}

#[tokio::test]
async fn what_cannot_be_referred_is_refused_and_leaves_the_draft_as_it_was() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let bare = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "No note")).await;
    let problem =
        larkfield.client.post("/api/conversations", &json!({ "messageId": bare, "reason": "x" })).await;
    assert!(problem.problem(422)["modelState"]["attachments"].is_array());
    let mine = draft(&larkfield, &summit.address).await;
    let form = |reason: &str| json!({ "messageId": mine, "reason": reason });
    larkfield.client.post("/api/conversations", &form("")).await.problem(422);
    summit.client.post("/api/conversations", &form("Theirs")).await.problem(404);
    let version = message(&larkfield.client, &mine).await["draftVersion"].clone();
    let incomplete = json!({ "patient": { "firstName": "Rosa" }, "draftVersion": version });
    larkfield.client.put(&format!("/api/messages/{mine}"), &incomplete).await.ok();
    let refused = larkfield.client.post("/api/conversations", &form("Incomplete patient")).await;
    assert_eq!(refused.status, 422);
    assert_eq!(message(&larkfield.client, &mine).await["attachments"].as_array().map(Vec::len), Some(1));
    assert_eq!(tracked(&larkfield.client, json!({})).await["totalCount"], 0);
    app.finish().await;
}

#[tokio::test]
async fn a_referral_that_nobody_answers_is_overdue_and_one_that_did_not_arrive_says_so() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    request(&larkfield, &summit.address).await;
    let nowhere = summit.address.replace('@', "-gone@");
    request(&larkfield, &nowhere).await;
    app.drain().await;
    let list = tracked(&larkfield.client, json!({})).await;
    let lost =
        list["items"].as_array().expect("items").iter().find(|r| r["otherAddress"] == nowhere).expect("it");
    assert_eq!((&lost["isUndelivered"], &lost["isOverdue"]), (&json!(true), &json!(false)));
    app.advance(Duration::days(9));
    let client = app.signed_in(Role::Admin, &larkfield.organization).await;
    let late = tracked(&client, json!({ "isOverdue": true })).await;
    assert_eq!((&late["totalCount"], &late["items"][0]["isOverdue"]), (&json!(2), &json!(true)));
    app.finish().await;
}

/// A package from another system: a message of a referral, sent as ordinary mail.
async fn send_package(from: &Practice, to: &str, message: &Message) {
    let hl7 = Document {
        name: "DOC00001.HL7".into(),
        mime_type: "x-application/hl7-v2+er7".into(),
        title: "Referral".into(),
        content: message.write().into_bytes(),
        is_intact: true,
    };
    let package = referral::write(&Package {
        from: &from.address,
        to,
        institution: "Elsewhere",
        source: "2.25.99",
        number: "1",
        at: message.at,
        patient: "1^^^&2.25.99&ISO",
        referral: "1^^^&2.25.99&ISO",
        documents: &[hl7],
    });
    let fields = document(&from.address, &[to], "About a referral XDM/1.0/DDM");
    let draft = from.client.draft(fields).await;
    from.client.upload(&draft, "Package.zip", package.expect("a package"), meta()).await;
    from.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
}

fn said(action: Action, referral_id: &str, assigner: &str) -> Message {
    Message {
        action,
        referral_id: referral_id.into(),
        assigner: assigner.into(),
        sender: "2.25.99".into(),
        receiver: "2.25.98".into(),
        control_id: "1".into(),
        at: "2026-11-20T10:00:00Z".parse().expect("a time"),
        patient: ReferredPatient { id: "1".into(), realm: "2.25.99".into(), ..ReferredPatient::default() },
        due: None,
        reason: "Knee pain".into(),
        provider: String::new(),
        appointment: None,
        note: String::new(),
    }
}

#[tokio::test]
async fn only_the_other_side_goes_on_with_a_referral() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let stranger = app.practice("bayline").await;
    let made = request(&larkfield, &summit.address).await;
    app.drain().await;
    let id: Uuid = text(&made, "id").parse().expect("an id");
    let row = conversation::Entity::find_by_id(id).one(app.store.db()).await.expect("rows").expect("it");
    let decline = said(Action::Decline, &row.referral_id, &row.assigner);
    send_package(&stranger, &larkfield.address, &decline).await;
    app.drain().await;
    let after = larkfield.client.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(text(&after, "conversationStatus"), "Requested");
    let arrived = only_message(&larkfield.client).await;
    assert_eq!((&arrived["conversation"], text(&arrived, "subject")), (&Value::Null, "About a referral"));
    // Another address of the other side's organization is also the other side.
    let desk = app.source(&summit.organization, "desk").await;
    app.link(&summit.user, &desk).await;
    let from_desk = Practice { address: desk.address, ..summit };
    send_package(&from_desk, &larkfield.address, &decline).await;
    app.drain().await;
    let after = larkfield.client.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(text(&after, "conversationStatus"), "Declined");
    app.finish().await;
}

/// A referral that has arrived, and its name on both sides.
async fn referred(app: &TestApp, from: &Practice, to: &Practice) -> conversation::Model {
    let made = request(from, &to.address).await;
    app.drain().await;
    let id: Uuid = text(&made, "id").parse().expect("an id");
    conversation::Entity::find_by_id(id).one(app.store.db()).await.expect("rows").expect("it")
}

async fn status(client: &Client) -> String {
    text(&only_tracked(client).await, "conversationStatus").to_owned()
}

/// The other side sends this message, with the name of a patient if given, and it arrives.
async fn hear(
    app: &TestApp,
    of: &conversation::Model,
    from: &Practice,
    to: &Practice,
    action: Action,
    patient: &str,
) {
    let message = said(action, &of.referral_id, &of.assigner);
    let patient = ReferredPatient { last_name: patient.into(), ..message.patient };
    let appointment =
        (action == Action::Appointment).then(|| "2026-11-27T10:00:00Z".parse().expect("a time"));
    send_package(from, &to.address, &Message { patient, appointment, ..message }).await;
    app.drain().await;
}

#[tokio::test]
async fn what_the_other_side_says_of_another_patient_changes_no_referral() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let row = referred(&app, &larkfield, &summit).await;
    for action in [Action::Accept, Action::Decline, Action::Outcome] {
        hear(&app, &row, &summit, &larkfield, action, "Lindqvist").await;
        assert_eq!(status(&larkfield.client).await, "Requested");
    }
    let list = larkfield.client.post("/api/intake", &json!({})).await.ok();
    let items = list["items"].as_array().expect("items");
    assert!(items.len() == 3 && items.iter().all(|item| item["conversation"].is_null()), "{list}");
    hear(&app, &row, &summit, &larkfield, Action::Accept, "TENNEY").await;
    assert_eq!(status(&larkfield.client).await, "Accepted");
    app.finish().await;
}

#[tokio::test]
async fn a_referral_never_goes_back_and_one_that_was_taken_back_stays_so() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let row = referred(&app, &larkfield, &summit).await;
    // The recipient can neither accept a referral with an appointment nor cancel the initiator's.
    for action in [Action::Appointment, Action::Accept, Action::Cancel] {
        hear(&app, &row, &summit, &larkfield, action, "").await;
        assert_eq!(current(&app, row.id).await, ConversationState::Scheduled, "after {action:?}");
    }
    let own = json!({ "responseAction": "Cancel" });
    respond(&larkfield.client, &json!({ "id": row.id }), own).await.ok();
    app.drain().await;
    for action in [Action::Appointment, Action::Accept, Action::NoShow, Action::Decline, Action::Outcome] {
        hear(&app, &row, &summit, &larkfield, action, "").await;
        assert_eq!(current(&app, row.id).await, ConversationState::Cancelled, "after {action:?}");
    }
    assert_eq!(status(&summit.client).await, "Cancelled", "and the recipient knows");
    app.finish().await;
}

/// Mails may overtake each other.
#[tokio::test]
async fn a_referral_that_was_taken_back_before_it_arrived_is_not_open() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    for action in [Action::Cancel, Action::Request] {
        send_package(&larkfield, &summit.address, &said(action, "R-1", "2.25.99")).await;
        app.drain().await;
        assert_eq!(status(&summit.client).await, "Cancelled");
    }
    assert_eq!(tracked(&summit.client, json!({ "isOpen": true })).await["totalCount"], 0);
    app.finish().await;
}

async fn current(app: &TestApp, id: Uuid) -> ConversationState {
    conversation::Entity::find_by_id(id).one(app.store.db()).await.expect("rows").expect("it").state
}

#[tokio::test]
async fn whatever_another_system_writes_of_the_patient_its_referral_can_be_answered() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let patient = ReferredPatient {
        id: "7".repeat(60),
        last_name: "Wolfeschlegelsteinhausenbergerdorff-Tenney".into(),
        first_name: "Marisol".into(),
        birth_date: chrono::NaiveDate::from_ymd_opt(2140, 1, 2),
        gender: "A".into(),
        ..ReferredPatient::default()
    };
    let request = Message { patient, ..said(Action::Request, "R-1", "2.25.99") };
    send_package(&larkfield, &summit.address, &request).await;
    app.drain().await;
    let theirs = only_tracked(&summit.client).await;
    respond(&summit.client, &theirs, json!({ "responseAction": "Accept" })).await.ok();
    let answers = summit.client.get("/api/messages?isDraft=false").await.ok();
    assert_eq!(text(&answers["items"][0], "subject"), "Referral accepted");
    let other = summit.client.draft(document(&summit.address, &[&larkfield.address], "Other")).await;
    let wrong = json!({ "patient": { "firstName": "Rosa", "lastName": "Lindqvist" }, "draftVersion": 1 });
    summit.client.put(&format!("/api/messages/{other}"), &wrong).await.ok();
    let outcome = json!({ "responseAction": "Outcome", "draftId": other });
    let refused = respond(&summit.client, &theirs, outcome).await;
    assert_eq!(refused.texts("draftId"), ["The draft is about a different patient than the referral."]);
    let note = summit.client.draft(json!({})).await;
    let rosa = samples::ccd_xml(&samples::patients()[1], &samples::practices()[0], day()).into_bytes();
    summit.client.upload(&note, "Note.xml", rosa, meta()).await;
    let mut outcome = json!({ "responseAction": "Outcome", "draftId": note });
    let refused = respond(&summit.client, &theirs, outcome.clone()).await;
    assert_eq!(refused.texts("acceptsPatient"), ["The document and the patient differ. Please check both."]);
    outcome["acceptsPatient"] = json!(true);
    respond(&summit.client, &theirs, outcome).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_referral_within_an_organization_is_followed_on_both_sides() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let cardiology = app.source(&larkfield.organization, "cardiology").await;
    app.link(&larkfield.user, &cardiology).await;
    request(&larkfield, &cardiology.address).await;
    app.drain().await;
    let sides = tracked(&larkfield.client, json!({})).await;
    let sides = sides["items"].as_array().expect("items");
    let side = |role: &str| sides.iter().find(|s| s["role"] == role).expect("a side").clone();
    let (asking, asked) = (side("Initiator"), side("Recipient"));
    respond(&larkfield.client, &asked, json!({ "responseAction": "Accept" })).await.ok();
    app.drain().await;
    for side in [asking, asked] {
        let now = larkfield.client.get(&format!("/api/conversations/{}", text(&side, "id"))).await.ok();
        assert_eq!(text(&now, "conversationStatus"), "Accepted", "{now}");
    }
    app.finish().await;
}

#[tokio::test]
async fn an_answer_that_cannot_be_sent_leaves_the_referral_as_it_was() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    request(&larkfield, &summit.address).await;
    app.drain().await;
    let theirs = only_tracked(&summit.client).await;
    // No address is linked to this person for sending.
    let other = app.signed_in(Role::User, &summit.organization).await;
    let refused = respond(&other, &theirs, json!({ "responseAction": "Accept" })).await;
    assert!(refused.problem(422)["modelState"]["fromAddress"].is_array());
    let now = only_tracked(&summit.client).await;
    assert_eq!(text(&now, "conversationStatus"), "Requested");
    let drafts = summit.client.get("/api/messages?isDraft=true").await.ok();
    assert_eq!(drafts["totalCount"], 0, "no draft is left behind");
    app.finish().await;
}
