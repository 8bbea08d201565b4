//! Signing in, sessions, and signing out.

use chrono::Duration;
use platform::{Config, Role, audit::event, error::REVOKED, session};
use reqwest::{Method, header};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::json;
use store::entities::{app_user, audit_entry, known_browser, membership, organization};
use testkit::{Client, Db, Options, PASSWORD, TestApp};

testkit::on_both_databases! {
    each_of_many_guesses_at_once_is_counted,
    two_tabs_may_renew_at_the_same_moment_and_an_answer_may_be_lost,
}

const PROFILE: &str = "/api/users/profiledata";

#[tokio::test]
async fn who_signs_in_gets_a_token_and_a_cookie_that_scripts_cannot_read() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::Admin, &larkfield).await;
    let client = app.client();
    let answer = client.sign_in(&user.user_name.to_uppercase(), PASSWORD).await;
    let cookie = answer.header("set-cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.ok()["expiresIn"], 600);
    let profile = client.get(PROFILE).await.ok();
    assert_eq!(profile["roles"], json!(["Administrator"]));
    assert_eq!(profile["organizationId"], json!(larkfield.id));
    assert_eq!(profile["domain"], "larkfield.direct.carepost.example");
    app.finish().await;
}

#[tokio::test]
async fn a_wrong_name_and_a_wrong_password_get_the_same_answer() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let wrong_name = app.client().sign_in("nobody@carepost.example", PASSWORD).await.problem(401);
    let wrong_password = app.client().sign_in(&user.user_name, "something else").await.problem(401);
    assert_eq!(wrong_name, wrong_password);
    assert_eq!(wrong_name, app.client().sign_in("\0", PASSWORD).await.problem(401), "no name at all");
    assert!(wrong_name.get("reason").is_none(), "a refused sign-in is no log-off: {wrong_name}");
    app.finish().await;
}

#[tokio::test]
async fn three_failures_lock_the_account_for_ten_minutes() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    for _ in 0..3 {
        app.client().sign_in(&user.user_name, "wrong").await.problem(401);
    }
    app.client().sign_in(&user.user_name, PASSWORD).await.problem(401);
    app.advance(Duration::minutes(10) - Duration::seconds(1));
    app.client().sign_in(&user.user_name, PASSWORD).await.problem(401);
    app.advance(Duration::seconds(1));
    app.client().sign_in(&user.user_name, PASSWORD).await.ok();
    app.finish().await;
}

/// MSG-R-026
#[tokio::test]
async fn strangers_lock_nobody_out_of_a_browser_that_they_used_before() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let (user, colleague) = (app.user(Role::User, &larkfield).await, app.user(Role::User, &larkfield).await);
    let own = app.browser_of(&user).await;
    own.post("/api/account/logout", &json!({})).await.ok();
    own.enter(&colleague).await;
    let lock = async |from: &Client| {
        for _ in 0..3 {
            from.sign_in(&user.user_name, "wrong").await.problem(401);
        }
    };
    lock(&app.client()).await;
    app.client().sign_in(&user.user_name, PASSWORD).await.problem(401);
    own.sign_in(&user.user_name, PASSWORD).await.ok();
    app.client().sign_in(&user.user_name, PASSWORD).await.problem(401);
    lock(&own).await;
    own.sign_in(&user.user_name, PASSWORD).await.problem(401);
    own.enter(&colleague).await;
    app.advance(Duration::minutes(10));
    own.enter(&user).await;
    app.finish().await;
}

#[tokio::test]
async fn a_browser_is_known_to_the_people_who_used_it_and_until_its_session_is_ended_by_force() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let (user, stranger) = (app.user(Role::User, &larkfield).await, app.user(Role::User, &larkfield).await);
    let known = async |user: &testkit::User| {
        let rows = known_browser::Entity::find().filter(known_browser::Column::UserId.eq(user.id));
        rows.count(app.store.db()).await.expect("a count")
    };
    let own = app.browser_of(&user).await;
    let planted = "carepost-browser=planted".to_owned();
    let body = json!({ "userName": stranger.user_name, "password": PASSWORD });
    let request = app.client();
    let request =
        (request.request(Method::POST, "/api/account/login").header(header::COOKIE, planted), request);
    let answer = request.1.send(request.0.json(&body)).await;
    let cookies: Vec<_> =
        answer.headers.get_all("set-cookie").iter().map(|c| c.to_str().expect("text")).collect();
    let cookie =
        cookies.iter().find(|c| c.starts_with("carepost-browser=")).expect("a cookie of the browser");
    assert!(!cookie.contains("planted") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    for _ in 0..11 {
        app.advance(Duration::seconds(1));
        app.browser_of(&user).await;
    }
    assert_eq!((known(&user).await, known(&stranger).await), (10, 1));
    let last = app.browser_of(&user).await;
    own.get(PROFILE).await.ok();
    last.post("/api/account/sessions/end", &json!({ "password": PASSWORD })).await.ok();
    assert_eq!((known(&user).await, known(&stranger).await), (0, 1));
    app.advance(Duration::days(366));
    accounts::sign_in::chores::purge(&app).await.expect("a purge");
    assert_eq!(known(&stranger).await, 0);
    app.finish().await;
}

#[tokio::test]
async fn a_success_forgets_earlier_failures() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    for _ in 0..2 {
        app.client().sign_in(&user.user_name, "wrong").await.problem(401);
        app.client().sign_in(&user.user_name, "wrong").await.problem(401);
        app.client().sign_in(&user.user_name, PASSWORD).await.ok();
    }
    app.finish().await;
}

async fn each_of_many_guesses_at_once_is_counted(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.client();
    futures::future::join_all((0..3).map(|_| client.sign_in(&user.user_name, "wrong"))).await;
    client.sign_in(&user.user_name, PASSWORD).await.problem(401);
    app.finish().await;
}

#[tokio::test]
async fn renewal_rotates_the_cookie() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.client();
    let first = Client::cookie_of(&client.sign_in(&user.user_name, PASSWORD).await);
    let old_token = client.token();
    let answer = client.renew().await;
    assert_ne!(Client::cookie_of(&answer), first);
    assert_ne!(client.token(), old_token);
    client.get(PROFILE).await.ok();
    client.renew().await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_used_cookie_that_comes_back_later_ends_the_session() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.client();
    let stolen = Client::cookie_of(&client.sign_in(&user.user_name, PASSWORD).await);
    client.renew().await.ok();
    app.advance(Duration::seconds(11));
    let thief = app.client();
    let request = thief.request(Method::POST, "/api/account/renew").header(header::COOKIE, stolen);
    thief.send(request).await.problem(401);
    assert_eq!(client.get(PROFILE).await.problem(401)["reason"], REVOKED);
    client.renew().await.problem(401);
    app.finish().await;
}

#[tokio::test]
async fn a_cookie_that_is_used_twice_at_once_does_not_serve_two() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.client();
    let stolen = Client::cookie_of(&client.sign_in(&user.user_name, PASSWORD).await);
    let renew = async |cookie: String| {
        let thief = app.client();
        thief.send(thief.request(Method::POST, "/api/account/renew").header(header::COOKIE, cookie)).await
    };
    client.renew().await.ok();
    app.advance(Duration::seconds(5));
    let answer = renew(stolen).await;
    let next = Client::cookie_of(&answer);
    answer.ok();
    app.advance(Duration::seconds(6));
    let owned = Client::cookie_of(&client.renew().await);
    assert_ne!(owned, next);
    app.advance(Duration::seconds(11));
    renew(next).await.problem(401);
    client.get(PROFILE).await.problem(401);
    app.finish().await;
}

async fn two_tabs_may_renew_at_the_same_moment_and_an_answer_may_be_lost(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.client();
    let shared = Client::cookie_of(&client.sign_in(&user.user_name, PASSWORD).await);
    client.renew().await.ok();
    app.advance(Duration::seconds(3));
    let tab = app.client();
    let request = tab.request(Method::POST, "/api/account/renew").header(header::COOKIE, shared);
    let answer = tab.send(request).await;
    tab.set_token(answer.ok()["accessToken"].as_str().expect("a token"));
    tab.get(PROFILE).await.ok();
    app.advance(Duration::minutes(10));
    for browser in [&tab, &client] {
        browser.renew().await.ok();
        browser.get(PROFILE).await.ok();
    }
    app.finish().await;
}

#[tokio::test]
async fn signing_out_ends_every_token_of_the_session() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let old_token = client.token();
    client.renew().await.ok();
    client.post("/api/account/logout", &json!({})).await.ok();
    for token in [client.token(), old_token] {
        client.set_token(&token);
        assert_eq!(client.get(PROFILE).await.problem(401)["reason"], "Token revoked or expired.");
    }
    client.renew().await.problem(401);
    app.finish().await;
}

#[tokio::test]
async fn fifteen_minutes_without_activity_end_the_session() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    app.advance(Duration::minutes(15));
    client.renew().await.ok();
    app.advance(Duration::minutes(15) + Duration::seconds(1));
    client.renew().await.problem(401);
    app.finish().await;
}

#[tokio::test]
async fn activity_keeps_the_session_until_its_absolute_end() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let until = app.clock.now() + Duration::hours(12);
    while app.clock.now() < until - Duration::minutes(14) {
        app.advance(Duration::minutes(14));
        client.renew().await.ok();
        client.get(PROFILE).await.ok();
    }
    app.advance(until - app.clock.now() - Duration::seconds(1));
    client.renew().await.ok();
    app.advance(Duration::seconds(1));
    client.renew().await.problem(401);
    client.get(PROFILE).await.problem(401);
    app.finish().await;
}

#[tokio::test]
async fn a_change_of_role_takes_effect_on_the_next_request() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::Admin, &larkfield).await;
    let client = app.browser_of(&user).await;
    membership::ActiveModel {
        user_id: Set(user.id),
        organization_id: Set(larkfield.id),
        role: Set(session::ROLE_USER.into()),
        ..Default::default()
    }
    .update(app.store.db())
    .await
    .expect("a changed role");
    assert_eq!(client.get(PROFILE).await.ok()["roles"], json!(["User"]));
    app.finish().await;
}

#[tokio::test]
async fn a_disabled_user_is_out_at_once() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.browser_of(&user).await;
    app_user::ActiveModel { id: Set(user.id), is_disabled: Set(true), ..Default::default() }
        .update(app.store.db())
        .await
        .expect("a disabled user");
    client.get(PROFILE).await.problem(401);
    client.renew().await.problem(401);
    app.client().sign_in(&user.user_name, PASSWORD).await.problem(401);
    app.finish().await;
}

#[tokio::test]
async fn a_disabled_organization_is_closed_at_once() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    organization::ActiveModel { id: Set(larkfield.id), is_enabled: Set(false), ..Default::default() }
        .update(app.store.db())
        .await
        .expect("a disabled organization");
    client.get(PROFILE).await.problem(401);
    app.finish().await;
}

/// SES-C-009
#[tokio::test]
async fn switching_the_organization_keeps_the_token() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.organization("larkfield").await, app.organization("summit").await);
    let user = app.user(Role::Admin, &larkfield).await;
    app.join(user.id, &summit, session::ROLE_USER).await;
    let client = app.browser_of(&user).await;
    let switched = client.post("/api/account/change", &json!({ "orgId": summit.id })).await.ok();
    assert_eq!(switched, json!({ "data": true }));
    let profile = client.get(PROFILE).await.ok();
    assert_eq!(profile["organizationId"], json!(summit.id));
    assert_eq!(profile["roles"], json!(["User"]));
    let again = app.browser_of(&user).await;
    assert_eq!(
        again.get(PROFILE).await.ok()["organizationId"],
        json!(summit.id),
        "the last one is remembered"
    );
    app.finish().await;
}

#[tokio::test]
async fn nobody_switches_to_an_organization_of_others() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.organization("larkfield").await, app.organization("summit").await);
    let client = app.signed_in(Role::Admin, &larkfield).await;
    let answer = client.post("/api/account/change", &json!({ "orgId": summit.id })).await.ok();
    assert_eq!(answer, json!({ "data": null }));
    assert_eq!(client.get(PROFILE).await.ok()["organizationId"], json!(larkfield.id));
    app.finish().await;
}

#[tokio::test]
async fn a_request_from_another_site_cannot_use_the_cookie() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    for path in ["/api/account/renew", "/api/account/logout"] {
        let request = client.request(Method::POST, path).header("sec-fetch-site", "cross-site");
        client.send(request).await.problem(403);
    }
    client.get(PROFILE).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_sign_in_ends_the_session_that_the_browser_still_had() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let (user, other) = (app.user(Role::User, &larkfield).await, app.user(Role::User, &larkfield).await);
    let (client, elsewhere) = (app.browser_of(&user).await, app.browser_of(&user).await);
    let (before, same_person) = (app.client(), app.client());
    before.set_token(&client.token());
    client.sign_in(&user.user_name, "wrong").await.problem(401);
    before.get(PROFILE).await.ok();
    client.enter(&user).await;
    before.get(PROFILE).await.problem(401);
    same_person.set_token(&client.token());
    client.enter(&other).await;
    same_person.get(PROFILE).await.problem(401);
    client.renew().await.ok();
    assert_eq!(client.get(PROFILE).await.ok()["userId"], json!(other.id));
    elsewhere.get(PROFILE).await.ok();
    let ended = audit_entry::Entity::find()
        .filter(audit_entry::Column::EventType.eq(event::SIGNED_OUT))
        .filter(audit_entry::Column::ActorId.eq(user.id));
    assert_eq!(ended.count(app.store.db()).await.expect("a count"), 2);
    app.finish().await;
}

#[tokio::test]
async fn the_trail_names_the_factors_and_attempts_with_unknown_names_without_them() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    app.signed_in(Role::User, &larkfield).await;
    app.client().sign_in("priya.nandakumar@nowhere.example", PASSWORD).await.problem(401);
    let entries = audit_entry::Entity::find().all(app.store.db()).await.expect("the trail");
    let of = |what: &str| entries.iter().find(|entry| entry.event_type == what).expect("an entry");
    assert_eq!(of(event::SIGNED_IN).detail, r#"{"factors":["password"]}"#);
    let nobody = of(event::SIGN_IN_FAILED);
    assert_eq!((nobody.actor_id, nobody.source_ip.as_str()), (None, "127.0.0.1"));
    assert_eq!(nobody.detail, r#"{"why":"unknown user name"}"#);
    app.finish().await;
}

#[tokio::test]
async fn sign_ins_and_failures_are_audited() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    for _ in 0..3 {
        app.client().sign_in(&user.user_name, "wrong").await.problem(401);
    }
    app.advance(Duration::minutes(10));
    let client = app.browser_of(&user).await;
    client.post("/api/account/logout", &json!({})).await.ok();
    for (what, times) in [
        (event::SIGN_IN_FAILED, 2),
        (event::ACCOUNT_LOCKED, 1),
        (event::SIGNED_IN, 1),
        (event::SIGNED_OUT, 1),
    ] {
        let entries = audit_entry::Entity::find()
            .filter(audit_entry::Column::EventType.eq(what))
            .filter(audit_entry::Column::ActorId.eq(user.id))
            .filter(audit_entry::Column::SourceIp.eq("127.0.0.1"));
        assert_eq!(entries.count(app.store.db()).await.expect("a count"), times, "{what}");
    }
    app.finish().await;
}

#[tokio::test]
async fn too_many_attempts_from_one_address_are_turned_away() {
    let app = TestApp::start(Db::sqlite()).await;
    let client = app.client();
    let mut answers = Vec::new();
    for _ in 0..61 {
        // Without a password nothing is hashed, which keeps the test fast.
        answers.push(client.sign_in("somebody", "").await.status.as_u16());
    }
    assert_eq!(answers.iter().filter(|status| **status == 422).count(), 60);
    assert_eq!(answers.last(), Some(&429));
    app.advance(Duration::seconds(1));
    assert_eq!(client.sign_in("somebody", "").await.status, 422);
    app.finish().await;
}

#[tokio::test]
async fn behind_a_trusted_proxy_the_caller_is_named_and_limited() {
    let configure = |config: &mut Config| {
        config.http.trusted_proxies = vec!["127.0.0.0/8".to_owned().try_into().expect("a network")];
    };
    let app = TestApp::start_with(
        Db::sqlite(),
        Options { configure: Some(Box::new(configure)), ..Options::default() },
    )
    .await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let request = client.request(Method::GET, "/api/users/ipaddress");
    let seen = client.send(request.header("x-forwarded-for", "203.0.113.9, 198.51.100.1")).await.ok();
    assert_eq!(seen["ipAddress"], "198.51.100.1");

    let client = app.client();
    let attempt = async |from: &'static str| {
        let wrong = json!({ "userName": "nobody@carepost.example", "password": "wrong" });
        let request = client.request(Method::POST, "/api/account/login").json(&wrong);
        client.send(request.header("x-forwarded-for", from)).await.status.as_u16()
    };
    let mut last = 0;
    for _ in 0..61 {
        last = attempt("192.0.2.1").await;
    }
    assert_eq!(last, 429, "this caller has had enough attempts");
    assert_eq!(attempt("192.0.2.2").await, 401, "others still have theirs");
    app.finish().await;
}
