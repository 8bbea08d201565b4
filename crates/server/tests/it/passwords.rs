//! Passwords, and the links for opening an account.

use crate::inbox::{mails, newest};
use chrono::Duration;
use platform::{Config, Role, audit::event, config::Mode};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait,
    QueryFilter, QuerySelect, Statement,
};
use serde_json::json;
use store::entities::{account_link, app_user, audit_entry};
use testkit::{Answer, Client, Db, Options, Organization, PASSWORD, TestApp, User};

testkit::on_both_databases! {
    of_two_requests_with_the_same_link_one_succeeds,
}

pub const NEW: &str = "violet tram under the bridge";
const PROFILE: &str = "/api/users/profiledata";

async fn somebody(app: &TestApp, role: Role) -> (Organization, User) {
    let larkfield = app.organization("larkfield").await;
    let user = app.user(role, &larkfield).await;
    (larkfield, user)
}

async fn forgot(app: &TestApp, user_name: &str) -> String {
    app.client().post("/api/account/password/forgot", &json!({ "userName": user_name })).await.ok()["message"]
        .as_str()
        .expect("a sentence")
        .to_owned()
}

pub async fn link(app: &TestApp, user: &User) -> String {
    forgot(app, &user.user_name).await;
    newest(app, &user.user_name).await.token()
}

pub async fn set(app: &TestApp, token: &str, password: &str) -> Answer {
    app.client().post("/api/account/password/set", &json!({ "token": token, "password": password })).await
}

pub async fn check(app: &TestApp, token: &str) -> Answer {
    app.client().post("/api/account/password/link", &json!({ "token": token })).await
}

pub async fn change(client: &Client, old: &str, new: &str) -> Answer {
    client.post("/api/account/password", &json!({ "oldPassword": old, "password": new })).await
}

async fn disable(app: &TestApp, user: &User) {
    app_user::ActiveModel { id: Set(user.id), is_disabled: Set(true), ..Default::default() }
        .update(app.store.db())
        .await
        .expect("a disabled user");
}

#[tokio::test]
async fn who_forgot_the_password_sets_a_new_one_by_a_link() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let elsewhere = app.browser_of(&user).await;
    for _ in 0..3 {
        app.client().sign_in(&user.user_name, "wrong").await.problem(401);
    }
    let token = link(&app, &user).await;
    let state = check(&app, &token).await.ok();
    assert_eq!(state, json!({ "purpose": "reset", "userName": user.user_name, "shortest": 15 }));
    assert_eq!(set(&app, &token, NEW).await.status, 204);
    elsewhere.get(PROFILE).await.problem(401);
    elsewhere.renew().await.problem(401);
    app.client().sign_in(&user.user_name, PASSWORD).await.problem(401);
    app.client().sign_in(&user.user_name, NEW).await.ok();
    let told = newest(&app, &user.user_name).await;
    assert_eq!(told.subject, "Your password was changed");
    assert!(told.text.contains("from the address 127.0.0.1"), "{}", told.text);
    let stored = account_link::Entity::find().one(app.store.db()).await.expect("links").expect("a link");
    assert_eq!(stored.token_hash.len(), 32, "the database keeps a hash");
    app.finish().await;
}

#[tokio::test]
async fn nobody_learns_whether_an_account_exists() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, user) = somebody(&app, Role::User).await;
    let gone = app.user(Role::User, &larkfield).await;
    disable(&app, &gone).await;
    let said = forgot(&app, &user.user_name.to_uppercase()).await;
    assert_eq!(forgot(&app, "nobody@carepost.example").await, said);
    assert_eq!(forgot(&app, &gone.user_name).await, said);
    assert_eq!(mails(&app, &user.user_name).await.len(), 1);
    assert!(mails(&app, &gone.user_name).await.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn a_link_works_once_for_an_hour_and_until_a_newer_one() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let older = link(&app, &user).await;
    let newer = link(&app, &user).await;
    let used = "This link was already used, or replaced by a newer one.";
    assert_eq!(check(&app, &older).await.problem(409)["message"], used);
    assert_eq!(set(&app, &older, NEW).await.problem(409)["message"], used);
    assert_eq!(set(&app, &newer, NEW).await.status, 204);
    assert_eq!(set(&app, &newer, "another tram over the hill").await.problem(409)["message"], used);
    let late = link(&app, &user).await;
    app.advance(Duration::hours(1));
    assert_eq!(set(&app, &late, NEW).await.problem(409)["message"], "This link has expired.");
    assert_eq!(check(&app, &late).await.problem(409)["message"], "This link has expired.");
    check(&app, "no such link").await.problem(404);
    set(&app, "", NEW).await.problem(404);
    app.finish().await;
}

async fn of_two_requests_with_the_same_link_one_succeeds(db: Db) {
    let app = TestApp::start(db).await;
    let (_, user) = somebody(&app, Role::User).await;
    let token = link(&app, &user).await;
    let passwords: Vec<String> = (0..4).map(|n| format!("tram number {n} to the old harbour")).collect();
    let answers = futures::future::join_all(passwords.iter().map(|p| set(&app, &token, p))).await;
    let done: Vec<usize> = (0..4).filter(|n| answers[*n].status == 204).collect();
    assert_eq!(done.len(), 1, "{answers:?}");
    app.client().sign_in(&user.user_name, &passwords[done[0]]).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_link_is_void_after_a_change_of_password_and_for_a_disabled_user() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let token = link(&app, &user).await;
    let client = app.browser_of(&user).await;
    assert_eq!(change(&client, PASSWORD, NEW).await.status, 204);
    set(&app, &token, "another tram over the hill").await.problem(409);
    let token = link(&app, &user).await;
    disable(&app, &user).await;
    set(&app, &token, "another tram over the hill").await.problem(409);
    app.finish().await;
}

#[tokio::test]
async fn an_account_is_sent_three_links_an_hour() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    for _ in 0..5 {
        forgot(&app, &user.user_name).await;
    }
    assert_eq!(mails(&app, &user.user_name).await.len(), 3);
    app.advance(Duration::hours(1));
    forgot(&app, &user.user_name).await;
    assert_eq!(mails(&app, &user.user_name).await.len(), 4);
    for _ in 0..4 {
        forgot(&app, "nobody@carepost.example").await;
    }
    let too_many = json!({ "userName": "nobody@carepost.example" });
    let mut last = 0;
    for _ in 0..70 {
        last = app.client().post("/api/account/password/forgot", &too_many).await.status.as_u16();
        if last == 429 {
            break;
        }
    }
    assert_eq!(last, 429, "an address may ask only so often");
    app.finish().await;
}

#[tokio::test]
async fn a_new_password_is_long_uncommon_and_not_about_its_person() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let client = app.browser_of(&user).await;
    let personal = "Please choose a password without your name, your user name, your organization’s name or the product’s name.";
    let common = "This password is too easy to guess. Please choose another; several words that do not belong together work well.";
    for (password, text) in [
        ("short one", "Please use at least 15 characters."),
        ("passwordpassword1", common),
        ("Nandakumar likes trams", personal),
        ("larkfield by the river", personal),
        ("my c a r e p o s t box", personal),
        ("correct horse battery staple", "Please choose a password that differs from the current one."),
    ] {
        let problem = change(&client, PASSWORD, password).await.problem(422);
        assert_eq!(problem["modelState"], json!({ "password": [text] }), "{password}");
    }
    let long = "tram ".repeat(205);
    let problem = change(&client, PASSWORD, &long).await.problem(422);
    assert_eq!(problem["modelState"]["password"][0], "Please use at most 1024 characters.");
    assert_eq!(
        change(&client, PASSWORD, "only small letters here").await.status,
        204,
        "no rules of composition"
    );
    app.finish().await;
}

#[tokio::test]
async fn a_password_that_became_known_elsewhere_is_refused() {
    let known: String = openssl::sha::sha1(NEW.as_bytes()).iter().map(|byte| format!("{byte:02X}")).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("breached.txt");
    let lines = ["0".repeat(40), known, "F".repeat(40)].map(|hash| format!("{hash}:12\r\n")).concat();
    std::fs::write(&list, lines).expect("a list");
    let configure = move |config: &mut Config| config.session.breached_passwords = Some(list.clone());
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let (_, user) = somebody(&app, Role::User).await;
    let client = app.browser_of(&user).await;
    let refused = change(&client, PASSWORD, NEW).await;
    assert_eq!(
        refused.texts("password"),
        ["This password was exposed in a data breach of another service. Please choose another one."]
    );
    assert!(change(&client, PASSWORD, "crimson tram under the bridge").await.status.is_success());
    app.finish().await;
}

#[tokio::test]
async fn changing_the_password_ends_the_other_sessions_and_is_told() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let (here, elsewhere) = (app.browser_of(&user).await, app.browser_of(&user).await);
    assert_eq!(change(&here, PASSWORD, NEW).await.status, 204);
    here.get(PROFILE).await.ok();
    elsewhere.get(PROFILE).await.problem(401);
    elsewhere.renew().await.problem(401);
    assert_eq!(newest(&app, &user.user_name).await.subject, "Your password was changed");
    let entries = audit_entry::Entity::find()
        .filter(audit_entry::Column::EventType.eq(event::PASSWORD_CHANGED))
        .filter(audit_entry::Column::ActorId.eq(user.id));
    assert_eq!(entries.count(app.store.db()).await.expect("a count"), 1);
    app.client().sign_in(&user.user_name, NEW).await.ok();
    app.finish().await;
}

/// Timeout, far longer than needed.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);

/// Waits until another connection waits for a row that a transaction has locked.
async fn somebody_waits(app: &TestApp) {
    let waiting =
        "SELECT 1 AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let waiting = || Statement::from_string(app.store.backend(), waiting);
    let wait = async {
        while app.store.db().query_one_raw(waiting()).await.expect("an answer").is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("somebody waits for the row");
}

/// Runs an action that checks a password, and replaces the password before the action continues.
async fn meanwhile(app: &TestApp, user: &User, password: &str, act: impl Future<Output = Answer>) -> Answer {
    let hash = accounts::passwords::hash(password.into()).await.expect("a hash");
    let txn = app.store.begin().await.expect("a transaction");
    app_user::Entity::find_by_id(user.id).lock_exclusive().one(&txn).await.expect("a locked row");
    let replace = async {
        somebody_waits(app).await;
        let row = app_user::ActiveModel { id: Set(user.id), password_hash: Set(hash), ..Default::default() };
        row.update(&txn).await.expect("another password");
        txn.commit().await.expect("a commit");
    };
    tokio::join!(act, replace).0
}

#[tokio::test]
async fn a_password_that_is_replaced_while_it_is_checked_opens_and_changes_nothing() {
    // SQLite does not report waiting connections.
    let Some(db) = Db::postgres() else { return };
    let app = TestApp::start(db).await;
    let (_, user) = somebody(&app, Role::User).await;
    let (client, guest) = (app.browser_of(&user).await, app.client());
    meanwhile(&app, &user, NEW, guest.sign_in(&user.user_name, PASSWORD)).await.problem(401);
    let change = change(&client, NEW, "quiet harbour with seven boats");
    let problem = meanwhile(&app, &user, PASSWORD, change).await.problem(422);
    assert_eq!(problem["modelState"]["oldPassword"][0], "The password is incorrect.");
    let row =
        app_user::Entity::find_by_id(user.id).one(app.store.db()).await.expect("a row").expect("a user");
    assert_eq!(row.failed_logins, 0, "these were no guesses");
    guest.sign_in(&user.user_name, PASSWORD).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn three_wrong_old_passwords_lock_the_account_for_that_browser() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let client = app.browser_of(&user).await;
    for _ in 0..3 {
        let problem = change(&client, "wrong", NEW).await.problem(422);
        assert_eq!(problem["modelState"]["oldPassword"][0], "The password is incorrect.");
    }
    let problem = change(&client, PASSWORD, NEW).await.problem(422);
    let locked = "After 3 failed attempts an account is locked for 10 minutes. Please try again then.";
    assert_eq!(problem["modelState"]["oldPassword"][0], locked);
    client.sign_in(&user.user_name, PASSWORD).await.problem(401);
    app.client().sign_in(&user.user_name, PASSWORD).await.ok();
    app.advance(Duration::minutes(10));
    client.renew().await.ok();
    assert_eq!(change(&client, PASSWORD, NEW).await.status, 204);
    app.finish().await;
}

/// ADA-R-024 SES-C-016
#[tokio::test]
async fn administrators_send_links_to_their_people_and_to_nobody_else() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, user) = somebody(&app, Role::User).await;
    let stranger = app.organization("summit").await;
    let body = json!({ "id": user.id });
    let path = "/api/users/resetpassword";
    app.signed_in(Role::User, &larkfield).await.post(path, &body).await.problem(403);
    app.signed_in(Role::Admin, &stranger).await.post(path, &body).await.problem(404);
    assert!(mails(&app, &user.user_name).await.is_empty());
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    admin.post(path, &body).await.ok();
    let token = newest(&app, &user.user_name).await.token();
    app.signed_in(Role::SysAdmin, &larkfield).await.post(path, &body).await.ok();
    assert_eq!(mails(&app, &user.user_name).await.len(), 2);
    set(&app, &token, NEW).await.problem(409);
    let token = newest(&app, &user.user_name).await.token();
    assert_eq!(set(&app, &token, NEW).await.status, 204);
    let nobody = app.user(Role::SysAdmin, &larkfield).await;
    admin.post(path, &json!({ "id": nobody.id })).await.problem(404);
    app.finish().await;
}

/// ADA-R-025
#[tokio::test]
async fn who_was_invited_chooses_the_first_password_within_a_week() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, user) = somebody(&app, Role::User).await;
    let no_password =
        app_user::ActiveModel { id: Set(user.id), password_hash: Set(String::new()), ..Default::default() };
    no_password.update(app.store.db()).await.expect("a user without a password");
    app.client().sign_in(&user.user_name, "").await.problem(422);
    app.client().sign_in(&user.user_name, PASSWORD).await.problem(401);
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    let path = "/api/users/resendinvitation";
    let other = json!({ "id": user.id, "userName": "else@carepost.example" });
    let problem = admin.post(path, &other).await.problem(422);
    assert_eq!(problem["modelState"]["userName"][0], "This is not the account's user name.");
    let body = json!({ "id": user.id, "userName": user.user_name });
    admin.post(path, &body).await.ok();
    let mail = newest(&app, &user.user_name).await;
    assert_eq!(mail.subject, "Your account at larkfield practice");
    app.advance(Duration::days(7) - Duration::seconds(1));
    assert_eq!(check(&app, &mail.token()).await.ok()["purpose"], "invitation");
    app.advance(Duration::seconds(1));
    set(&app, &mail.token(), NEW).await.problem(409);
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
    operator.post(path, &body).await.ok();
    let token = newest(&app, &user.user_name).await.token();
    assert_eq!(set(&app, &token, NEW).await.status, 204);
    app.client().sign_in(&user.user_name, NEW).await.ok();
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    let problem = admin.post(path, &body).await.problem(409);
    assert_eq!(problem["message"], "This person has already accepted the invitation.");
    app.finish().await;
}

#[tokio::test]
async fn without_a_mail_server_no_link_is_promised() {
    let configure = |config: &mut Config| {
        config.mode = Mode::Production;
        config.session.require_second_factor = Some(false);
    };
    let app = TestApp::start_with(
        Db::sqlite(),
        Options { configure: Some(Box::new(configure)), ..Options::default() },
    )
    .await;
    let (larkfield, user) = somebody(&app, Role::User).await;
    let sentence = "No link can be sent, because this installation has no mail server configured.";
    for name in [user.user_name.as_str(), "nobody@carepost.example"] {
        let asked = json!({ "userName": name });
        let problem = app.client().post("/api/account/password/forgot", &asked).await.problem(409);
        assert_eq!(problem["message"], sentence);
    }
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    let problem = admin.post("/api/users/resetpassword", &json!({ "id": user.id })).await.problem(409);
    assert_eq!(problem["message"], sentence);
    app.finish().await;
}

#[tokio::test]
async fn over_long_and_hostile_input_is_refused() {
    let app = TestApp::start(Db::sqlite()).await;
    let (_, user) = somebody(&app, Role::User).await;
    let client = app.browser_of(&user).await;
    let long = "x".repeat(100_000);
    app.client().post("/api/account/password/forgot", &json!({ "userName": long })).await.problem(422);
    app.client().post("/api/account/password/forgot", &json!({ "userName": "" })).await.problem(422);
    app.client().post("/api/account/password/forgot", &json!({ "userName": 7 })).await.problem(422);
    app.client().post("/api/account/password/forgot", &json!({ "userName": "\0" })).await.ok();
    set(&app, &long, NEW).await.problem(422);
    set(&app, "' OR 1=1 --\0", NEW).await.problem(404);
    change(&client, &long, NEW).await.problem(422);
    change(&client, PASSWORD, &long).await.problem(422);
    app.finish().await;
}
