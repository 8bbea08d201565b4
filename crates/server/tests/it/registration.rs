//! Self-registration of a practice.

use crate::inbox::{Mail, mails, newest};
use chrono::Duration;
use platform::{Config, Role, audit::event};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::{app_user, audit_entry, organization, registration};
use testkit::{Db, Options, TestApp};
use uuid::Uuid;

testkit::on_both_databases! {
    of_two_confirmations_at_once_one_succeeds,
    of_two_links_of_one_address_that_are_opened_at_once_one_succeeds,
}

const PASSWORD: &str = "violet tram under the bridge";
pub const DANA: &str = "dana@harborview.example";

/// Choices of the form.
async fn lists(app: &TestApp) -> (Uuid, Uuid) {
    app.organization("larkfield").await;
    (
        app.listed("organization_type", "Physician Practice").await,
        app.listed("organization_specialty", "Family Medicine").await,
    )
}

pub fn form((kind, specialty): (Uuid, Uuid)) -> Value {
    json!({
        "name": "Harborview Pediatrics", "subDomain": "Harborview", "organizationTypeId": kind,
        "organizationSpecialtyId": specialty, "street": "12 Quay Street", "city": "Bayline", "state": "OH",
        "zip": "43997", "primaryPhone": "(555) 010-0177", "primaryContactFirstName": "Dana",
        "primaryContactLastName": "Quill", "primaryContactTitle": "Manager", "userName": DANA,
    })
}

pub async fn register(app: &TestApp, form: &Value) -> testkit::Answer {
    app.client().post("/api/account/register", form).await
}

pub async fn confirm(app: &TestApp, token: &str) -> testkit::Answer {
    confirm_with(app, token, PASSWORD).await
}

async fn confirm_with(app: &TestApp, token: &str, password: &str) -> testkit::Answer {
    let body = json!({ "token": token, "password": password });
    app.client().post("/api/account/register/confirm", &body).await
}

pub async fn link(app: &TestApp, token: &str) -> testkit::Answer {
    app.client().post("/api/account/register/link", &json!({ "token": token })).await
}

#[tokio::test]
async fn a_practice_registers_and_its_administrator_signs_in() {
    let app = TestApp::start(Db::sqlite()).await;
    let ids = lists(&app).await;
    let options = app.client().get("/api/account/register/options").await.ok();
    for (list, id) in [("types", ids.0), ("specialties", ids.1)] {
        assert!(
            options[list].as_array().expect("choices").iter().any(|item| item["id"] == json!(id)),
            "{list}"
        );
    }
    assert_eq!(register(&app, &form(ids)).await.status, 202);
    let mail = newest(&app, DANA).await;
    assert_eq!(mail.subject, "Please confirm your registration");
    let says = "Hello Dana,\n\nThank you for registering Harborview Pediatrics. Please choose a password to \
                open the account for this e-mail address. The link works once, within 7 days.\n\nIf you did not \
                register, you can ignore this e-mail: no account is opened without this link.\n\nConfirm the \
                registration: http://127.0.0.1:8080/account/register/confirm#";
    assert!(mail.text.starts_with(says), "{}", mail.text);
    let said = link(&app, &mail.token()).await.ok();
    assert_eq!(said, json!({ "organization": "Harborview Pediatrics", "userName": DANA, "shortest": 15 }));
    assert_eq!(confirm(&app, &mail.token()).await.ok()["userName"], DANA);
    let client = app.client();
    client.sign_in(DANA, PASSWORD).await.ok();
    let profile = client.get("/api/users/profiledata").await.ok();
    assert_eq!(profile["roles"], json!(["Administrator"]));
    assert_eq!(profile["organizationName"], "Harborview Pediatrics");
    assert_eq!(profile["domain"], "harborview.direct.carepost.example");
    assert_eq!((&profile["orgIsActivated"], &profile["orgIsAcceptedEULA"]), (&json!(false), &json!(false)));
    let made = organization::Entity::find().filter(organization::Column::SubDomain.eq("harborview"));
    let made = made.one(app.store.db()).await.expect("organizations").expect("an organization");
    assert_eq!((made.contact_email.as_str(), made.created_by.as_str()), (DANA, DANA));
    let entries = audit_entry::Entity::find()
        .filter(audit_entry::Column::EventType.eq(event::REGISTERED))
        .filter(audit_entry::Column::OrganizationId.eq(made.id));
    assert_eq!(entries.count(app.store.db()).await.expect("a count"), 1);
    let kept = registration::Entity::find().one(app.store.db()).await.expect("rows").expect("a row");
    assert_eq!(kept.sealed_form, None, "what was filled in is not kept");
    app.finish().await;
}

#[tokio::test]
async fn nothing_is_opened_before_the_link_and_the_link_works_once() {
    let app = TestApp::start(Db::sqlite()).await;
    let ids = lists(&app).await;
    register(&app, &form(ids)).await.ok();
    app.client().sign_in(DANA, PASSWORD).await.problem(401);
    let kept = registration::Entity::find().one(app.store.db()).await.expect("rows").expect("a row");
    let sealed = kept.sealed_form.expect("a form");
    assert!(!sealed.windows(10).any(|part| part == b"Harborview"), "the form is not readable");
    let token = newest(&app, DANA).await.token();
    confirm(&app, "no such link").await.problem(404);
    link(&app, "no such link").await.problem(404);
    confirm(&app, &token).await.ok();
    confirm(&app, &token).await.problem(409);
    link(&app, &token).await.problem(409);
    let people = app_user::Entity::find().filter(app_user::Column::UserNameKey.eq(DANA));
    assert_eq!(people.count(app.store.db()).await.expect("a count"), 1);
    app.finish().await;
}

#[tokio::test]
async fn a_subdomain_is_free_or_not() {
    let app = TestApp::start(Db::sqlite()).await;
    let ids = lists(&app).await;
    register(&app, &form(ids)).await.ok();
    let client = app.client();
    for (name, free) in [
        ("seaside", true),
        ("Larkfield", false),
        ("support", false),
        ("harborview", false),
        ("-sea", false),
        ("sea side", false),
        ("", false),
    ] {
        let body = json!({ "subDomain": name });
        let answer = client.post("/api/account/register/subdomain", &body).await.ok();
        assert_eq!(answer["isAvailable"], free, "{name}");
    }
    app.finish().await;
}

#[tokio::test]
async fn whether_a_user_name_has_an_account_is_told_to_its_mailbox_only() {
    let app = TestApp::start(Db::sqlite()).await;
    let ids = lists(&app).await;
    let user = app.user(Role::User, &app.organization("summit").await).await;
    let mut known = form(ids);
    (known["userName"], known["subDomain"]) = (json!(user.user_name.to_uppercase()), json!("seaside"));
    let (answer, other) = (register(&app, &known).await, register(&app, &form(ids)).await);
    assert_eq!((answer.status, answer.text()), (other.status, other.text()));
    let subjects = |mails: Vec<Mail>| mails.into_iter().map(|mail| mail.subject).collect::<Vec<_>>();
    assert_eq!(subjects(mails(&app, &user.user_name).await), ["You already have an account"]);
    assert_eq!(subjects(mails(&app, DANA).await), ["Please confirm your registration"]);
    for name in ["seaside", "harborview"] {
        let body = json!({ "subDomain": name });
        let asked = app.client().post("/api/account/register/subdomain", &body).await.ok();
        assert_eq!(asked["isAvailable"], false, "{name} is waited for either way");
    }
    for form in [&known, &form(ids)] {
        for _ in 0..2 {
            app.advance(Duration::minutes(1));
            register(&app, form).await.ok();
        }
        register(&app, form).await.problem(429);
    }
    app.finish().await;
}

#[tokio::test]
async fn every_field_is_checked() {
    let app = TestApp::start(Db::sqlite()).await;
    let ids = lists(&app).await;
    let problem = register(&app, &json!({})).await.problem(422);
    assert_eq!(problem["modelState"].as_object().map(|m| m.len()), Some(12), "{problem}");
    let long = "x".repeat(100_000);
    for (field, value) in [
        ("name", json!("<script>alert(1)</script>")),
        ("name", json!(long)),
        ("subDomain", json!("larkfield")),
        ("subDomain", json!(long)),
        ("organizationTypeId", json!(ids.1)),
        ("street", json!("PO Box 12")),
        ("zip", json!(long)),
        ("primaryPhone", json!("12")),
        ("primaryPhone", json!("")),
        ("primaryContactFirstName", json!("D\u{0}na")),
        ("userName", json!("dana")),
        ("userName", json!("d\u{0}na@larkfield.example")),
    ] {
        let mut form = form(ids);
        form[field] = value;
        let problem = register(&app, &form).await.problem(422);
        assert!(problem["modelState"][field].is_array(), "{field}: {problem}");
        app.advance(Duration::minutes(1));
    }
    assert!(mails(&app, DANA).await.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn the_password_is_chosen_and_checked_at_the_link() {
    let app = TestApp::start(Db::sqlite()).await;
    let ids = lists(&app).await;
    register(&app, &form(ids)).await.ok();
    let token = newest(&app, DANA).await.token();
    for refused in ["", "short", "harborview is the best", "my name is Quill, isn't it", &"x".repeat(100_000)]
    {
        let problem = confirm_with(&app, &token, refused).await.problem(422);
        assert!(problem["modelState"]["password"].is_array(), "{problem}");
        app.advance(Duration::minutes(1));
    }
    confirm(&app, &token).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_stranger_who_names_an_address_takes_nothing_from_its_owner() {
    let app = TestApp::start(Db::sqlite()).await;
    let ids = lists(&app).await;
    register(&app, &form(ids)).await.ok();
    let own = newest(&app, DANA).await.token();
    let mut foreign = form(ids);
    foreign["name"] = json!("Quarry Dental");
    foreign["subDomain"] = json!("quarry");
    register(&app, &foreign).await.ok();
    let named = newest(&app, DANA).await.token();
    assert_eq!(link(&app, &named).await.ok()["organization"], "Quarry Dental");
    confirm(&app, &own).await.ok();
    confirm(&app, &named).await.problem(409);
    let client = app.client();
    client.sign_in(DANA, PASSWORD).await.ok();
    let profile = client.get("/api/users/profiledata").await.ok();
    assert_eq!(profile["organizationName"], "Harborview Pediatrics");
    let kept = registration::Entity::find().filter(registration::Column::SealedForm.is_not_null());
    assert_eq!(kept.count(app.store.db()).await.expect("a count"), 0, "nothing is kept of the other either");
    app.finish().await;
}

#[tokio::test]
async fn a_link_expires_after_a_week() {
    let app = TestApp::start(Db::sqlite()).await;
    let ids = lists(&app).await;
    register(&app, &form(ids)).await.ok();
    let token = newest(&app, DANA).await.token();
    app.advance(Duration::days(7));
    let problem = confirm(&app, &token).await.problem(409);
    assert_eq!(problem["message"], "This link has expired. Please register again.");
    link(&app, &token).await.problem(409);
    for n in 0..4 {
        let status = register(&app, &form(ids)).await.status.as_u16();
        assert_eq!(status, if n < 3 { 202 } else { 429 }, "an address is sent three links an hour");
    }
    app.finish().await;
}

#[tokio::test]
async fn what_was_taken_meanwhile_is_said_at_the_confirmation() {
    let app = TestApp::start(Db::sqlite()).await;
    let ids = lists(&app).await;
    register(&app, &form(ids)).await.ok();
    let token = newest(&app, DANA).await.token();
    app.organization("harborview").await;
    let problem = confirm(&app, &token).await.problem(422);
    assert!(problem["modelState"]["subDomain"].is_array(), "{problem}");
    let people = app_user::Entity::find().filter(app_user::Column::UserNameKey.eq(DANA));
    assert_eq!(people.count(app.store.db()).await.expect("a count"), 0, "all or nothing");
    app.finish().await;
}

async fn of_two_confirmations_at_once_one_succeeds(db: Db) {
    let app = TestApp::start(db).await;
    let ids = lists(&app).await;
    register(&app, &form(ids)).await.ok();
    let token = newest(&app, DANA).await.token();
    let answers = futures::future::join_all((0..4).map(|_| confirm(&app, &token))).await;
    assert_eq!(answers.iter().filter(|a| a.status == 200).count(), 1, "{answers:?}");
    app.finish().await;
}

async fn of_two_links_of_one_address_that_are_opened_at_once_one_succeeds(db: Db) {
    let app = TestApp::start(db).await;
    let ids = lists(&app).await;
    let mut tokens = Vec::new();
    for sub_domain in ["harborview", "quarry"] {
        let mut form = form(ids);
        form["name"] = json!(format!("Practice {sub_domain}"));
        form["subDomain"] = json!(sub_domain);
        register(&app, &form).await.ok();
        tokens.push(newest(&app, DANA).await.token());
    }
    let answers = futures::future::join_all(tokens.iter().map(|token| confirm(&app, token))).await;
    let mut statuses: Vec<_> = answers.iter().map(|a| a.status.as_u16()).collect();
    statuses.sort();
    assert_eq!(statuses, [200, 409], "{answers:?}");
    app.finish().await;
}

#[tokio::test]
async fn where_nobody_registers_there_is_nothing_of_it() {
    let configure = |config: &mut Config| config.registration.enabled = Some(false);
    let app = TestApp::start_with(
        Db::sqlite(),
        Options { configure: Some(Box::new(configure)), ..Options::default() },
    )
    .await;
    let ids = lists(&app).await;
    register(&app, &form(ids)).await.problem(404);
    app.client().get("/api/account/register/options").await.problem(404);
    link(&app, "any").await.problem(404);
    assert_eq!(app.client().get("/api/branding").await.ok()["registration"], false);
    app.finish().await;
}
