//! The profile that people get after signing in.

use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::{Value, json};
use store::entities::string_list::StringList;
use store::entities::{app_user, organization, plan};
use testkit::{Db, Organization, PASSWORD, TestApp};
use uuid::Uuid;

const PROFILE: &str = "/api/users/profiledata";

/// SES-C-006, SES-R-323
#[tokio::test]
async fn the_profile_says_who_somebody_is_and_where_they_work() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.organization("larkfield").await, app.organization("summit").await);
    app.organization("bayline").await;
    let user = app.user(Role::Admin, &larkfield).await;
    app.join(user.id, &summit, "User").await;
    let profile = app.browser_of(&user).await.get(PROFILE).await.ok();
    let expected = [
        ("userId", json!(user.id)),
        ("userName", json!(user.user_name)),
        ("roles", json!(["Administrator"])),
        ("organizationId", json!(larkfield.id)),
        ("organizationName", json!("larkfield practice")),
        ("isAdmin", json!(true)),
        ("isNetworkAdmin", json!(false)),
        ("administerOfNetworkObjectId", Value::Null),
        ("authStrategy", json!("password")),
        ("intercomAppId", Value::Null),
        ("intercomUserHash", Value::Null),
    ];
    for (field, value) in expected {
        assert_eq!(profile[field], value, "{field}");
    }
    let of = |o: &Organization| json!({ "id": o.id, "name": format!("{} practice", o.sub_domain), "subDomain": o.sub_domain });
    let mut both = profile["organizations"].as_array().expect("organizations").clone();
    both.sort_by_key(|o| o["name"].to_string());
    assert_eq!(both, [of(&larkfield), of(&summit)], "and none of others");
    let told = [
        "fullName",
        "orgIsAcceptedEULA",
        "orgIsIdProofed",
        "idProofedAttemptDate",
        "resellerBypassTos",
        "orgIsActivated",
        "orgIsCancelled",
        "orgIsInGracePeriod",
        "subscriptionReference",
        "brandId",
        "uiResources",
    ];
    let profile = profile.as_object().expect("a profile");
    for field in told {
        assert!(profile.contains_key(field), "{field}");
    }
    app.finish().await;
}

/// SES-R-009, SES-R-010
#[tokio::test]
async fn the_domain_is_the_subdomain_under_direct_of_the_host() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let profile = app.signed_in(Role::User, &larkfield).await.get(PROFILE).await.ok();
    let host = profile["host"].as_str().expect("a host");
    assert_eq!(profile["domain"], json!(format!("larkfield.direct.{host}")));
    app.finish().await;
}

/// SES-R-005, SES-R-007
#[tokio::test]
async fn each_kind_of_person_has_its_own_roles() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    for (role, name) in [
        (Role::User, "User"),
        (Role::Admin, "Administrator"),
        (Role::SysAdmin, "SysAdmin"),
        (Role::Reporting, "SysAdminReporting"),
    ] {
        let profile = app.signed_in(role, &larkfield).await.get(PROFILE).await.ok();
        assert_eq!(profile["roles"], json!([name]));
        assert_eq!(profile["isAdmin"], json!(role == Role::Admin), "{name}");
        assert_eq!(profile["isNetworkAdmin"], json!(false), "{name}");
    }
    let profile = app.signed_in(Role::NetAdmin, &larkfield).await.get(PROFILE).await.ok();
    assert_eq!(profile["isNetworkAdmin"], json!(true));
    assert!(profile["administerOfNetworkObjectId"].is_string());
    app.finish().await;
}

/// SES-R-114
#[tokio::test]
async fn the_status_of_an_organization_is_active_or_in_grace_or_cancelled() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let until = app.clock.now() + chrono::Duration::days(10);
    for (is_cancelled, grace_until, told) in [
        (false, None, (false, false, false)),
        (false, Some(until), (false, true, true)),
        (true, Some(until), (true, false, false)),
        (true, None, (true, false, false)),
    ] {
        let row = organization::ActiveModel {
            id: Set(larkfield.id),
            is_cancelled: Set(is_cancelled),
            grace_until: Set(grace_until),
            ..Default::default()
        };
        row.update(app.store.db()).await.expect("an organization");
        let profile = client.get(PROFILE).await.ok();
        let seen = (
            profile["orgIsCancelled"] == true,
            profile["orgIsInGracePeriod"] == true,
            profile["gracePeriodEndDate"].is_string(),
        );
        assert_eq!(seen, told);
    }
    app.finish().await;
}

/// SES-R-305
#[tokio::test]
async fn what_the_plan_lacks_stands_with_its_resources() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.organization("larkfield").await, app.organization("summit").await);
    let id = Uuid::now_v7();
    let row = plan::ActiveModel {
        id: Set(id),
        name: Set("Small".into()),
        name_key: Set("small".into()),
        tier_code: Set("X".into()),
        allowed_users: Set(3),
        restricted: Set(StringList::from_iter(["reply", "triage"])),
        reseller_id: Set(None),
        is_free: Set(false),
        is_retired: Set(false),
        version: Set(1),
    };
    row.insert(app.store.db()).await.expect("a plan");
    let on_plan =
        organization::ActiveModel { id: Set(larkfield.id), plan_id: Set(Some(id)), ..Default::default() };
    on_plan.update(app.store.db()).await.expect("an organization");
    let asks = json!(["plan-upgrade-prompt"]);
    let profile = app.signed_in(Role::User, &larkfield).await.get(PROFILE).await.ok();
    assert_eq!(profile["uiResources"], json!({ "reply": asks, "triage": asks }));
    let profile = app.signed_in(Role::User, &summit).await.get(PROFILE).await.ok();
    assert_eq!(profile["uiResources"], json!({}));
    app.finish().await;
}

/// SES-C-007, SES-C-008
#[tokio::test]
async fn preferences_and_the_own_address_are_told_to_their_owner() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let (user, other) = (app.user(Role::User, &larkfield).await, app.user(Role::User, &larkfield).await);
    let kept = json!({ "density": "compact" });
    let row =
        app_user::ActiveModel { id: Set(user.id), preferences: Set(kept.clone()), ..Default::default() };
    row.update(app.store.db()).await.expect("a user");
    let client = app.browser_of(&user).await;
    let mut current = client.get("/api/users/current").await.ok();
    let preferences = current.as_object_mut().and_then(|c| c.remove("userPreferences"));
    assert_eq!(preferences, Some(kept));
    assert_eq!(current, client.get(PROFILE).await.ok(), "the profile besides");
    let others = app.browser_of(&other).await.get("/api/users/current").await.ok();
    assert_ne!(others["userPreferences"], json!({ "density": "compact" }));
    assert_eq!(client.get("/api/users/ipaddress").await.ok(), json!({ "ipAddress": "127.0.0.1" }));
    app.finish().await;
}

#[tokio::test]
async fn whoever_is_not_signed_in_is_told_nothing() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.client();
    client.sign_in(&user.user_name, PASSWORD).await.ok();
    client.post("/api/account/logout", &json!({})).await.ok();
    for path in [PROFILE, "/api/users/current", "/api/users/ipaddress"] {
        client.get(path).await.problem(401);
        app.client().get(path).await.problem(401);
    }
    app.finish().await;
}

#[tokio::test]
async fn a_profile_that_was_changed_in_another_window_is_not_saved_over_unseen() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let path = "/api/account/profile";
    let mut form = client.get(path).await.ok();
    form["lastName"] = json!("Nandakumar");
    let saved = client.put(path, &form).await.ok();
    form["lastName"] = json!("Nanda");
    let why = client.put(path, &form).await.problem(409);
    assert_eq!(why["reason"], "Changed in the meantime.");
    assert_eq!(client.put(path, &saved).await.ok()["lastName"], "Nandakumar");
    app.finish().await;
}

#[tokio::test]
async fn two_windows_change_different_preferences_and_both_changes_stay() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let path = "/api/account/preferences";
    client.put(path, &json!({ "emailNewMessages": true })).await.ok();
    client.put(path, &json!({ "emailUnassignedMessages": true })).await.ok();
    let kept = client.get(path).await.ok();
    assert_eq!((&kept["emailNewMessages"], &kept["emailUnassignedMessages"]), (&json!(true), &json!(true)));
    app.finish().await;
}

/// SES-R-020 SES-S-024
#[tokio::test]
async fn how_a_person_likes_a_screen_is_kept_for_every_browser() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.browser_of(&user).await;
    let path = |name: &str| format!("/api/account/preferences/screens/{name}");
    client.put(&path("intakePageSize"), &json!({ "value": 50 })).await.ok();
    client.put(&path("panes"), &json!({ "value": [1, 2] })).await.ok();
    client.put(&path("panes"), &json!({ "value": null })).await.ok();
    client.put("/api/account/preferences", &json!({ "emailNewMessages": true })).await.ok();
    let current = app.browser_of(&user).await.get("/api/users/current").await.ok();
    assert_eq!(current["userPreferences"]["screens"], json!({ "intakePageSize": 50 }));
    assert_eq!(current["userPreferences"]["emailNewMessages"], true);
    for (name, value) in [("a-b", json!(1)), ("big", json!("x".repeat(2001)))] {
        client.put(&path(name), &json!({ "value": value })).await.problem(422);
    }
    app.finish().await;
}
