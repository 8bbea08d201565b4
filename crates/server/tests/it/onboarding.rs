//! Steps that an administrator completes before the organization can be used.

use accounts::onboarding::{chores, terms::queries as terms_queries};
use chrono::Duration;
use documents::samples;
use messaging::storage_sweep;
use platform::{
    Config, Role,
    audit::event,
    config::Mode,
    session::{ROLE_ADMINISTRATOR, ROLE_USER},
    terms::{brand_scope, reseller_scope},
};
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter,
    sea_query::Expr,
};
use serde_json::{Value, json};
use store::entities::reseller::ResellerKind;
use store::entities::{
    audit_entry, brand, direct_certificate, email, organization, proofing_document, proofing_identity,
    proofing_quiz, reseller, terms, terms_acceptance,
};
use testkit::{Answer, Client, Db, Options, Organization, TestApp, User};
use uuid::Uuid;

const DECISION: &str = "/api/identityproofing/decision";
const IDENTITY: &str = "/api/identityproofing";
const TERMS: &str = "/api/account/terms";

pub struct Fresh {
    organization: Organization,
    admin: User,
    pub client: Client,
}

/// An organization that has not begun onboarding, and its administrator.
pub async fn fresh(app: &TestApp, sub_domain: &str) -> Fresh {
    let organization = app.organization(sub_domain).await;
    let row = organization::ActiveModel {
        id: Set(organization.id),
        eula_accepted_at: Set(None),
        id_proofed_at: Set(None),
        is_activated: Set(false),
        ..Default::default()
    };
    row.update(app.store.db()).await.expect("an organization");
    let admin = app.user(Role::Admin, &organization).await;
    let client = app.browser_of(&admin).await;
    Fresh { organization, admin, client }
}

async fn profile(client: &Client) -> Value {
    client.get("/api/users/profiledata").await.ok()
}

pub fn identity() -> Value {
    json!({
        "firstName": "Fern", "lastName": "O’Hadley-Smith", "dateOfBirth": "03/14/75", "ssn": "987-65-4321",
        "phoneNumber": "(555) 010-0199",
        "currentAddress": {
            "addressLine": "12 Birch Lane", "addressUnit": "", "city": "Larkfield", "state": "OH", "zip": "43999"
        },
    })
}

fn with(mut value: Value, pointer: &str, new: Value) -> Value {
    *value.pointer_mut(pointer).expect("a member") = new;
    value
}

/// The right answers for [`identity`].
const RIGHT: &[&str] = &["Birch Lane", "Larkfield", "OH", "43999", "March", "1975"];

fn path_of(quiz: &Value) -> String {
    format!("/api/identityproofing/quizzes/{}", quiz["quizId"].as_str().expect("a quiz"))
}

/// The displayed questions, each with the right or a wrong choice.
fn chosen(quiz: &Value, right: bool) -> Value {
    let mut questions = quiz["questions"].clone();
    for question in questions.as_array_mut().expect("questions") {
        let choices = question["answerChoice"].as_array_mut().expect("choices");
        let known = choices.iter().position(|c| RIGHT.contains(&c["value"].as_str().unwrap_or_default()));
        let none = choices.len() - 1;
        let at = match (right, known) {
            (true, Some(at)) => at,
            (true, None) => none,
            (false, Some(_)) => none,
            (false, None) => 0,
        };
        choices[at]["selected"] = json!(true);
    }
    json!({ "questions": questions })
}

async fn answer(client: &Client, standing: &Value, right: bool) -> Value {
    let path = path_of(standing);
    let quiz = client.get(&path).await.ok();
    client.post(&path, &chosen(&quiz, right)).await.ok()
}

pub async fn upload(client: &Client, name: &str, content: Vec<u8>) -> Answer {
    let form = Form::new().part("file", Part::bytes(content).file_name(name.to_owned()));
    client.send(client.request(Method::POST, "/api/identityproofing/document").multipart(form)).await
}

pub fn scan() -> Vec<u8> {
    let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 18).expect("a day");
    samples::visit_note_pdf(&samples::patients()[0], &samples::practices()[0], day)
}

async fn events(app: &TestApp, organization: &Organization, event: &str) -> u64 {
    audit_entry::Entity::find()
        .filter(audit_entry::Column::OrganizationId.eq(organization.id))
        .filter(audit_entry::Column::EventType.eq(event))
        .count(app.store.db())
        .await
        .expect("a count")
}

async fn publish(app: &TestApp, scope: &str, version: &str, html: &str) {
    let db = app.store.db();
    terms::Entity::update_many()
        .col_expr(terms::Column::IsActive, Expr::value(false))
        .filter(terms::Column::Scope.eq(scope))
        .exec(db)
        .await
        .expect("the old version");
    let row = terms_queries::version(Uuid::now_v7(), scope, version, html, app.clock.now());
    terms::Entity::insert(row).exec_without_returning(db).await.expect("the new version");
}

#[tokio::test]
async fn terms_are_accepted_once_and_asked_for_again_when_they_change() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, admin, client } = fresh(&app, "larkfield").await;
    assert_eq!(profile(&client).await["orgIsAcceptedEULA"], false);
    let shown = client.get(TERMS).await.ok();
    assert_eq!((&shown["type"], &shown["version"]), (&json!("standard"), &json!("1.0")));
    assert!(shown["html"].as_str().is_some_and(|html| html.contains("Protected health information")));

    let read = json!({ "type": "standard", "version": "1.0" });
    for _ in 0..2 {
        assert_eq!(client.post(TERMS, &read).await.ok()["isAccepted"], true);
    }
    let rows = terms_acceptance::Entity::find().all(app.store.db()).await.expect("acceptances");
    assert_eq!(rows.len(), 1, "accepting twice is accepting");
    assert_eq!((rows[0].organization_id, rows[0].user_id), (organization.id, admin.id));
    assert_eq!((rows[0].accepted_at, rows[0].source_ip.as_str()), (app.clock.now(), "127.0.0.1"));
    assert_eq!(events(&app, &organization, event::TERMS_ACCEPTED).await, 1);
    assert_eq!(profile(&client).await["orgIsAcceptedEULA"], true);
    let elsewhere = fresh(&app, "summit").await;
    assert_eq!(profile(&elsewhere.client).await["orgIsAcceptedEULA"], false, "each organization by itself");

    publish(&app, "standard", "2.0", "<h2>New</h2><script>alert(1)</script><p onclick='x()'>text</p>").await;
    assert_eq!(profile(&client).await["orgIsAcceptedEULA"], false);
    let problem = client.post(TERMS, &read).await.problem(409);
    assert!(problem["message"].as_str().is_some_and(|m| m.contains("newer version")), "{problem}");
    let shown = client.get(TERMS).await.ok();
    assert_eq!(shown["html"], "<h2>New</h2><p>text</p>", "nothing runs in terms");
    client.post(TERMS, &json!({ "type": "standard", "version": "2.0" })).await.ok();
    assert_eq!(profile(&client).await["orgIsAcceptedEULA"], true);
    client.post(TERMS, &json!({ "type": "standard", "version": "1".repeat(9000) })).await.problem(422);
    client.post(TERMS, &json!({ "type": "any", "version": "2.0" })).await.problem(422);
    app.finish().await;
}

#[tokio::test]
async fn brands_and_resellers_have_terms_of_their_own() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, client, .. } = fresh(&app, "larkfield").await;
    client.post(TERMS, &json!({ "type": "standard", "version": "1.0" })).await.ok();
    let row = brand::Entity::find().one(app.store.db()).await.expect("brands").expect("a brand");
    let own = brand::ActiveModel { id: Set(row.id), has_own_terms: Set(true), ..Default::default() };
    own.update(app.store.db()).await.expect("the brand");
    assert_eq!(client.get(TERMS).await.ok()["type"], "brand", "without a text of its own, the standard one");
    publish(&app, &brand_scope(row.id), "7", "<p>Ours</p>").await;
    let shown = client.get(TERMS).await.ok();
    assert_eq!((&shown["version"], &shown["isAccepted"]), (&json!("7"), &json!(false)));
    assert_eq!(profile(&client).await["orgIsAcceptedEULA"], false, "these were not accepted yet");
    client.post(TERMS, &json!({ "type": "standard", "version": "1.0" })).await.problem(409);

    let id = Uuid::now_v7();
    let partner = reseller::ActiveModel {
        id: Set(id),
        name: Set("Copperfield".into()),
        name_key: Set("copperfield".into()),
        kind: Set(ResellerKind::Licensing),
        bypass_tos: Set(true),
        version: Set(1),
    };
    reseller::Entity::insert(partner).exec_without_returning(app.store.db()).await.expect("a reseller");
    let joins = organization::ActiveModel {
        id: Set(organization.id),
        reseller_id: Set(Some(id)),
        ..Default::default()
    };
    joins.update(app.store.db()).await.expect("the organization");
    let shown = client.get(TERMS).await.ok();
    assert_eq!((&shown["type"], &shown["version"]), (&json!("reseller"), &json!("1.0")));
    assert_eq!(profile(&client).await["resellerBypassTos"], true);
    publish(&app, &reseller_scope(id), "3", "<p>Partner</p>").await;
    assert_eq!(client.get(TERMS).await.ok()["version"], "3");
    client.post(TERMS, &json!({ "type": "reseller", "version": "3" })).await.ok();
    assert_eq!(profile(&client).await["orgIsAcceptedEULA"], true);
    app.finish().await;
}

/// SES-C-001 SES-C-002 SES-C-003 SES-C-004 SES-R-090
#[tokio::test]
async fn right_answers_prove_an_identity_and_never_reach_the_browser() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, client, .. } = fresh(&app, "larkfield").await;
    let before = client.get(DECISION).await.ok();
    assert_eq!(
        (&before["decision"], &before["quizId"], &before["attemptsLeft"]),
        (&json!(null), &json!(null), &json!(3))
    );
    let standing = client.post(IDENTITY, &identity()).await.ok();
    assert_eq!((&standing["decision"], &standing["attemptsLeft"]), (&json!(null), &json!(2)));
    let answer_of = client.get(&path_of(&standing)).await;
    assert!(!answer_of.text().contains("right"), "{}", answer_of.text());
    let quiz = answer_of.ok();
    assert_eq!(quiz["secondsLeft"], 600);
    for question in quiz["questions"].as_array().expect("questions") {
        assert!(question["questionText"].as_str().is_some_and(|t| t.ends_with('?')));
        let choices = question["answerChoice"].as_array().expect("choices");
        assert!(choices.iter().all(|c| c["selected"] == false), "{question}");
    }
    let again = client.post(IDENTITY, &identity()).await.ok();
    assert_eq!(again["quizId"], standing["quizId"], "the questions that are open go on");
    assert_eq!(client.get(DECISION).await.ok()["quizId"], standing["quizId"], "also after a reload");

    let passed = answer(&client, &standing, true).await;
    assert_eq!((&passed["decision"], &passed["quizId"]), (&json!("Passed"), &json!(null)));
    let profile = profile(&client).await;
    assert_eq!((&profile["orgIsIdProofed"], &profile["orgIsActivated"]), (&json!(true), &json!(false)));
    let kept = proofing_quiz::Entity::find().all(app.store.db()).await.expect("quizzes");
    assert!(kept.iter().all(|quiz| quiz.sealed.is_none()), "what was asked is forgotten");
    assert_eq!(events(&app, &organization, event::PROOFING_DECIDED).await, 1);
    let mails = email::Entity::find().all(app.store.db()).await.expect("e-mails");
    assert_eq!(mails.iter().map(|m| m.template.as_str()).collect::<Vec<_>>(), ["identity_verified"]);
    client.post(IDENTITY, &identity()).await.problem(409);
    assert!(
        !upload(&client, "id.pdf", scan()).await.status.is_success(),
        "there is nothing to prove any more"
    );
    nothing_holds(&app, &["987-65-4321", "987654321"]).await;
    app.finish().await;
}

/// Searches every file of the data folder, including the database.
async fn nothing_holds(app: &TestApp, secrets: &[&str]) {
    let entries = audit_entry::Entity::find().all(app.store.db()).await.expect("the trail");
    assert!(entries.iter().all(|e| secrets.iter().all(|s| !e.detail.contains(s))));
    let mut folders = vec![app.db.folder().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let bytes = std::fs::read(&entry).expect("a file");
            for secret in secrets {
                let found = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
                assert!(!found, "{} holds a social security number", entry.display());
            }
        }
    }
}

#[tokio::test]
async fn three_wrong_quizzes_a_day_are_the_end_of_questions() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, admin, client } = fresh(&app, "larkfield").await;
    let first = client.post(IDENTITY, &identity()).await.ok();
    let second = answer(&client, &first, false).await;
    assert!(second["quizId"].is_string() && second["quizId"] != first["quizId"], "{second}");
    let path = path_of(&second);
    let third = client.post(&path, &json!({ "questions": [] })).await.ok();
    assert!(third["quizId"].is_string(), "no answers are wrong ones: {third}");
    let path = path_of(&third);
    let quiz = client.get(&path).await.ok();
    assert_eq!(quiz["attemptsLeft"], 0);
    let mut both = chosen(&quiz, true);
    for choice in both["questions"][0]["answerChoice"].as_array_mut().expect("choices") {
        choice["selected"] = json!(true);
    }
    let end = client.post(&path, &both).await.ok();
    assert_eq!(
        (&end["decision"], &end["quizId"], &end["attemptsLeft"]),
        (&json!("Failed"), &json!(null), &json!(0)),
        "all choices at once are none"
    );
    let problem = client.post(IDENTITY, &identity()).await.problem(429);
    assert!(problem["message"].as_str().is_some_and(|m| m.contains("photo ID")), "{problem}");
    let profile = profile(&client).await;
    assert!(profile["idProofedAttemptDate"].is_string() && profile["orgIsIdProofed"] == false);
    assert_eq!(events(&app, &organization, event::PROOFING_DECIDED).await, 1);
    app.advance(Duration::days(1));
    let tomorrow = app.browser_of(&admin).await;
    assert_eq!(tomorrow.get(DECISION).await.ok()["attemptsLeft"], 3);
    app.finish().await;
}

#[tokio::test]
async fn an_answer_that_comes_late_fails_and_one_that_comes_twice_is_refused() {
    let configure = |config: &mut Config| config.proofing.quiz_minutes = 5;
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let Fresh { client, .. } = fresh(&app, "larkfield").await;
    let first = client.post(IDENTITY, &identity()).await.ok();
    let quiz = client.get(&path_of(&first)).await.ok();
    assert_eq!(quiz["secondsLeft"], 300);
    app.advance(Duration::minutes(5));
    let over = client.get(&path_of(&first)).await.ok();
    assert_eq!((&over["secondsLeft"], &over["questions"]), (&json!(0), &json!([])));
    let next = client.post(&path_of(&first), &chosen(&quiz, true)).await.ok();
    assert_eq!(next["decision"], json!(null), "right answers after the time are no proof");
    assert!(next["quizId"].is_string() && next["quizId"] != first["quizId"]);
    let rows = proofing_quiz::Entity::find()
        .filter(proofing_quiz::Column::Outcome.eq("Late"))
        .count(app.store.db())
        .await
        .expect("quizzes");
    assert_eq!(rows, 1);
    client.post(&path_of(&first), &chosen(&quiz, true)).await.problem(409);
    client.get(&path_of(&first)).await.problem(409);

    let quiz = client.get(&path_of(&next)).await.ok();
    let (path, body) = (path_of(&next), chosen(&quiz, true));
    let (one, other) = tokio::join!(client.post(&path, &body), client.post(&path, &body));
    let mut status = [one.status.as_u16(), other.status.as_u16()];
    status.sort_unstable();
    assert_eq!(status, [200, 409], "the first counts");

    let later = fresh(&app, "summit").await;
    later.client.post(IDENTITY, &identity()).await.ok();
    app.advance(Duration::days(2));
    chores::forget(&app).await.expect("it forgets");
    let kept = proofing_quiz::Entity::find().all(app.store.db()).await.expect("quizzes");
    assert!(kept.iter().all(|quiz| quiz.sealed.is_none()));
    app.finish().await;
}

#[tokio::test]
async fn a_quiz_is_for_the_person_who_was_asked() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, client, .. } = fresh(&app, "larkfield").await;
    let standing = client.post(IDENTITY, &identity()).await.ok();
    let quiz = client.get(&path_of(&standing)).await.ok();
    let colleague = app.signed_in(Role::Admin, &organization).await;
    let stranger = fresh(&app, "summit").await;
    for other in [&colleague, &stranger.client] {
        other.get(&path_of(&standing)).await.problem(404);
        other.post(&path_of(&standing), &chosen(&quiz, true)).await.problem(404);
        assert_eq!(other.get(DECISION).await.ok()["quizId"], json!(null));
    }
    let user = app.signed_in(Role::User, &organization).await;
    user.get(&path_of(&standing)).await.problem(403);
    user.post(IDENTITY, &identity()).await.problem(403);
    user.get(TERMS).await.ok();
    assert_eq!(upload(&user, "id.pdf", scan()).await.status, 403);
    client.get("/api/identityproofing/quizzes/no-such-quiz").await.problem(404);
    assert_eq!(answer(&client, &standing, true).await["decision"], "Passed");
    app.finish().await;
}

#[tokio::test]
async fn every_field_of_an_identity_is_checked_and_named() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { client, .. } = fresh(&app, "larkfield").await;
    let problem = client.post(IDENTITY, &json!({})).await.problem(422);
    assert_eq!(
        problem["modelState"],
        json!({
            "firstName": ["First Name is required."],
            "lastName": ["Last Name is required."],
            "dateOfBirth": ["Date of Birth is required."],
            "currentAddress.addressLine": ["Address is required."],
            "currentAddress.city": ["City is required."],
            "currentAddress.state": ["State is required."],
            "currentAddress.zip": ["Zip is required."],
        })
    );
    let long = "x".repeat(256);
    let ssn = "Please enter your SSN in one of the following formats: xxx-xx-xxxx or xxxxxxxxx";
    let any = "Please enter a valid value for this field.";
    for (pointer, value, text) in [
        ("/firstName", "12345", "First Name is invalid"),
        ("/firstName", "<script>alert(1)</script>", "First Name is invalid"),
        ("/firstName", long.as_str(), any),
        ("/lastName", "Robert'); DROP TABLE app_user;--", "Last Name is invalid"),
        ("/lastName", "Name\u{0}", "Last Name is invalid"),
        ("/lastName", long.as_str(), any),
        ("/dateOfBirth", "14/14/1975", "Date of Birth is invalid"),
        ("/dateOfBirth", "11/21/2026", "Date of Birth is invalid"),
        ("/dateOfBirth", "03/14/19755", any),
        ("/ssn", "12345678", ssn),
        ("/ssn", "123-456-789", ssn),
        ("/ssn", long.as_str(), ssn),
        ("/phoneNumber", "555-0199", "Phone Number is invalid"),
        ("/phoneNumber", long.as_str(), "Phone Number is invalid"),
        ("/currentAddress/addressLine", "P.O. Box 12", "Street address cannot be a P.O. Box"),
        ("/currentAddress/addressLine", long.as_str(), any),
        ("/currentAddress/addressUnit", long.as_str(), any),
        ("/currentAddress/city", "Larkfield\r\nX-Header: 1", "City is invalid"),
        ("/currentAddress/city", long.as_str(), any),
        ("/currentAddress/state", "ZZ", "State is invalid"),
        ("/currentAddress/zip", "4399", "Zip is invalid"),
        ("/currentAddress/zip", "43999-00011", any),
    ] {
        let problem = client.post(IDENTITY, &with(identity(), pointer, json!(value))).await.problem(422);
        let field = pointer[1..].replace('/', ".");
        assert_eq!(problem["modelState"], json!({ field: [text] }), "{value}");
    }
    let mut both = identity();
    both["formerAddress"] =
        json!({ "addressLine": "", "addressUnit": " ", "city": "", "state": "", "zip": "" });
    client.post(IDENTITY, &both).await.ok();
    both["formerAddress"]["city"] = json!("Marlow");
    let problem = client.post(IDENTITY, &both).await.problem(422);
    let named: Vec<_> = problem["modelState"].as_object().expect("fields").keys().cloned().collect();
    assert_eq!(named, ["formerAddress.addressLine", "formerAddress.state", "formerAddress.zip"]);
    client.post(IDENTITY, &with(identity(), "/currentAddress", json!(7))).await.problem(422);
    let standing = client.get(DECISION).await.ok();
    assert_eq!(standing["attemptsLeft"], 2, "what is refused is no attempt");
    app.finish().await;
}

/// ADA-C-069 ADA-C-070 ADA-R-023 ADA-R-196 ADA-R-199 SES-C-005
#[tokio::test]
async fn a_photo_id_is_checked_kept_sealed_and_looked_at_by_an_operator() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, admin, client } = fresh(&app, "larkfield").await;
    let kinds = "Please choose a PDF, JPEG, PNG or TIFF file.";
    let large = "Your file exceeds the maximum (10MB) allowed size.";
    let mut huge = scan();
    huge.resize((10 << 20) + 1, b' ');
    for (name, content, text) in [
        ("id.exe", scan(), kinds),
        ("id", scan(), kinds),
        ("id.txt", b"me".to_vec(), kinds),
        ("id.png", scan(), kinds),
        ("id.pdf", b"<html>".to_vec(), kinds),
        ("id.pdf", Vec::new(), kinds),
        ("id.pdf", huge, large),
        ("id.pdf", vec![b' '; 12 << 20], large),
    ] {
        let problem = upload(&client, name, content).await.problem(422);
        assert_eq!(problem["modelState"]["file"], json!([text]), "{name}");
    }
    let empty =
        client.request(Method::POST, "/api/identityproofing/document").multipart(Form::new().text("a", "b"));
    let problem = client.send(empty).await.problem(422);
    assert_eq!(problem["modelState"]["file"], json!(["Please select a file."]));

    let under_review = upload(&client, "C:\\scans\\Licence of Fern.pdf", scan()).await.ok();
    assert_eq!(under_review["decision"], "UnderReview");
    assert!(upload(&client, "id.pdf", scan()).await.status == 409, "one at a time");
    client.post(IDENTITY, &identity()).await.problem(409);
    nothing_holds(&app, &["Licence of Fern", "%PDF-"]).await;
    app.advance(Duration::days(3));
    let client = app.browser_of(&admin).await;
    storage_sweep::sweep(&app).await.expect("it sweeps");

    let ops = app.signed_in(Role::SysAdmin, &organization).await;
    let waiting = ops.get("/api/admin/users/idproof").await.ok();
    assert_eq!(waiting["items"][0]["userId"], json!(admin.id));
    assert_eq!(waiting["items"][0]["fileName"], "Licence of Fern.pdf");
    let file = ops.get(&format!("/api/admin/users/{}/idproof", admin.id)).await;
    assert_eq!((file.body == scan(), file.header("content-type")), (true, "application/pdf".into()));
    assert!(file.header("content-disposition").starts_with("attachment"));
    assert_eq!(file.header("cache-control"), "no-store");
    assert_eq!(events(&app, &organization, event::DOWNLOADED).await, 1, "who looked at it is on record");
    for role in [Role::Admin, Role::User, Role::Reporting] {
        let other = app.signed_in(role, &organization).await;
        other.get(&format!("/api/admin/users/{}/idproof", admin.id)).await.problem(403);
        let body = json!({ "userId": admin.id, "passed": true });
        other.post("/api/admin/users/idproof", &body).await.problem(403);
    }
    let decide = async |passed: bool| {
        let body = json!({ "userId": admin.id, "passed": passed, "sendEmail": true });
        ops.post("/api/admin/users/idproof", &body).await.ok();
    };
    decide(false).await;
    assert_eq!(client.get(DECISION).await.ok()["decision"], "Failed");
    ops.get(&format!("/api/admin/users/{}/idproof", admin.id)).await.problem(404);
    upload(&client, "id.pdf", scan()).await.ok();
    decide(true).await;
    assert_eq!(client.get(DECISION).await.ok()["decision"], "Passed");
    let documents = proofing_document::Entity::find().all(app.store.db()).await.expect("documents");
    let mut kept: Vec<_> =
        documents.iter().map(|d| (d.decision.map(|d| d.to_string()), d.blob_id.is_some())).collect();
    kept.sort_unstable();
    assert_eq!(
        kept,
        [(Some("NotPassed".into()), false), (Some("Passed".into()), true)],
        "a record of the proof is kept"
    );
    let mails = email::Entity::find().all(app.store.db()).await.expect("e-mails");
    let mut mails: Vec<_> = mails.iter().map(|m| m.template.clone()).collect();
    mails.sort();
    assert_eq!(
        mails,
        [
            "identity_document_waits",
            "identity_not_verified",
            "identity_under_review",
            "identity_under_review",
            "identity_verified"
        ],
        "operators are told, once there is one"
    );
    let nobody = json!({ "userId": Uuid::now_v7(), "passed": true });
    ops.post("/api/admin/users/idproof", &nobody).await.problem(404);
    let user = app.user(Role::User, &organization).await;
    ops.post("/api/admin/users/idproof", &json!({ "userId": user.id, "passed": true })).await.problem(409);
    app.finish().await;
}

/// ADA-R-197
#[tokio::test]
async fn a_decision_is_mailed_only_when_the_operator_wants_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, admin, client } = fresh(&app, "larkfield").await;
    let ops = app.signed_in(Role::SysAdmin, &organization).await;
    let told = async || {
        let of_decisions = ["identity_not_verified", "identity_verified"];
        let told = email::Entity::find().filter(email::Column::Template.is_in(of_decisions));
        told.count(app.store.db()).await.expect("e-mails")
    };
    for (passed, send_email, wanted) in
        [(false, json!(false), 0), (false, json!(true), 1), (true, Value::Null, 1)]
    {
        upload(&client, "id.pdf", scan()).await.ok();
        let mut body = json!({ "userId": admin.id, "passed": passed, "sendEmail": send_email });
        body.as_object_mut().expect("a form").retain(|_, value| !value.is_null());
        ops.post("/api/admin/users/idproof", &body).await.ok();
        let decision = if passed { "Passed" } else { "Failed" };
        assert_eq!(client.get(DECISION).await.ok()["decision"], decision);
        assert_eq!(told().await, wanted, "{body}");
    }
    app.finish().await;
}

#[tokio::test]
async fn a_decision_is_for_the_organization_whose_document_was_looked_at() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization: larkfield, admin, client } = fresh(&app, "larkfield").await;
    let summit = fresh(&app, "summit").await.organization;
    app.join(admin.id, &summit, ROLE_ADMINISTRATOR).await;
    upload(&client, "id.pdf", scan()).await.ok();
    client.post("/api/account/change", &json!({ "orgId": summit.id })).await.ok();
    let mut other = scan();
    other.push(b'\n');
    upload(&client, "id.pdf", other.clone()).await.ok();
    let ops = app.signed_in(Role::SysAdmin, &larkfield).await;
    let list = async || ops.get("/api/admin/users/idproof").await.ok()["items"].clone();
    assert_eq!(list().await.as_array().map(Vec::len), Some(2));
    let file = format!("/api/admin/users/{}/idproof", admin.id);
    let of = |path: &str, organization: &Organization| format!("{path}?organizationId={}", organization.id);
    assert_eq!(ops.get(&of(&file, &larkfield)).await.body, scan());
    assert_eq!(ops.get(&of(&file, &summit)).await.body, other);

    let decide = async |organization: Option<Uuid>, passed: bool| {
        let body = json!({ "userId": admin.id, "organizationId": organization, "passed": passed });
        ops.post("/api/admin/users/idproof", &body).await
    };
    decide(None, true).await.problem(409);
    assert_eq!(list().await.as_array().map(Vec::len), Some(2), "nothing is decided");
    decide(Some(larkfield.id), true).await.ok();
    let left = list().await;
    assert_eq!((left.as_array().map(Vec::len), &left[0]["organizationId"]), (Some(1), &json!(summit.id)));
    assert_eq!(client.get(DECISION).await.ok()["decision"], "UnderReview");
    decide(Some(larkfield.id), false).await.problem(409);
    client.post("/api/account/change", &json!({ "orgId": larkfield.id })).await.ok();
    assert_eq!(client.get(DECISION).await.ok()["decision"], "Passed", "a proof is not taken back by mistake");

    let reset = format!("{file}/reset");
    let elsewhere = fresh(&app, "elsewhere").await.organization;
    ops.post(&of(&reset, &elsewhere), &json!({})).await.problem(404);
    ops.post(&of(&reset, &summit), &json!({})).await.ok();
    assert_eq!(list().await, json!([]));
    assert_eq!(ops.get(&of(&file, &larkfield)).await.body, scan(), "the record of the proof");
    app.finish().await;
}

/// ADA-C-071 ADA-R-198
#[tokio::test]
async fn an_operator_lets_somebody_begin_anew() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, admin, client } = fresh(&app, "larkfield").await;
    let mut standing = client.post(IDENTITY, &identity()).await.ok();
    while standing["quizId"].is_string() {
        standing = answer(&client, &standing, false).await;
    }
    upload(&client, "id.pdf", scan()).await.ok();
    let ops = app.signed_in(Role::SysAdmin, &organization).await;
    ops.post(&format!("/api/admin/users/{}/idproof/reset", admin.id), &json!({})).await.ok();
    let begun = client.get(DECISION).await.ok();
    let expected = json!({
        "decision": null, "quizId": null, "asksQuestions": true, "documentRefused": false, "refusalReason": null,
        "attemptsLeft": 3,
    });
    assert_eq!(begun, expected);
    let described = proofing_identity::Entity::find().count(app.store.db()).await.expect("descriptions");
    assert_eq!(described, 0);
    assert_eq!(profile(&client).await["idProofedAttemptDate"], json!(null));
    ops.get(&format!("/api/admin/users/{}/idproof", admin.id)).await.problem(404);
    assert!(client.post(IDENTITY, &identity()).await.ok()["quizId"].is_string());
    ops.post(&format!("/api/admin/users/{}/idproof/reset", Uuid::now_v7()), &json!({})).await.problem(404);
    app.finish().await;
}

/// SES-R-071 SES-R-095 SES-R-104
#[tokio::test]
async fn in_production_a_description_comes_first_and_a_photo_id_after_it() {
    let configure = |config: &mut Config| {
        config.mode = Mode::Production;
        config.session.require_second_factor = Some(false);
    };
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let Fresh { organization, admin, client } = fresh(&app, "larkfield").await;
    let standing = client.get(DECISION).await.ok();
    assert_eq!((&standing["decision"], &standing["asksQuestions"]), (&json!(null), &json!(false)));
    assert_eq!(upload(&client, "id.pdf", scan()).await.status, 409, "there is nothing to compare it with");
    let standing = client.post(IDENTITY, &identity()).await.ok();
    assert_eq!((&standing["decision"], &standing["documentRefused"]), (&json!("Failed"), &json!(false)));
    assert_eq!(
        events(&app, &organization, event::PROOFING_DECIDED).await,
        0,
        "nothing was tried that could fail"
    );
    assert_eq!(upload(&client, "id.pdf", scan()).await.ok()["decision"], "UnderReview");
    let ops = app.signed_in(Role::SysAdmin, &organization).await;
    let body = json!({ "userId": admin.id, "passed": true, "sendEmail": true });
    ops.post("/api/admin/users/idproof", &body).await.problem(422);
    let body = json!({ "userId": admin.id, "passed": false, "reason": "The date of expiry cannot be read." });
    ops.post("/api/admin/users/idproof", &body).await.ok();
    let standing = client.get(DECISION).await.ok();
    assert_eq!(
        (&standing["documentRefused"], &standing["refusalReason"]),
        (&json!(true), &json!("The date of expiry cannot be read."))
    );
    assert_eq!(upload(&client, "id.pdf", scan()).await.ok()["decision"], "UnderReview", "described already");
    ops.post("/api/admin/users/idproof", &json!({ "userId": admin.id, "passed": true })).await.ok();
    assert_eq!(client.get(DECISION).await.ok()["decision"], "Passed");
    let waiting = ops.get("/api/admin/organizations/toactivate").await.ok();
    assert_eq!(waiting["items"][0]["directDomain"], json!(app.config.direct_domain("larkfield")));
    ops.put(&format!("/api/organizations/{}/activate", organization.id), &json!({ "activated": true }))
        .await
        .ok();
    assert_eq!(ops.get("/api/admin/organizations/toactivate").await.ok(), json!({ "items": [] }));
    let described = proofing_identity::Entity::find().count(app.store.db()).await.expect("descriptions");
    assert_eq!(described, 0, "it is not kept once it is decided");
    nothing_holds(&app, &["987-65-4321", "987654321", "Birch Lane", "date of expiry"]).await;
    app.finish().await;
}

#[tokio::test]
async fn an_operator_sees_the_pages_beside_the_person_as_described() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, admin, client } = fresh(&app, "larkfield").await;
    let ops = app.signed_in(Role::SysAdmin, &organization).await;
    client.post(IDENTITY, &identity()).await.ok();
    upload(&client, "Licence.pdf", scan()).await.ok();
    assert_eq!(ops.get("/api/admin/users/idproof/count").await.ok()["count"], 1);
    let at = |what: &str| format!("/api/admin/users/{}/idproof/{what}", admin.id);
    let review = ops.get(&at("review")).await.ok();
    assert_eq!((&review["fileName"], &review["isWaiting"]), (&json!("Licence.pdf"), &json!(true)));
    assert_eq!(review["person"]["lastName"], "O’Hadley-Smith");
    assert_eq!(review["person"]["currentAddress"]["addressLine"], "12 Birch Lane");
    assert!(review["pages"].as_u64().is_some_and(|pages| pages > 0) && !review.to_string().contains("4321"));
    let page = ops.get(&at("pages/1")).await;
    assert!(page.body.starts_with(b"\x89PNG"), "a picture whatever the file is");
    for (name, value) in [
        ("content-type", "image/png"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
    ] {
        assert_eq!(page.header(name), value, "{name}");
    }
    let later = ops.get(&at("pages/1")).await;
    assert_eq!(page.body, later.body, "the clock of the test stands still");
    app.advance(Duration::minutes(1));
    assert_ne!(page.body, ops.get(&at("pages/1")).await.body, "the time of each look is burned in");
    ops.get(&at("pages/99")).await.problem(404);
    assert_eq!(events(&app, &organization, event::VIEWED).await, 4, "each look is on record");
    for role in [Role::Admin, Role::Reporting] {
        let other = app.signed_in(role, &organization).await;
        for path in [at("review"), at("pages/1"), "/api/admin/users/idproof/count".into()] {
            other.get(&path).await.problem(403);
        }
    }
    let other = json!({ "userId": admin.id, "documentId": Uuid::now_v7(), "passed": true });
    ops.post("/api/admin/users/idproof", &other).await.problem(409);
    let seen = json!({ "userId": admin.id, "documentId": review["documentId"], "passed": true });
    ops.post("/api/admin/users/idproof", &seen).await.ok();
    assert_eq!(ops.get("/api/admin/users/idproof/count").await.ok()["count"], 0);
    app.finish().await;
}

#[tokio::test]
async fn a_certificate_waits_for_the_proof_and_for_the_activation() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, admin, client } = fresh(&app, "larkfield").await;
    let ops = app.signed_in(Role::SysAdmin, &organization).await;
    let certificates = async || {
        let of = direct_certificate::Column::OrganizationId.eq(organization.id);
        let rows = direct_certificate::Entity::find().filter(of);
        rows.count(app.store.db()).await.expect("certificates")
    };
    let address = "records@larkfield.direct.carepost.example";
    let mailbox = async || {
        let parsed = direct::DirectAddress::parse(address).expect("an address");
        app.node.direct.hosted.mailbox(&parsed).await.expect("an answer").is_some()
    };
    let path = format!("/api/organizations/{}/activate", organization.id);
    ops.put(&path, &json!({ "activated": true })).await.ok();
    app.drain().await;
    assert_eq!((certificates().await, mailbox().await), (0, false), "activated, but nobody is proven");
    let draft = client.draft(testkit::document(address, &["a@b.example"], "Early")).await;
    let problem = client.post(&format!("/api/messages/{draft}/send"), &json!({})).await;
    assert!(!problem.status.is_success());

    ops.post("/api/admin/users/idproof", &json!({ "userId": admin.id, "passed": true })).await.ok();
    app.drain().await;
    assert_eq!((certificates().await, mailbox().await), (1, true));
    app.finish().await;
}

#[tokio::test]
async fn the_activation_notice_stays_away_for_good() {
    let app = TestApp::start(Db::sqlite()).await;
    let Fresh { organization, admin, client } = fresh(&app, "larkfield").await;
    assert_eq!(profile(&client).await["activationNoticeDismissed"], false);
    for _ in 0..2 {
        assert_eq!(client.delete("/api/account/activationnotice").await.status, 204);
    }
    assert_eq!(profile(&app.browser_of(&admin).await).await["activationNoticeDismissed"], true);
    let other = app.signed_in(Role::Admin, &organization).await;
    assert_eq!(profile(&other).await["activationNoticeDismissed"], false, "each person by themselves");
    let elsewhere = app.organization("summit").await;
    app.join(admin.id, &elsewhere, ROLE_ADMINISTRATOR).await;
    app.join(app.user(Role::User, &organization).await.id, &elsewhere, ROLE_USER).await;
    app.finish().await;
}
