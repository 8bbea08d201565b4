//! Single sign-on with a real OpenID Connect provider, started by the tests.

use crate::{inbox::newest, second_factor};
use platform::{Config, Role, audit::event};
use reqwest::{Url, header::LOCATION, redirect::Policy};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter,
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdout, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};
use store::entities::{
    app_user, audit_entry, organization, organization_feature, sign_in_challenge, sso_connection,
};
use testkit::{Answer, Client, Db, Options, Organization, TestApp, User};

pub const SETTINGS: &str = "/api/account/settings/sso";
const BEGIN: &str = "/api/account/sso";
const COMPLETE: &str = "/api/account/sso/callback";
const PROFILE: &str = "/api/users/profiledata";
pub const FEATURE: &str = "PointClickCareIdentityProvider";
const SECRET: &str = "a secret of the test";
const ENDED: &str = "This sign-in has ended. Please begin again.";
const NO_ACCOUNT: &str =
    "There is no account for you in this organization. Please ask one of its administrators.";

/// A running provider; it stops with the test.
pub struct Provider {
    child: Child,
    out: BufReader<ChildStdout>,
    issuer: String,
}

impl Provider {
    pub fn start(app: &TestApp, of: &Organization) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/e2e/sign-in-provider.mjs");
        let redirect = app.config.http.public_url.join(&format!("/callback/{}", of.id)).expect("an address");
        let mut child = Command::new("node")
            .args([script, redirect.as_str()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node runs");
        let mut issuer = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        out.read_line(&mut issuer).expect("its address");
        let issuer = issuer.trim().to_owned();
        assert!(issuer.starts_with("http://"), "the packages of web/ are installed");
        Self { child, out, issuer }
    }

    /// Waits for a line of its output, ignoring others.
    fn says(&mut self, wanted: &str) {
        let line = self.out.by_ref().lines().find(|line| line.as_ref().is_ok_and(|line| line == wanted));
        assert!(line.is_some(), "it said {wanted} before its end");
    }

    fn tell(&mut self, line: &str) {
        let ears = self.child.stdin.as_mut().expect("its input");
        writeln!(ears, "{line}").expect("it listens");
    }

    /// Holds all answers until the provider is told to continue.
    fn hold(&mut self) {
        self.tell("hold");
        self.says("held");
    }

    /// Waits for a request, and returns the provider.
    async fn asked(mut self) -> Self {
        let wait = move || {
            self.says("asked");
            self
        };
        tokio::task::spawn_blocking(wait).await.expect("somebody asks")
    }

    fn stop(&mut self) {
        self.child.kill().expect("an end");
        self.child.wait().expect("an end");
    }

    pub fn connection(&self, name: &str) -> Value {
        json!({
            "name": name, "issuer": self.issuer, "clientId": "carepost", "clientSecret": SECRET, "isEnabled": true,
        })
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An organization whose people sign in through a provider.
struct World {
    app: TestApp,
    provider: Provider,
    alder: Organization,
    admin: Client,
}

async fn world(db: Db) -> World {
    let app = TestApp::start(db).await;
    let alder = app.organization("alder").await;
    let provider = Provider::start(&app, &alder);
    app.enable(&alder, FEATURE).await;
    let admin = app.signed_in(Role::Admin, &alder).await;
    admin.put(SETTINGS, &provider.connection("Alder-EHR")).await.ok();
    World { app, provider, alder, admin }
}

/// Identifier of a person at the test provider.
pub fn name(user: &User) -> &str {
    user.user_name.split('@').next().expect("a name")
}

async fn begin(client: &Client, connection: &str) -> Answer {
    client.post(BEGIN, &json!({ "connection": connection })).await
}

/// Signs in at the provider like a browser; returns the parameters of the callback.
async fn at_provider(address: &str, login: &str) -> HashMap<String, String> {
    let http =
        reqwest::Client::builder().cookie_store(true).redirect(Policy::none()).build().expect("a browser");
    let mut next = Url::parse(address).expect("an address");
    next.query_pairs_mut().append_pair("login_hint", login);
    while !next.path().starts_with("/callback/") {
        let answer = http.get(next.clone()).send().await.expect("an answer");
        let to = answer.headers().get(LOCATION).unwrap_or_else(|| panic!("{next} leads on"));
        next = next.join(to.to_str().expect("an address")).expect("an address");
    }
    let organization = next.path().rsplit('/').next().expect("an organization").to_owned();
    next.query_pairs().into_owned().chain([("organization".into(), organization)]).collect()
}

/// Goes through the sign-in at the provider; returns the parameters of the callback.
async fn round_trip(client: &Client, connection: &str, login: &str) -> Value {
    let asked = begin(client, connection).await.ok();
    json!(at_provider(asked["address"].as_str().expect("an address"), login).await)
}

pub async fn sign_in(client: &Client, connection: &str, login: &str) -> Answer {
    let back = round_trip(client, connection, login).await;
    let answer = client.post(COMPLETE, &back).await;
    if answer.status.is_success() {
        client.set_token(answer.json()["accessToken"].as_str().expect("a token"));
    }
    answer
}

async fn audited(app: &TestApp, event: &str) -> u64 {
    let rows = audit_entry::Entity::find().filter(audit_entry::Column::EventType.eq(event));
    rows.count(app.store.db()).await.expect("a count")
}

async fn change(app: &TestApp, user: &User, to: app_user::ActiveModel) {
    app_user::ActiveModel { id: Set(user.id), ..to }.update(app.store.db()).await.expect("a change");
}

#[tokio::test]
async fn the_provider_of_an_organization_signs_its_people_in() {
    let World { app, alder, admin, provider: _alive } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    let client = app.client();
    let answer = sign_in(&client, "ALDER-ehr", name(&kim)).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    let profile = client.get(PROFILE).await.ok();
    assert_eq!((&profile["userId"], &profile["authStrategy"]), (&json!(kim.id), &json!("sso")));
    assert_eq!(profile["organizationId"], json!(alder.id));
    client.renew().await.ok();
    assert_eq!(client.get(PROFILE).await.ok()["authStrategy"], "sso", "after the renewal");
    assert_eq!(audited(&app, event::SSO_LINKED).await, 1);
    sign_in(&app.client(), "alder-ehr", name(&kim)).await.ok();
    assert_eq!(audited(&app, event::SSO_LINKED).await, 1, "known by now");
    assert_eq!(admin.get(SETTINGS).await.ok()["connection"]["linkedPeople"], 1);
    let with_password = app.browser_of(&kim).await;
    assert_eq!(with_password.get(PROFILE).await.ok()["authStrategy"], "password");
}

#[tokio::test]
async fn an_answer_is_taken_once_and_only_from_the_browser_that_asked() {
    let World { app, alder, provider: _alive, .. } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    let (client, thief) = (app.client(), app.client());
    let back = round_trip(&client, "alder-ehr", name(&kim)).await;
    assert_eq!(thief.post(COMPLETE, &back).await.problem(401)["message"], ENDED);
    begin(&thief, "alder-ehr").await.ok();
    assert_eq!(thief.post(COMPLETE, &back).await.problem(401)["message"], ENDED);
    client.post(COMPLETE, &back).await.ok();
    assert_eq!(client.post(COMPLETE, &back).await.problem(401)["message"], ENDED, "the second time");
    let late = round_trip(&client, "alder-ehr", name(&kim)).await;
    app.advance(chrono::Duration::minutes(11));
    assert_eq!(client.post(COMPLETE, &late).await.problem(401)["message"], ENDED);
    for hostile in [json!({}), json!({ "state": "x".repeat(5000), "code": "c" }), json!({ "state": "'; --" })]
    {
        assert_eq!(client.post(COMPLETE, &hostile).await.problem(401)["message"], ENDED);
    }
}

#[tokio::test]
async fn an_answer_that_belongs_to_another_question_is_refused() {
    let World { app, alder, provider: _alive, .. } = world(Db::sqlite()).await;
    let (kim, lee) = (app.user(Role::User, &alder).await, app.user(Role::User, &alder).await);
    let client = app.client();
    let unbelievable = "The answer of the sign-in provider could not be verified. Please try again.";
    let (mut first, second) = (
        round_trip(&client, "alder-ehr", name(&kim)).await,
        round_trip(&client, "alder-ehr", name(&lee)).await,
    );
    first["code"] = second["code"].clone();
    assert_eq!(client.post(COMPLETE, &first).await.problem(401)["message"], unbelievable);
    let mut elsewhere = round_trip(&client, "alder-ehr", name(&kim)).await;
    elsewhere["iss"] = json!("https://login.elsewhere.example");
    assert_eq!(client.post(COMPLETE, &elsewhere).await.problem(401)["message"], unbelievable);
    let mut invented = round_trip(&client, "alder-ehr", name(&kim)).await;
    invented["code"] = json!("invented");
    assert_eq!(client.post(COMPLETE, &invented).await.problem(401)["message"], unbelievable);
    let mut declined = round_trip(&client, "alder-ehr", name(&kim)).await;
    declined["code"] = Value::Null;
    let refused = client.post(COMPLETE, &declined).await.problem(401);
    assert_eq!(refused["message"], "The sign-in provider did not sign you in.");
    assert_eq!(audited(&app, event::SIGN_IN_FAILED).await, 4);
}

/// A provider that wants another provider's answers: it redirects people there, and asks to receive the
/// codes.
async fn hostile_provider(honest: &Provider) -> (String, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let issuer = format!("http://{}", listener.local_addr().expect("an address"));
    let document: Value = reqwest::get(format!("{}/.well-known/openid-configuration", honest.issuer))
        .await
        .expect("an answer")
        .json()
        .await
        .expect("a discovery document");
    let mut document = document;
    document["issuer"] = json!(issuer);
    document["token_endpoint"] = json!(format!("{issuer}/token"));
    document["authorization_response_iss_parameter_supported"] = json!(false);
    let codes = Arc::new(AtomicUsize::new(0));
    let count = codes.clone();
    let router = axum::Router::new()
        .route("/.well-known/openid-configuration", axum::routing::get(async move || axum::Json(document)))
        .route("/token", axum::routing::post(async move || _ = count.fetch_add(1, Relaxed)));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (issuer, codes)
}

#[tokio::test]
async fn the_provider_of_one_organization_gets_no_answer_that_another_gave() {
    let World { app, provider, alder, .. } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    let birch = app.organization("birch").await;
    app.enable(&birch, FEATURE).await;
    let (hostile, codes) = hostile_provider(&provider).await;
    let mallory = app.signed_in(Role::Admin, &birch).await;
    let mut connection = provider.connection("birch-ehr");
    connection["issuer"] = json!(hostile);
    mallory.put(SETTINGS, &connection).await.ok();

    let victim = app.client();
    let asked = begin(&victim, "birch-ehr").await.ok();
    let address = Url::parse(asked["address"].as_str().expect("an address")).expect("an address");
    assert!(address.as_str().starts_with(&provider.issuer), "the victim is led to their own provider");
    let answer = reqwest::get(address.clone()).await.expect("an answer");
    assert_eq!(answer.status(), 400, "which knows no such redirect address");

    let state = address.query_pairs().find(|(key, _)| key == "state").expect("a state").1.into_owned();
    let theirs = round_trip(&app.client(), "alder-ehr", name(&kim)).await;
    let unbelievable = "The answer of the sign-in provider could not be verified. Please try again.";
    let mut stolen = json!({ "state": state, "code": theirs["code"], "organization": alder.id });
    assert_eq!(victim.post(COMPLETE, &stolen).await.problem(401)["message"], unbelievable);
    stolen["state"] = json!(state);
    assert_eq!(victim.post(COMPLETE, &stolen).await.problem(401)["message"], ENDED, "a state is taken once");
    let client = app.client();
    let mut at_another = round_trip(&client, "alder-ehr", name(&kim)).await;
    at_another["organization"] = json!(birch.id);
    assert_eq!(client.post(COMPLETE, &at_another).await.problem(401)["message"], unbelievable);
    let mut nameless = round_trip(&client, "alder-ehr", name(&kim)).await;
    nameless.as_object_mut().expect("an object").remove("iss").expect("the provider names itself");
    assert_eq!(client.post(COMPLETE, &nameless).await.problem(401)["message"], unbelievable);
    assert_eq!(codes.load(Relaxed), 0, "no code reached the other provider");
}

#[tokio::test]
async fn an_account_is_found_only_by_a_verified_address_inside_the_organization() {
    let World { app, alder, provider: _alive, .. } = world(Db::sqlite()).await;
    let birch = app.organization("birch").await;
    let (kim, stranger) = (app.user(Role::User, &alder).await, app.user(Role::User, &birch).await);
    let refused = async |login: String| {
        sign_in(&app.client(), "alder-ehr", &login).await.problem(401)["message"].clone()
    };
    assert_eq!(refused(name(&stranger).into()).await, NO_ACCOUNT);
    assert_eq!(refused("nobody".into()).await, NO_ACCOUNT);
    for how in ["unverified", "silent"] {
        let text = refused(format!("{}+{how}", name(&kim))).await;
        assert!(
            text.as_str().expect("a text").starts_with("The sign-in provider has not confirmed"),
            "{how}"
        );
    }
    let twin = app.user(Role::User, &alder).await;
    let same = app_user::ActiveModel { email: Set(kim.user_name.to_uppercase()), ..Default::default() };
    change(&app, &twin, same).await;
    let text = refused(name(&kim).into()).await;
    assert!(text.as_str().expect("a text").starts_with("More than one account"));
    assert_eq!(audited(&app, event::SSO_LINKED).await, 0);
}

#[tokio::test]
async fn whoever_is_linked_stays_linked_when_the_address_changes() {
    let World { app, alder, provider: _alive, .. } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    sign_in(&app.client(), "alder-ehr", name(&kim)).await.ok();
    let moved = app_user::ActiveModel { email: Set("kim@new.example".into()), ..Default::default() };
    change(&app, &kim, moved).await;
    let other = app.user(Role::User, &alder).await;
    let taken = app_user::ActiveModel { email: Set(kim.user_name.clone()), ..Default::default() };
    change(&app, &other, taken).await;
    let client = app.client();
    sign_in(&client, "alder-ehr", name(&kim)).await.ok();
    assert_eq!(client.get(PROFILE).await.ok()["userId"], json!(kim.id));
}

#[tokio::test]
async fn somebody_new_with_the_address_of_a_linked_account_is_refused() {
    let World { app, provider, alder, admin } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    sign_in(&app.client(), "alder-ehr", name(&kim)).await.ok();
    let successor = format!("{}+new", name(&kim));
    let text = "At the sign-in provider, your e-mail address belongs to a different person than the account here. Please ask one of the administrators of your organization.";
    assert_eq!(sign_in(&app.client(), "alder-ehr", &successor).await.problem(401)["message"], text);
    assert_eq!((audited(&app, event::SSO_LINKED).await, audited(&app, event::SIGN_IN_FAILED).await), (1, 1));
    sign_in(&app.client(), "alder-ehr", name(&kim)).await.ok();
    admin.delete(SETTINGS).await.ok();
    admin.put(SETTINGS, &provider.connection("Alder-EHR")).await.ok();
    sign_in(&app.client(), "alder-ehr", &successor).await.ok();
}

#[tokio::test]
async fn a_session_from_a_provider_opens_its_organization_only() {
    let World { app, alder, provider: _alive, .. } = world(Db::sqlite()).await;
    let birch = app.organization("birch").await;
    let kim = app.user(Role::User, &alder).await;
    app.join(kim.id, &birch, platform::session::ROLE_ADMINISTRATOR).await;
    let network = app.network().await;
    let operator = app_user::ActiveModel {
        system_role: Set(Some("SysAdmin".into())),
        network_admin_of: Set(Some(network)),
        ..Default::default()
    };
    change(&app, &kim, operator).await;
    let client = app.client();
    sign_in(&client, "alder-ehr", name(&kim)).await.ok();
    let profile = client.get(PROFILE).await.ok();
    assert_eq!(profile["roles"], json!(["User"]), "no role of the platform");
    assert_eq!(profile["organizations"].as_array().expect("a list").len(), 1);
    client.get("/api/organizations?pageSize=10").await.problem(403);
    assert_eq!(profile["administerOfNetworkObjectId"], Value::Null, "no network either");
    assert_eq!(client.get("/api/networks").await.ok()["totalCount"], 0);
    client.get(&format!("/api/networks/{network}")).await.problem(403);
    let refused = client.post("/api/account/change", &json!({ "orgId": birch.id })).await.problem(409);
    assert!(refused["message"].as_str().expect("a text").contains("single sign-on"));
    assert_eq!(client.get(PROFILE).await.ok()["organizationId"], json!(alder.id));
    let authenticators = format!("/api/users/{}/authenticators?identityProof=InPerson", kim.id);
    client.delete(&authenticators).await.problem(409);
    let with_password = app.browser_of(&kim).await;
    with_password.post("/api/account/change", &json!({ "orgId": birch.id })).await.ok();
    with_password.delete(&authenticators).await.problem(409);

    let sessions = async |client: &Client| {
        let list = client.get("/api/account/sessions").await.ok();
        list["items"].as_array().expect("a list").iter().map(|s| s["id"].clone()).collect::<Vec<_>>()
    };
    let (all, theirs) = (sessions(&with_password).await, sessions(&client).await);
    assert_eq!((all.len(), theirs.len()), (2, 1), "a provider knows those of its own");
    let other = all.iter().find(|id| !theirs.contains(id)).and_then(Value::as_str).expect("the other one");
    let again = json!({ "password": testkit::PASSWORD });
    client.post(&format!("/api/account/sessions/{other}/end"), &again).await.problem(404);
    let version = with_password.get("/api/account/profile").await.ok()["version"].clone();
    let person = json!({ "firstName": "Kim", "lastName": "Taken", "version": version });
    for (path, form) in [("/api/account/profile", &person), ("/api/account/preferences", &json!({}))] {
        let refused = client.put(path, form).await.problem(409);
        assert!(refused["message"].as_str().expect("a text").contains("single sign-on"));
        with_password.put(path, form).await.ok();
    }
    for by_mail in
        [format!("/api/users/{}/enabletfa?code=1", kim.id), "/api/users/enabletokenauth?code=1".to_owned()]
    {
        let refused = client.get(&by_mail).await.problem(409);
        assert!(refused["message"].as_str().expect("a text").contains("single sign-on"), "{by_mail}");
    }
    end_all_by_code(&app, &client, &kim).await;
    client.get(PROFILE).await.problem(401);
    with_password.get(PROFILE).await.ok();
}

/// A person who signed in through a provider has no password and uses an e-mailed code instead.
async fn end_all_by_code(app: &TestApp, client: &Client, user: &User) {
    let path = "/api/account/sessions/end";
    let asked = client.post(path, &json!({})).await.problem(422);
    assert_eq!(asked["modelState"]["password"][0], "Please enter your password.");
    assert_eq!(client.get(&format!("/api/users/{}/sendcode", user.id)).await.status, 202);
    assert!(client.post(path, &json!({ "code": "12" })).await.problem(422)["modelState"]["code"].is_array());
    let code = newest(app, &user.user_name).await.code();
    assert_eq!(client.post(path, &json!({ "code": code })).await.status, 204);
}

#[tokio::test]
async fn disabled_people_and_people_who_left_are_refused() {
    let World { app, alder, admin, provider: _alive } = world(Db::sqlite()).await;
    let (kim, lee) = (app.user(Role::User, &alder).await, app.user(Role::User, &alder).await);
    for person in [&kim, &lee] {
        sign_in(&app.client(), "alder-ehr", name(person)).await.ok();
    }
    change(&app, &kim, app_user::ActiveModel { is_disabled: Set(true), ..Default::default() }).await;
    assert_eq!(sign_in(&app.client(), "alder-ehr", name(&kim)).await.problem(401)["message"], NO_ACCOUNT);
    let new = app.user(Role::User, &alder).await;
    for person in [&lee, &new] {
        admin.post(&format!("/api/users/{}/enable?enable=false", person.id), &json!({})).await;
        let refused = sign_in(&app.client(), "alder-ehr", name(person)).await.problem(401);
        assert_eq!(refused["message"], NO_ACCOUNT, "here, for now");
    }
    assert_eq!(audited(&app, event::SSO_LINKED).await, 2);
    let place = store::entities::membership::Entity::delete_by_id((lee.id, alder.id));
    place.exec(app.store.db()).await.expect("a leave");
    assert_eq!(sign_in(&app.client(), "alder-ehr", name(&lee)).await.problem(401)["message"], NO_ACCOUNT);
}

#[tokio::test]
async fn guesses_of_strangers_hold_up_nobody_who_comes_by_a_provider_and_stay_counted() {
    let World { app, alder, provider: _alive, .. } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    let guess = async || app.client().sign_in(&kim.user_name, "wrong").await.problem(401);
    guess().await;
    guess().await;
    sign_in(&app.client(), "alder-ehr", name(&kim)).await.ok();
    guess().await;
    sign_in(&app.client(), "alder-ehr", name(&kim)).await.ok();
    app.client().sign_in(&kim.user_name, testkit::PASSWORD).await.problem(401);
    app.advance(chrono::Duration::minutes(10));
    app.client().sign_in(&kim.user_name, testkit::PASSWORD).await.ok();
}

#[tokio::test]
async fn without_the_feature_nobody_signs_in_by_a_provider() {
    let World { app, alder, admin, provider: _alive } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    let client = app.client();
    let back = round_trip(&client, "alder-ehr", name(&kim)).await;
    let feature = organization_feature::Entity::delete_many();
    feature.exec(app.store.db()).await.expect("the feature is off");
    let none = begin(&client, "alder-ehr").await.problem(401);
    assert!(
        none["message"].as_str().expect("a text").starts_with("There is no single sign-on with this name.")
    );
    assert_eq!(begin(&client, "no-such").await.problem(401)["message"], none["message"]);
    assert_eq!(client.post(COMPLETE, &back).await.problem(401)["message"], none["message"]);
    admin.get(SETTINGS).await.problem(403);
    admin.put(SETTINGS, &json!({ "isEnabled": true })).await.problem(403);
}

#[tokio::test]
async fn a_connection_that_is_switched_off_or_changed_ends_its_sessions() {
    let World { app, provider, alder, admin } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    let with_password = app.browser_of(&kim).await;
    let client = app.client();
    sign_in(&client, "alder-ehr", name(&kim)).await.ok();
    let mut same = provider.connection("alder");
    same["clientSecret"] = Value::Null;
    same["version"] = json!(1);
    assert_eq!(admin.put(SETTINGS, &same).await.ok()["connection"]["hasClientSecret"], true);
    let outdated = admin.put(SETTINGS, &same).await.problem(409);
    assert_eq!(outdated["message"], "Somebody else has changed this connection since you opened it.");
    client.get(PROFILE).await.ok();
    sign_in(&client, "alder", name(&kim)).await.ok();
    let mut off = same.clone();
    off["isEnabled"] = json!(false);
    off["version"] = json!(2);
    admin.put(SETTINGS, &off).await.ok();
    client.get(PROFILE).await.problem(401);
    begin(&client, "alder").await.problem(401);
    same["version"] = json!(3);
    admin.put(SETTINGS, &same).await.ok();
    sign_in(&client, "alder", name(&kim)).await.ok();
    let mut other = same.clone();
    other["clientId"] = json!("public");
    other["version"] = json!(4);
    let changed = admin.put(SETTINGS, &other).await.ok();
    assert_eq!(changed["connection"]["hasClientSecret"], false, "another client has another secret");
    assert_eq!(changed["connection"]["linkedPeople"], 0);
    client.get(PROFILE).await.problem(401);
    sign_in(&client, "alder", name(&kim)).await.ok();
    admin.delete(SETTINGS).await;
    client.get(PROFILE).await.problem(401);
    with_password.get(PROFILE).await.ok();
    assert_eq!(admin.get(SETTINGS).await.ok()["connection"], Value::Null);
    admin.delete(SETTINGS).await.problem(404);
}

#[tokio::test]
async fn a_connection_that_changes_while_its_provider_is_asked_opens_no_session() {
    let World { app, mut provider, alder, .. } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    let row = sso_connection::Entity::find().one(app.store.db()).await.expect("a row").expect("one");
    let same = || sso_connection::ActiveModel { id: Set(row.id), ..Default::default() };
    for changed in [
        sso_connection::ActiveModel { is_enabled: Set(false), ..same() },
        sso_connection::ActiveModel { client_id: Set("public".into()), is_enabled: Set(true), ..same() },
    ] {
        let client = app.client();
        let back = round_trip(&client, "alder-ehr", name(&kim)).await;
        provider.hold();
        let change = async {
            let mut provider = provider.asked().await;
            changed.update(app.store.db()).await.expect("a change");
            provider.tell("go");
            provider
        };
        let (answer, same) = tokio::join!(client.post(COMPLETE, &back), change);
        provider = same;
        assert_eq!(answer.problem(401)["message"], ENDED);
        row.clone().into_active_model().reset_all().update(app.store.db()).await.expect("as before");
    }
    assert_eq!(audited(&app, event::SIGNED_IN).await, 1, "the administrator");
    sign_in(&app.client(), "alder-ehr", name(&kim)).await.ok();
}

#[tokio::test]
async fn who_loses_the_feature_is_signed_out() {
    let World { app, alder, provider: _alive, .. } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    let (client, with_password) = (app.client(), app.browser_of(&kim).await);
    sign_in(&client, "alder-ehr", name(&kim)).await.ok();
    let operator = app.signed_in(Role::SysAdmin, &alder).await;
    let path = format!("/api/organizations/{}", alder.id);
    let mut form = operator.get(&path).await.ok();
    for (field, kind, name) in [
        ("organizationTypeId", "organization_type", "Clinic"),
        ("organizationSpecialtyId", "organization_specialty", "Pediatrics"),
        ("hispProviderId", "hisp_provider", "Carepost Direct"),
    ] {
        form[field] = json!(app.listed(kind, name).await);
    }
    form["enabledFeatures"] = json!([FEATURE, "IntakeCdaViewer"]);
    form = operator.put(&path, &form).await.ok();
    client.get(PROFILE).await.ok();
    form["enabledFeatures"] = json!(["IntakeCdaViewer"]);
    operator.put(&path, &form).await.ok();
    client.get(PROFILE).await.problem(401);
    with_password.get(PROFILE).await.ok();
}

#[tokio::test]
async fn a_provider_that_does_not_answer_is_named() {
    let World { app, mut provider, alder, admin } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    let client = app.client();
    let back = round_trip(&client, "alder-ehr", name(&kim)).await;
    provider.stop();
    let text = "The sign-in provider of your organization does not answer. Please try again.";
    assert_eq!(begin(&client, "alder-ehr").await.problem(401)["message"], text);
    assert_eq!(client.post(COMPLETE, &back).await.problem(401)["message"], text);
    let refused = admin.put(SETTINGS, &provider.connection("alder-ehr")).await.problem(422);
    assert!(
        refused["modelState"]["issuer"][0]
            .as_str()
            .expect("a text")
            .starts_with("No sign-in provider was found")
    );
}

#[tokio::test]
async fn connections_are_for_administrators_and_checked() {
    let World { app, provider, alder, admin } = world(Db::sqlite()).await;
    let birch = app.organization("birch").await;
    app.enable(&birch, FEATURE).await;
    for role in [Role::User, Role::SysAdmin, Role::Reporting, Role::NetAdmin] {
        let other = app.signed_in(role, &alder).await;
        other.get(SETTINGS).await.problem(403);
        other.put(SETTINGS, &provider.connection("alder")).await.problem(403);
        other.delete(SETTINGS).await.problem(403);
    }
    let shown = admin.get(SETTINGS).await;
    assert!(!shown.text().contains(SECRET));
    let shown = shown.ok();
    assert_eq!(shown["redirectAddress"], format!("http://127.0.0.1:8080/callback/{}", alder.id));
    assert_eq!(shown["connection"]["signInAddress"], "http://127.0.0.1:8080/account/login/alder-ehr");
    let neighbour = app.signed_in(Role::Admin, &birch).await;
    assert_eq!(neighbour.get(SETTINGS).await.ok()["connection"], Value::Null);
    let taken = neighbour.put(SETTINGS, &provider.connection("alder-EHR")).await.problem(422);
    assert_eq!(taken["modelState"]["name"][0], "This name is already taken.");
    neighbour.delete(SETTINGS).await.problem(404);
    assert_eq!(admin.get(SETTINGS).await.ok()["connection"]["name"], "alder-ehr");
    let wrong = json!({
        "name": "x", "issuer": "here", "clientId": " ", "clientSecret": "s".repeat(300), "isEnabled": true,
    });
    let wrong = neighbour.put(SETTINGS, &wrong).await.problem(422);
    let mut fields: Vec<_> = wrong["modelState"].as_object().expect("fields").keys().cloned().collect();
    fields.sort();
    assert_eq!(fields, ["clientId", "clientSecret", "issuer", "name"]);
    let row = sso_connection::Entity::find().one(app.store.db()).await.expect("a row").expect("one");
    let sealed = row.sealed_secret.expect("a secret");
    assert!(!sealed.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "sealed at rest");
    assert_eq!(audited(&app, event::SSO_CHANGED).await, 1);
}

#[tokio::test]
async fn providers_in_private_networks_are_refused_unless_they_are_allowed() {
    let configure = |config: &mut Config| config.session.allow_private_sign_in = Some(false);
    let app = TestApp::start_with(
        Db::sqlite(),
        Options { configure: Some(Box::new(configure)), ..Options::default() },
    )
    .await;
    let alder = app.organization("alder").await;
    let provider = Provider::start(&app, &alder);
    app.enable(&alder, FEATURE).await;
    let admin = app.signed_in(Role::Admin, &alder).await;
    let refused = admin.put(SETTINGS, &provider.connection("alder")).await.problem(422);
    assert!(
        refused["modelState"]["issuer"][0].as_str().expect("a text").starts_with("Please enter the address")
    );
    let mut over_tls = provider.connection("alder");
    over_tls["issuer"] = json!(provider.issuer.replace("http:", "https:"));
    let refused = admin.put(SETTINGS, &over_tls).await.problem(422);
    assert!(
        refused["modelState"]["issuer"][0]
            .as_str()
            .expect("a text")
            .starts_with("No sign-in provider was found")
    );
}

/// An organization that requires a second step, and whose connection is saved with these additional fields.
async fn strict(more: Value) -> World {
    let world = world(Db::sqlite()).await;
    let settings = json!({ "security": { "requireSecondFactor": true } });
    let row =
        organization::ActiveModel { id: Set(world.alder.id), settings: Set(settings), ..Default::default() };
    row.update(world.app.store.db()).await.expect("settings");
    let mut connection = world.provider.connection("Alder-EHR");
    connection["version"] = json!(1);
    for (name, value) in more.as_object().expect("fields") {
        connection[name] = value.clone();
    }
    world.admin.put(SETTINGS, &connection).await.ok();
    world
}

/// Signs in at the provider with one of its methods; returns the outcome.
async fn sign_in_with(client: &Client, user: &User, how: &str) -> Value {
    let back = round_trip(client, "alder-ehr", &format!("{}+{how}", name(user))).await;
    client.post(COMPLETE, &back).await.ok()
}

/// Details of the newest sign-in in the audit trail.
async fn signed_in_by(app: &TestApp) -> Value {
    let rows = audit_entry::Entity::find().filter(audit_entry::Column::EventType.eq(event::SIGNED_IN));
    let rows = rows.all(app.store.db()).await.expect("entries");
    let newest = rows.into_iter().max_by_key(|row| row.seq).expect("an entry");
    serde_json::from_str(&newest.detail).expect("a detail")
}

#[tokio::test]
async fn a_second_step_is_asked_for_unless_the_provider_saw_several_factors() {
    let World { app, alder, provider: _alive, .. } = strict(json!({})).await;
    let kim = app.user(Role::User, &alder).await;
    let client = app.client();
    let asked = sign_in_with(&client, &kim, "password").await;
    assert_eq!((&asked["methods"], asked.get("accessToken")), (&json!(["email"]), None));
    assert_eq!(audited(&app, event::SIGNED_IN).await, 1, "the administrator");
    second_factor::send(&client, &asked).await.ok();
    second_factor::answer(&client, &asked, "email", "12").await.problem(422);
    let code = newest(&app, &kim.user_name).await.code();
    let tokens = second_factor::answer(&client, &asked, "email", &code).await.ok();
    client.set_token(tokens["accessToken"].as_str().expect("a token"));
    assert_eq!(client.get(PROFILE).await.ok()["authStrategy"], "sso", "confined as without the step");
    let factors = json!({ "factors": ["singleSignOn", "email"], "connection": "alder-ehr" });
    assert_eq!(signed_in_by(&app).await, factors);
    assert!(sign_in_with(&app.client(), &kim, "mfa").await["accessToken"].is_string());
    assert_eq!(signed_in_by(&app).await["factors"], json!(["singleSignOn"]));
}

#[tokio::test]
async fn a_person_with_a_second_factor_is_asked_for_it_after_single_sign_on() {
    let World { app, alder, provider: _alive, .. } = world(Db::sqlite()).await;
    let kim = app.user(Role::User, &alder).await;
    let (phone, _) = second_factor::set_up(&app, &app.browser_of(&kim).await).await;
    let client = app.client();
    let asked = sign_in_with(&client, &kim, "password").await;
    assert_eq!(asked["methods"], json!(["app", "recovery"]));
    second_factor::answer(&client, &asked, "app", &phone.code(&app, 0)).await.ok();
    assert!(sign_in_with(&app.client(), &kim, "mfa").await["accessToken"].is_string());
}

#[tokio::test]
async fn a_class_that_the_connection_names_stands_for_several_factors() {
    let more = json!({ "acrValues": " urn:example:gold  phr ", "maxAgeMinutes": 60 });
    let World { app, alder, admin, provider: _alive } = strict(more).await;
    let shown = admin.get(SETTINGS).await.ok()["connection"].clone();
    assert_eq!((&shown["acrValues"], &shown["maxAgeMinutes"]), (&json!("urn:example:gold phr"), &json!(60)));
    let kim = app.user(Role::User, &alder).await;
    let address = begin(&app.client(), "alder-ehr").await.ok()["address"].clone();
    let address = Url::parse(address.as_str().expect("an address")).expect("an address");
    let asked: HashMap<_, _> = address.query_pairs().into_owned().collect();
    assert_eq!((asked["acr_values"].as_str(), asked["max_age"].as_str()), ("urn:example:gold phr", "3600"));
    assert!(sign_in_with(&app.client(), &kim, "gold").await["accessToken"].is_string());
    assert_eq!(sign_in_with(&app.client(), &kim, "silver").await["methods"], json!(["email"]), "not named");
}

#[tokio::test]
async fn factors_that_were_shown_long_ago_do_not_count() {
    let World { app, alder, provider: _alive, .. } = strict(json!({ "maxAgeMinutes": 60 })).await;
    let kim = app.user(Role::User, &alder).await;
    assert_eq!(sign_in_with(&app.client(), &kim, "old").await["methods"], json!(["email"]));
    assert!(sign_in_with(&app.client(), &kim, "mfa").await["accessToken"].is_string());
    let lenient =
        organization::ActiveModel { id: Set(alder.id), settings: Set(json!({})), ..Default::default() };
    lenient.update(app.store.db()).await.expect("settings");
    let client = app.client();
    let back = round_trip(&client, "alder-ehr", &format!("{}+old", name(&kim))).await;
    let refused = client.post(COMPLETE, &back).await.problem(401);
    assert!(
        refused["message"].as_str().expect("a text").starts_with("Your sign-in at the provider is too old."),
        "{refused}"
    );
    assert!(sign_in_with(&app.client(), &kim, "password").await["accessToken"].is_string());
}

#[tokio::test]
async fn a_second_step_ends_with_the_connection_that_led_to_it() {
    let World { app, alder, admin, provider } = strict(json!({})).await;
    let kim = app.user(Role::User, &alder).await;
    let client = app.client();
    let asked = sign_in_with(&client, &kim, "password").await;
    second_factor::send(&client, &asked).await.ok();
    let code = newest(&app, &kim.user_name).await.code();
    let mut off = provider.connection("alder-ehr");
    (off["isEnabled"], off["version"]) = (json!(false), json!(2));
    admin.put(SETTINGS, &off).await.ok();
    let refused = second_factor::answer(&client, &asked, "email", &code).await.problem(401);
    assert_eq!(refused["message"], ENDED);
    let left = sign_in_challenge::Entity::find().count(app.store.db()).await.expect("a count");
    assert_eq!(left, 0);
}

#[tokio::test]
async fn what_a_provider_is_asked_for_is_checked() {
    let World { app, provider, admin, .. } = world(Db::sqlite()).await;
    let mut form = provider.connection("alder-ehr");
    (form["version"], form["acrValues"], form["maxAgeMinutes"]) = (json!(1), json!("göld"), json!(0));
    let wrong = admin.put(SETTINGS, &form).await.problem(422);
    assert!(wrong["modelState"]["acrValues"].is_array() && wrong["modelState"]["maxAgeMinutes"].is_array());
    app.finish().await;
}
