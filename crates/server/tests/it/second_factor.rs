//! The second step of a sign-in.

use crate::{
    inbox::{mails, newest},
    passkey::Authenticator,
};
use chrono::Duration;
use platform::{Config, Role, audit::event, config::Mode};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::{audit_entry, organization, passkey, second_factor, sign_in_challenge};
use testkit::{Answer, Client, Db, Options, Organization, PASSWORD, TestApp, User};
use totp_rs::{Builder, Secret};

pub const ORIGIN: &str = "http://localhost:8080";
const PROFILE: &str = "/api/users/profiledata";
const ENDED: &str = "This sign-in has ended. Please begin again.";
const WRONG: &str = "This code is wrong or was already used.";
const LOCKED: &str = "After 3 failed attempts an account is locked for 10 minutes. Please try again then.";

async fn somebody(app: &TestApp, role: Role) -> (Organization, User) {
    let larkfield = app.organization("larkfield").await;
    let user = app.user(role, &larkfield).await;
    (larkfield, user)
}

async fn lenient(db: Db) -> TestApp {
    let configure = |config: &mut Config| config.session.lockout_after = 100;
    TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..Options::default() }).await
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// A person's authenticator app.
pub struct Phone(Vec<u8>);

impl Phone {
    /// The app with the secret shown during setup.
    pub fn of(setup: &Value) -> Self {
        Self(secret_of(setup))
    }

    pub fn code(&self, app: &TestApp, seconds: i64) -> String {
        let secret = Secret::new(self.0.clone().into());
        let totp = Builder::new().with_secret(secret).with_issuer(Some("x")).with_account_name("x");
        let now = app.clock.now().timestamp() + seconds;
        totp.build().expect("an app").generate(now as u64).to_string()
    }
}

fn secret_of(setup: &Value) -> Vec<u8> {
    Secret::try_from_base32(text(&setup["secret"])).expect("base32").as_bytes().to_vec()
}

/// Sets up an app; also returns the recovery codes.
pub async fn set_up(app: &TestApp, client: &Client) -> (Phone, Vec<String>) {
    let setup =
        client.post("/api/account/secondfactor/authenticator", &json!({ "password": PASSWORD })).await.ok();
    let phone = Phone(secret_of(&setup));
    let body = json!({ "challenge": setup["challenge"], "code": phone.code(app, 0) });
    let done = client.post("/api/account/secondfactor/authenticator/confirm", &body).await.ok();
    app.advance(Duration::seconds(60));
    (phone, codes_of(&done))
}

fn codes_of(answer: &Value) -> Vec<String> {
    answer["recoveryCodes"].as_array().expect("codes").iter().map(text).collect()
}

/// Completes the first step; returns the challenge.
pub async fn first_step(client: &Client, user: &User) -> Value {
    let body = json!({ "userName": user.user_name, "password": PASSWORD });
    let answer = client.post("/api/account/login", &body).await;
    assert_eq!(answer.header("set-cookie"), "", "nobody is signed in yet");
    answer.ok()
}

pub async fn answer(client: &Client, challenge: &Value, method: &str, code: &str) -> Answer {
    let body = json!({ "challenge": challenge["challenge"], "method": method, "code": code });
    client.post("/api/account/login/code", &body).await
}

pub async fn send(client: &Client, challenge: &Value) -> Answer {
    client.post("/api/account/login/email", &json!({ "challenge": challenge["challenge"] })).await
}

fn is_wrong(problem: Value) {
    assert_eq!(problem["modelState"], json!({ "code": [WRONG] }));
}

async fn status(client: &Client) -> Value {
    client.get("/api/account/secondfactor").await.ok()
}

async fn require(app: &TestApp, organization: &Organization) {
    let settings = json!({ "security": { "requireSecondFactor": true } });
    organization::ActiveModel { id: Set(organization.id), settings: Set(settings), ..Default::default() }
        .update(app.store.db())
        .await
        .expect("settings");
}

#[tokio::test]
async fn a_code_of_the_authenticator_app_is_asked_for_after_the_password() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let client = app.browser_of(&user).await;
    let (phone, recovery) = set_up(&app, &client).await;
    assert_eq!(recovery.len(), 10);
    let other = app.client();
    let challenge = first_step(&other, &user).await;
    assert_eq!(challenge["methods"], json!(["app", "recovery"]));
    assert!(challenge.get("accessToken").is_none());
    let tokens = answer(&other, &challenge, "app", &phone.code(&app, 0)).await;
    assert!(tokens.header("set-cookie").contains("HttpOnly"));
    other.set_token(&text(&tokens.ok()["accessToken"]));
    other.get(PROFILE).await.ok();
    assert_eq!(other.renew().await.status, 200);
    let wrong = json!({ "userName": user.user_name, "password": "wrong" });
    other.post("/api/account/login", &wrong).await.problem(401);
    app.finish().await;
}

#[tokio::test]
async fn a_code_of_the_app_works_once_and_for_a_minute_at_most() {
    let app = lenient(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let (phone, _) = set_up(&app, &app.browser_of(&user).await).await;
    let client = app.client();
    let code = phone.code(&app, 0);
    let challenge = first_step(&client, &user).await;
    answer(&client, &challenge, "app", &code).await.ok();
    answer(&client, &challenge, "app", &code).await.problem(401);
    let again = first_step(&client, &user).await;
    is_wrong(answer(&client, &again, "app", &code).await.problem(422));
    is_wrong(answer(&client, &again, "app", &phone.code(&app, -30)).await.problem(422));
    is_wrong(answer(&client, &again, "app", &phone.code(&app, 61)).await.problem(422));
    let (next, spaced) = (phone.code(&app, 30), |code: &str| format!("{} {}", &code[..3], &code[3..]));
    is_wrong(answer(&client, &again, "app", &next).await.problem(422));
    app.advance(Duration::seconds(60));
    answer(&client, &again, "app", &spaced(&next)).await.ok();
    let again = first_step(&client, &user).await;
    is_wrong(answer(&client, &again, "app", &next).await.problem(422));
    app.finish().await;
}

#[tokio::test]
async fn setting_up_asks_for_the_password_and_a_right_first_code() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let client = app.browser_of(&user).await;
    let path = "/api/account/secondfactor/authenticator";
    let problem = client.post(path, &json!({ "password": "wrong" })).await.problem(422);
    assert_eq!(problem["modelState"], json!({ "password": ["The password is incorrect."] }));
    client.post(path, &json!({})).await.problem(422);
    let setup = client.post(path, &json!({ "password": PASSWORD })).await.ok();
    assert!(text(&setup["qrSvg"]).starts_with("<svg") && text(&setup["uri"]).starts_with("otpauth://totp/"));
    let confirm = format!("{path}/confirm");
    let wrong = json!({ "challenge": setup["challenge"], "code": "000000" });
    client.post(&confirm, &wrong).await.problem(422);
    assert_eq!(status(&client).await["hasAuthenticator"], false);
    client.enter(&user).await;
    let phone = Phone(secret_of(&setup));
    app.advance(Duration::minutes(10));
    client.renew().await.ok();
    let late = json!({ "challenge": setup["challenge"], "code": phone.code(&app, 0) });
    client.post(&confirm, &late).await.problem(409);
    let (_, _) = set_up(&app, &client).await;
    assert_eq!(status(&client).await["hasAuthenticator"], true);
    let remove = format!("{path}/remove");
    client.post(&remove, &json!({ "password": "wrong" })).await.problem(422);
    assert_eq!(client.post(&remove, &json!({ "password": PASSWORD })).await.status, 204);
    let left = status(&client).await;
    assert_eq!((&left["hasAuthenticator"], &left["recoveryCodes"]), (&json!(false), &json!(0)));
    assert!(app.client().sign_in(&user.user_name, PASSWORD).await.ok()["accessToken"].is_string());
    app.finish().await;
}

pub async fn switch_email(client: &Client, on: bool) -> Answer {
    client.put("/api/account/secondfactor/email", &json!({ "password": PASSWORD, "on": on })).await
}

#[tokio::test]
async fn a_code_by_e_mail_works_once_within_ten_minutes() {
    let app = lenient(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    switch_email(&app.browser_of(&user).await, true).await.ok();
    let client = app.client();
    let challenge = first_step(&client, &user).await;
    assert_eq!(challenge["methods"], json!(["email", "recovery"]));
    let (first, shown) = (&user.user_name[..1], text(&challenge["email"]));
    assert_eq!(shown, format!("{first}•••@c•••.example"));
    is_wrong(answer(&client, &challenge, "email", "123456").await.problem(422));
    assert_eq!(send(&client, &challenge).await.ok()["resendAfter"], 30);
    let mail = newest(&app, &user.user_name).await;
    assert!(mail.subject.ends_with(" is your sign-in code"), "{}", mail.subject);
    let other = if mail.code() == "000000" { "000001" } else { "000000" };
    is_wrong(answer(&client, &challenge, "email", other).await.problem(422));
    answer(&client, &challenge, "email", &mail.code()).await.ok();
    assert_eq!(answer(&client, &challenge, "email", &mail.code()).await.problem(401)["message"], ENDED);

    let challenge = first_step(&client, &user).await;
    is_wrong(answer(&client, &challenge, "email", &mail.code()).await.problem(422));
    send(&client, &challenge).await.ok();
    let mail = newest(&app, &user.user_name).await;
    app.advance(Duration::minutes(10));
    assert_eq!(answer(&client, &challenge, "email", &mail.code()).await.problem(401)["message"], ENDED);
    app.finish().await;
}

#[tokio::test]
async fn a_code_by_e_mail_is_sent_again_only_after_a_while() {
    let app = lenient(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    switch_email(&app.browser_of(&user).await, true).await.ok();
    let client = app.client();
    let challenge = first_step(&client, &user).await;
    send(&client, &challenge).await.ok();
    let first = newest(&app, &user.user_name).await.code();
    send(&client, &challenge).await.problem(429);
    app.advance(Duration::seconds(30));
    send(&client, &challenge).await.ok();
    let second = newest(&app, &user.user_name).await.code();
    if first != second {
        is_wrong(answer(&client, &challenge, "email", &first).await.problem(422));
    }
    answer(&client, &challenge, "email", &second).await.ok();
    for n in 0..6 {
        let challenge = first_step(&client, &user).await;
        assert_eq!(send(&client, &challenge).await.status.as_u16(), if n < 5 { 200 } else { 429 });
    }
    app.finish().await;
}

#[tokio::test]
async fn five_codes_by_e_mail_are_sent_within_ten_minutes() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    switch_email(&app.browser_of(&user).await, true).await.ok();
    let client = app.client();
    let challenge = first_step(&client, &user).await;
    for _ in 0..5 {
        send(&client, &challenge).await.ok();
        app.advance(Duration::seconds(30));
    }
    send(&client, &challenge).await.problem(429);
    let another = first_step(&client, &user).await;
    send(&client, &another).await.problem(429);
    app.advance(Duration::minutes(10));
    let later = first_step(&client, &user).await;
    let together = futures::future::join_all((0..3).map(|_| send(&client, &later))).await;
    assert_eq!(together.iter().filter(|answer| answer.status.is_success()).count(), 1, "one at a time");
    app.finish().await;
}

#[tokio::test]
async fn a_recovery_code_works_once_and_new_ones_replace_the_old() {
    let app = lenient(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let browser = app.browser_of(&user).await;
    let (_, codes) = set_up(&app, &browser).await;
    let client = app.client();
    let challenge = first_step(&client, &user).await;
    answer(&client, &challenge, "recovery", &codes[0].to_uppercase()).await.ok();
    assert_eq!(newest(&app, &user.user_name).await.subject, "A recovery code was used to sign in");
    assert_eq!(status(&browser).await["recoveryCodes"], 9);
    let challenge = first_step(&client, &user).await;
    is_wrong(answer(&client, &challenge, "recovery", &codes[0]).await.problem(422));
    let path = "/api/account/secondfactor/recoverycodes";
    browser.post(path, &json!({ "password": "wrong" })).await.problem(422);
    let new = codes_of(&browser.post(path, &json!({ "password": PASSWORD })).await.ok());
    is_wrong(answer(&client, &challenge, "recovery", &codes[1]).await.problem(422));
    answer(&client, &challenge, "recovery", &new[1]).await.ok();
    let without = app.user(Role::User, &app.organization("summit").await).await;
    let without = app.browser_of(&without).await;
    without.post(path, &json!({ "password": PASSWORD })).await.problem(409);
    app.finish().await;
}

#[tokio::test]
async fn five_wrong_answers_end_a_challenge() {
    let app = lenient(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let (phone, codes) = set_up(&app, &app.browser_of(&user).await).await;
    let client = app.client();
    let challenge = first_step(&client, &user).await;
    for n in 1..=5 {
        let wrong = answer(&client, &challenge, if n % 2 == 0 { "app" } else { "recovery" }, "000000").await;
        if n < 5 { is_wrong(wrong.problem(422)) } else { assert_eq!(wrong.problem(401)["message"], ENDED) }
    }
    let right = phone.code(&app, 0);
    assert_eq!(answer(&client, &challenge, "app", &right).await.problem(401)["message"], ENDED);
    answer(&client, &challenge, "recovery", &codes[0]).await.problem(401);
    let challenge = first_step(&client, &user).await;
    answer(&client, &challenge, "app", &right).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn three_wrong_answers_lock_the_account() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let (phone, _) = set_up(&app, &app.browser_of(&user).await).await;
    let client = app.client();
    // A right password does not reset the count.
    for _ in 0..2 {
        let challenge = first_step(&client, &user).await;
        is_wrong(answer(&client, &challenge, "app", "000000").await.problem(422));
    }
    let challenge = first_step(&client, &user).await;
    let still_open = first_step(&client, &user).await;
    assert_eq!(answer(&client, &challenge, "app", "000000").await.problem(401)["message"], LOCKED);
    let right = phone.code(&app, 0);
    answer(&client, &challenge, "app", &right).await.problem(401);
    answer(&client, &still_open, "app", &right).await.problem(401);
    client.sign_in(&user.user_name, PASSWORD).await.problem(401);
    app.advance(Duration::minutes(10));
    let challenge = first_step(&client, &user).await;
    answer(&client, &challenge, "app", &phone.code(&app, 0)).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn an_answer_to_the_challenge_of_somebody_else_is_wrong() {
    let app = lenient(Db::sqlite()).await;
    let (larkfield, user) = somebody(&app, Role::User).await;
    let other = app.user(Role::User, &larkfield).await;
    let (_, _) = set_up(&app, &app.browser_of(&user).await).await;
    let (phone, codes) = set_up(&app, &app.browser_of(&other).await).await;
    let client = app.client();
    let challenge = first_step(&client, &user).await;
    is_wrong(answer(&client, &challenge, "app", &phone.code(&app, 0)).await.problem(422));
    is_wrong(answer(&client, &challenge, "recovery", &codes[0]).await.problem(422));
    // The attempt with another person's code did not use it up.
    let own = first_step(&client, &other).await;
    answer(&client, &own, "recovery", &codes[0]).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_challenge_ends_after_ten_minutes_and_with_the_access_of_its_user() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let browser = app.browser_of(&user).await;
    let (phone, _) = set_up(&app, &browser).await;
    let client = app.client();
    let challenge = first_step(&client, &user).await;
    app.advance(Duration::minutes(10));
    answer(&client, &challenge, "app", &phone.code(&app, 0)).await.problem(401);
    browser.renew().await.ok();
    let challenge = first_step(&client, &user).await;
    let change = json!({ "oldPassword": PASSWORD, "password": "violet tram under the bridge" });
    assert_eq!(browser.post("/api/account/password", &change).await.status, 204);
    answer(&client, &challenge, "app", &phone.code(&app, 0)).await.problem(401);
    answer(&client, &json!({ "challenge": "no such challenge" }), "app", "123456").await.problem(401);
    let left = sign_in_challenge::Entity::find().count(app.store.db()).await.expect("a count");
    accounts::sign_in::chores::purge(&app).await.expect("a purge");
    let purged = sign_in_challenge::Entity::find().count(app.store.db()).await.expect("a count");
    assert!(purged <= left && purged == 0, "{left} {purged}");
    app.finish().await;
}

#[tokio::test]
async fn who_must_have_a_second_step_and_has_set_none_gets_a_code_by_e_mail() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, user) = somebody(&app, Role::User).await;
    require(&app, &larkfield).await;
    let client = app.client();
    let challenge = first_step(&client, &user).await;
    assert_eq!(challenge["methods"], json!(["email"]));
    send(&client, &challenge).await.ok();
    let code = newest(&app, &user.user_name).await.code();
    let tokens = answer(&client, &challenge, "email", &code).await.ok();
    client.set_token(&text(&tokens["accessToken"]));
    assert_eq!(status(&client).await["isRequired"], true);
    let (_, _) = set_up(&app, &client).await;
    assert_eq!(first_step(&client, &user).await["methods"], json!(["app", "recovery"]));
    // The requirement also applies in the person's other organizations.
    let summit = app.organization("summit").await;
    let both = app.user(Role::User, &summit).await;
    app.join(both.id, &larkfield, platform::session::ROLE_USER).await;
    assert_eq!(first_step(&app.client(), &both).await["methods"], json!(["email"]));
    let elsewhere = app.user(Role::User, &summit).await;
    app.client().sign_in(&elsewhere.user_name, PASSWORD).await.ok();
    app.finish().await;
}

async fn production(db: Db, require: Option<bool>) -> TestApp {
    let configure = move |config: &mut Config| {
        config.mode = Mode::Production;
        config.session.require_second_factor = require;
    };
    TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..Options::default() }).await
}

#[tokio::test]
async fn without_e_mail_nobody_is_let_in_by_the_password_alone() {
    let app = production(Db::sqlite(), None).await;
    let (_, user) = somebody(&app, Role::User).await;
    let body = json!({ "userName": user.user_name, "password": PASSWORD });
    let problem = app.client().post("/api/account/login", &body).await.problem(401);
    assert_eq!(
        problem["message"],
        "This account needs a second step to sign in, and this installation cannot e-mail the code. Please ask its operator."
    );
    app.finish().await;
}

#[tokio::test]
async fn codes_by_e_mail_need_a_mail_server() {
    let app = production(Db::sqlite(), Some(false)).await;
    let (_, user) = somebody(&app, Role::User).await;
    let client = app.browser_of(&user).await;
    switch_email(&client, true).await.problem(409);
    assert_eq!(status(&client).await["emailAddress"], json!(null));
    let (phone, _) = set_up(&app, &client).await;
    let other = app.client();
    let challenge = first_step(&other, &user).await;
    send(&other, &challenge).await.problem(409);
    answer(&other, &challenge, "app", &phone.code(&app, 0)).await.ok();
    app.finish().await;
}

pub async fn add_passkey(client: &Client, name: &str) -> Authenticator {
    let asked = client.post("/api/account/passkeys/options", &json!({ "password": PASSWORD })).await.ok();
    let selection = &asked["options"]["authenticatorSelection"];
    assert_eq!(selection["residentKey"], "required");
    assert_eq!(selection["userVerification"], "required");
    let (made, credential) = Authenticator::create(&asked["options"], ORIGIN);
    let body = json!({ "challenge": asked["challenge"], "name": name, "credential": credential });
    client.post("/api/account/passkeys", &body).await.ok();
    made
}

pub async fn ask(client: &Client, challenge: Option<&Value>) -> Value {
    let body = json!({ "challenge": challenge.map(|c| c["challenge"].clone()) });
    client.post("/api/account/login/passkey/options", &body).await.ok()
}

pub async fn show(client: &Client, asked: &Value, credential: Value) -> Answer {
    let body = json!({ "challenge": asked["challenge"], "credential": credential });
    client.post("/api/account/login/passkey", &body).await
}

#[tokio::test]
async fn a_passkey_is_the_second_step_or_all_of_them_whatever_strangers_guess() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let mut key = add_passkey(&app.browser_of(&user).await, "My laptop").await;
    let client = app.client();
    let challenge = first_step(&client, &user).await;
    assert_eq!(challenge["methods"], json!(["passkey", "recovery"]));
    let asked = ask(&client, Some(&challenge)).await;
    let credential = key.answer(&asked["options"], ORIGIN);
    let tokens = show(&client, &asked, credential.clone()).await.ok();
    client.set_token(&text(&tokens["accessToken"]));
    client.get(PROFILE).await.ok();
    show(&client, &asked, credential).await.problem(401);

    for _ in 0..3 {
        app.client().sign_in(&user.user_name, "wrong").await.problem(401);
    }
    app.client().sign_in(&user.user_name, PASSWORD).await.problem(401);
    let alone = app.client();
    let asked = ask(&alone, None).await;
    let credential = key.answer(&asked["options"], ORIGIN);
    let tokens = show(&alone, &asked, credential.clone()).await.ok();
    alone.set_token(&text(&tokens["accessToken"]));
    assert_eq!(alone.get(PROFILE).await.ok()["userName"], json!(user.user_name));
    assert_eq!(show(&alone, &asked, credential).await.problem(401)["message"], ENDED);
    let keys = status(&client).await["passkeys"].clone();
    assert_eq!((keys[0]["name"].as_str(), keys[0]["lastUsedAt"].is_string()), (Some("My laptop"), true));
    app.finish().await;
}

#[tokio::test]
async fn a_passkey_of_another_site_and_an_unknown_one_are_refused() {
    let app = lenient(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let browser = app.browser_of(&user).await;
    let mut key = add_passkey(&browser, "My laptop").await;
    let client = app.client();
    for origin in ["http://localhost:8081", "https://localhost.evil.example", "https://evil.example"] {
        let asked = ask(&client, None).await;
        let credential = key.answer(&asked["options"], origin);
        show(&client, &asked, credential).await.problem(401);
        let challenge = first_step(&client, &user).await;
        let asked = ask(&client, Some(&challenge)).await;
        let credential = key.answer(&asked["options"], origin);
        let problem = show(&client, &asked, credential).await.problem(422);
        assert!(problem["modelState"]["passkey"].is_array(), "{problem}");
    }
    // The answer to another challenge, a changed signature, and an answer without user verification.
    let (asked, other) = (ask(&client, None).await, ask(&client, None).await);
    let credential = key.answer(&other["options"], ORIGIN);
    show(&client, &asked, credential).await.problem(401);
    let mut credential = key.answer(&other["options"], ORIGIN);
    let signature = text(&credential["response"]["signature"]);
    credential["response"]["signature"] = json!(format!("{}AAAA", &signature[..signature.len() - 4]));
    show(&client, &other, credential).await.problem(401);
    let asked = ask(&client, None).await;
    key.verifies = false;
    let credential = key.answer(&asked["options"], ORIGIN);
    show(&client, &asked, credential).await.problem(401);
    key.verifies = true;

    let asked = ask(&client, None).await;
    let options = json!({ "rp": { "id": "localhost" }, "user": { "id": "AAAA" }, "challenge": "AAAA" });
    let (mut unknown, _) = Authenticator::create(&options, ORIGIN);
    let credential = unknown.answer(&asked["options"], ORIGIN);
    let problem = show(&client, &asked, credential).await.problem(401);
    assert_eq!(problem["message"], "This passkey is unknown here. Please sign in with your password.");
    let id = text(&status(&browser).await["passkeys"][0]["id"]);
    let remove = format!("/api/account/passkeys/{id}/remove");
    browser.post(&remove, &json!({ "password": "wrong" })).await.problem(422);
    assert_eq!(browser.post(&remove, &json!({ "password": PASSWORD })).await.status, 204);
    let asked = ask(&client, None).await;
    let credential = key.answer(&asked["options"], ORIGIN);
    show(&client, &asked, credential).await.problem(401);
    app.finish().await;
}

#[tokio::test]
async fn a_passkey_is_added_by_its_person_only() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, user) = somebody(&app, Role::User).await;
    let other = app.user(Role::User, &larkfield).await;
    let (mine, theirs) = (app.browser_of(&user).await, app.browser_of(&other).await);
    let asked = mine.post("/api/account/passkeys/options", &json!({ "password": PASSWORD })).await.ok();
    let (_, credential) = Authenticator::create(&asked["options"], ORIGIN);
    let body = json!({ "challenge": asked["challenge"], "name": "Key", "credential": credential });
    theirs.post("/api/account/passkeys", &body).await.problem(409);
    for name in ["", "  ", &"n".repeat(61), "a\u{0}b"] {
        let body = json!({ "challenge": asked["challenge"], "name": name, "credential": credential });
        mine.post("/api/account/passkeys", &body).await.problem(422);
    }
    let (_, elsewhere) = Authenticator::create(&asked["options"], "https://evil.example");
    let foreign = json!({ "challenge": asked["challenge"], "name": "Key", "credential": elsewhere });
    mine.post("/api/account/passkeys", &foreign).await.problem(422);
    mine.post("/api/account/passkeys", &body).await.ok();
    mine.post("/api/account/passkeys", &body).await.problem(409);
    let id = text(&status(&mine).await["passkeys"][0]["id"]);
    let renamed = json!({ "password": PASSWORD, "name": "Blue key" });
    theirs.put(&format!("/api/account/passkeys/{id}"), &renamed).await.problem(404);
    assert_eq!(mine.put(&format!("/api/account/passkeys/{id}"), &renamed).await.status, 204);
    assert_eq!(status(&mine).await["passkeys"][0]["name"], "Blue key");
    app.finish().await;
}

/// SES-R-327
#[tokio::test]
async fn an_administrator_resets_the_second_step_of_their_people() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, user) = somebody(&app, Role::User).await;
    let client = app.browser_of(&user).await;
    let (_, _) = set_up(&app, &client).await;
    add_passkey(&client, "Key").await;
    let path = format!("/api/users/{}/authenticators?identityProof=CallBack", user.id);
    let stranger = app.organization("summit").await;
    app.signed_in(Role::User, &larkfield).await.delete(&path).await.problem(404);
    app.signed_in(Role::Admin, &stranger).await.delete(&path).await.problem(404);
    app.signed_in(Role::Reporting, &larkfield).await.delete(&path).await.problem(404);
    client.get(PROFILE).await.ok();
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    assert!(admin.delete(&path.replace("CallBack", "Guess")).await.status.is_client_error());
    client.get(PROFILE).await.ok();
    assert_eq!(admin.delete(&path).await.status, 204);
    let entry = audit_entry::Entity::find().filter(audit_entry::Column::Detail.contains("CallBack"));
    assert_eq!(entry.count(app.store.db()).await.expect("a count"), 1);
    client.get(PROFILE).await.problem(401);
    assert_eq!(newest(&app, &user.user_name).await.subject, "The second step of your sign-in was reset");
    let client = app.browser_of(&user).await;
    let left = status(&client).await;
    assert_eq!(left["hasAuthenticator"], false);
    assert_eq!((&left["passkeys"], &left["recoveryCodes"]), (&json!([]), &json!(0)));
    add_passkey(&client, "Key").await;
    let own = client.delete(&path).await.problem(409);
    assert!(text(&own["message"]).contains("with your password"), "{own}");
    assert_eq!(status(&client).await["passkeys"].as_array().expect("a list").len(), 1);
    assert_eq!(app.signed_in(Role::SysAdmin, &larkfield).await.delete(&path).await.status, 204);
    app.client().sign_in(&user.user_name, PASSWORD).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn who_works_elsewhere_too_keeps_the_second_step_from_the_administrators_of_one_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, both) = somebody(&app, Role::User).await;
    let summit = app.organization("summit").await;
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    app.join(both.id, &summit, platform::session::ROLE_USER).await;
    let of_network = app.user(Role::NetAdmin, &larkfield).await;
    app.join(of_network.id, &larkfield, platform::session::ROLE_USER).await;
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
    for person in [both, of_network] {
        let client = app.browser_of(&person).await;
        let (_, _) = set_up(&app, &client).await;
        let path = format!("/api/users/{}/authenticators?identityProof=PhotoId", person.id);
        let refused = admin.delete(&path).await.problem(409);
        assert!(text(&refused["message"]).starts_with("This person also has a role elsewhere"), "{refused}");
        assert_eq!(status(&client).await["hasAuthenticator"], true);
        assert_eq!(operator.delete(&path).await.status, 204);
    }
    app.finish().await;
}

#[tokio::test]
async fn changes_are_told_and_audited_and_secrets_are_sealed() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let client = app.browser_of(&user).await;
    let (phone, codes) = set_up(&app, &client).await;
    add_passkey(&client, "Key").await;
    switch_email(&client, true).await.ok();
    switch_email(&client, false).await.ok();
    let told: Vec<String> = mails(&app, &user.user_name).await.into_iter().rev().map(|m| m.subject).collect();
    assert_eq!(
        told,
        [
            "An authenticator app was set up for your account",
            "A passkey was added to your account",
            "Codes by e-mail were switched on for your account",
            "Codes by e-mail were switched off for your account",
        ]
    );
    let entries = audit_entry::Entity::find()
        .filter(audit_entry::Column::EventType.eq(event::SECOND_FACTOR_CHANGED))
        .filter(audit_entry::Column::ActorId.eq(user.id));
    assert_eq!(entries.count(app.store.db()).await.expect("a count"), 4);
    let row = second_factor::Entity::find_by_id(user.id).one(app.store.db()).await.expect("rows");
    let sealed = row.expect("a row").sealed_secret.expect("a secret");
    assert!(!sealed.windows(phone.0.len()).any(|part| part == phone.0), "the secret is not readable");
    let rows = store::entities::recovery_code::Entity::find().all(app.store.db()).await.expect("codes");
    assert_eq!(rows.len(), 10);
    assert!(rows.iter().all(|row| row.hash != codes[0].as_bytes()));
    assert_eq!(passkey::Entity::find().count(app.store.db()).await.expect("a count"), 1);
    app.finish().await;
}

#[tokio::test]
async fn with_a_second_step_a_shorter_password_is_enough() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let client = app.browser_of(&user).await;
    let change = json!({ "oldPassword": PASSWORD, "password": "tram-92q" });
    client.post("/api/account/password", &change).await.problem(422);
    let (_, _) = set_up(&app, &client).await;
    assert_eq!(client.post("/api/account/password", &change).await.status, 204);
    app.finish().await;
}

#[tokio::test]
async fn hostile_answers_are_refused() {
    let app = lenient(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let (_, _) = set_up(&app, &app.browser_of(&user).await).await;
    let client = app.client();
    let challenge = first_step(&client, &user).await;
    let long = "1".repeat(100_000);
    for code in ["", "   ", &long] {
        answer(&client, &challenge, "app", code).await.problem(422);
    }
    answer(&client, &challenge, "telepathy", "123456").await.problem(422);
    for code in ["123456' OR '1'='1", "-00001", "１２３４５６", "\u{0}"] {
        answer(&client, &challenge, "app", code).await.problem(422);
    }
    let asked = ask(&client, None).await;
    for credential in [json!(null), json!({}), json!([1]), json!({ "id": long, "rawId": "%%" })] {
        show(&client, &asked, credential).await.problem(401);
    }
    client.post("/api/account/login/passkey", &json!({ "challenge": asked["challenge"] })).await.problem(400);
    app.finish().await;
}

/// An e-mailed code replaces the password: MSG-C-049, MSG-C-050, MSG-C-051, MSG-C-052, MSG-C-053
#[tokio::test]
async fn a_second_step_is_set_up_with_a_code_by_e_mail_in_place_of_the_password() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, user) = somebody(&app, Role::User).await;
    let other = app.user(Role::User, &larkfield).await;
    let client = app.browser_of(&user).await;
    let path = |of: &User, tail: &str| format!("/api/users/{}/{tail}", of.id);
    for tail in ["sendcode?method=Email", "enabletfa?code=000000"] {
        client.get(&path(&other, tail)).await.problem(404);
    }
    client.post(&path(&other, "verifycode"), &json!({ "code": "000000" })).await.problem(404);
    is_wrong(client.get(&path(&user, "enabletfa?code=000000")).await.problem(422));
    client.get(&path(&user, "sendcode?method=Pigeon")).await.problem(400);

    assert_eq!(client.get(&path(&user, "sendcode?method=Email")).await.status, 202);
    client.get(&path(&user, "sendcode")).await.problem(429);
    let code = newest(&app, &user.user_name).await.code();
    let wrong = if code == "000000" { "000001" } else { "000000" };
    is_wrong(client.post(&path(&user, "verifycode"), &json!({ "code": wrong })).await.problem(422));
    let right = json!({ "code": code });
    assert_eq!(client.post(&path(&user, "verifycode"), &right).await.status, 204);
    let done = client.get(&path(&user, &format!("enabletfa?code={code}"))).await.ok();
    assert_eq!(codes_of(&done).len(), 10);
    assert_eq!(client.get("/api/account/secondfactor").await.ok()["emailCodes"], true);
    is_wrong(client.get(&path(&user, &format!("enabletfa?code={code}"))).await.problem(422));

    app.advance(Duration::minutes(1));
    assert_eq!(client.get(&path(&user, "sendcode")).await.status, 202);
    let code = newest(&app, &user.user_name).await.code();
    let setup = client.get(&format!("/api/users/enabletokenauth?code={code}")).await.ok();
    let phone = Phone::of(&setup);
    let body = json!({ "challenge": setup["challenge"], "code": phone.code(&app, 0) });
    client.post("/api/users/enabletokenauth", &body).await.ok();
    assert_eq!(client.get("/api/account/secondfactor").await.ok()["hasAuthenticator"], true);
    for by_mail in [path(&user, "enabletfa?code=1"), "/api/users/enabletokenauth?code=1".to_owned()] {
        let refused = client.get(&by_mail).await.problem(409);
        assert!(text(&refused["message"]).contains("already has a second step"), "whoever reads the mail");
    }

    app.advance(Duration::minutes(1));
    client.get(&path(&user, "sendcode")).await;
    let code = newest(&app, &user.user_name).await.code();
    let wrong = if code == "000000" { "000001" } else { "000000" };
    for _ in 0..5 {
        is_wrong(client.post(&path(&user, "verifycode"), &json!({ "code": wrong })).await.problem(422));
    }
    is_wrong(client.post(&path(&user, "verifycode"), &json!({ "code": code })).await.problem(422));
    app.finish().await;
}
