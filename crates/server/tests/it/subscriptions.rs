//! The subscription of an organization: plan, cancellation and return.

use chrono::Duration;
use console::subscriptions::chores;
use platform::{Config, Role, audit::event, config::Mode};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::{audit_entry, organization, plan, subscription};
use store::entities::{string_list::StringList, subscription::BillingStatus};
use testkit::{Client, Db, Options, Organization, Practice, TestApp};
use uuid::Uuid;

const SUBSCRIPTIONS: &str = "/api/subscriptionplans/subscriptions";
const CANCEL: &str = "/api/subscriptionplans/cancel";
const REACTIVATE: &str = "/api/subscriptionplans/reactivate";

async fn plan(app: &TestApp, name: &str, users: i32) -> Uuid {
    let id = Uuid::now_v7();
    let row = plan::ActiveModel {
        id: Set(id),
        name: Set(name.into()),
        name_key: Set(name.to_lowercase()),
        tier_code: Set(name.to_uppercase()),
        allowed_users: Set(users),
        restricted: Set(StringList::default()),
        reseller_id: Set(None),
        is_free: Set(false),
        is_retired: Set(false),
        version: Set(1),
    };
    plan::Entity::insert(row).exec_without_returning(app.store.db()).await.expect("a plan");
    id
}

async fn read(client: &Client, organization: &Organization) -> Value {
    client.get(&format!("{SUBSCRIPTIONS}?organizationId={}", organization.id)).await.ok()
}

async fn choose(client: &Client, organization: &Organization, plan: Option<Uuid>) -> testkit::Answer {
    client.post(SUBSCRIPTIONS, &json!({ "organizationId": organization.id, "planId": plan })).await
}

async fn profile(client: &Client) -> Value {
    client.get("/api/users/profiledata").await.ok()
}

async fn events(app: &TestApp, event: &str) -> u64 {
    let of = audit_entry::Entity::find().filter(audit_entry::Column::EventType.eq(event));
    of.count(app.store.db()).await.expect("a count")
}

/// SES-C-031 SES-C-032 SES-C-035
#[tokio::test]
async fn an_administrator_changes_the_plan_to_one_that_is_offered() {
    let app = TestApp::start(Db::sqlite()).await;
    let organization = app.organization("larkfield").await;
    let client = app.signed_in(Role::Admin, &organization).await;
    for _ in 0..4 {
        app.user(Role::User, &organization).await;
    }
    let (small, large) = (plan(&app, "Small", 2).await, plan(&app, "Large", -1).await);
    let shown = read(&client, &organization).await;
    assert_eq!((&shown["status"], &shown["plan"]["name"]), (&json!("Active"), &json!("Free")));
    assert_eq!(shown["numberOfUsers"], 5);
    let offered: Vec<_> =
        shown["offeredPlans"].as_array().expect("plans").iter().map(|p| &p["name"]).collect();
    assert_eq!(offered, ["Large"], "the others have no room for five people");

    let changed = choose(&client, &organization, Some(large)).await.ok();
    assert_eq!((&changed["plan"]["name"], &changed["planId"]), (&json!("Large"), &json!(large)));
    let reference = changed["subscriptionReference"].as_str().expect("a reference").to_owned();
    assert_eq!(profile(&client).await["subscriptionReference"], json!(reference));
    choose(&client, &organization, Some(large)).await.ok();
    assert_eq!(events(&app, event::SUBSCRIPTION_CHANGED).await, 1, "the same plan is no change");
    for refused in [Some(small), Some(Uuid::now_v7()), None] {
        let problem = choose(&client, &organization, refused).await.problem(422);
        assert!(problem["modelState"]["planId"].is_array(), "{problem}");
    }
    let billed = client.get(&format!("/api/subscriptionplans/fastspring/{reference}")).await.ok();
    assert_eq!((&billed["plan"]["name"], &billed["status"]), (&json!("Large"), &json!("Active")));
    app.finish().await;
}

/// A practice with an administrator and a subscription.
async fn subscribed(app: &TestApp) -> (Practice, Client, Uuid) {
    let practice = app.practice("larkfield").await;
    let admin = app.user(Role::Admin, &practice.organization).await;
    let client = app.browser_of(&admin).await;
    let large = plan(app, "Large", -1).await;
    choose(&client, &practice.organization, Some(large)).await.ok();
    (practice, client, large)
}

#[tokio::test]
async fn a_cancelled_organization_can_be_used_until_its_final_date_and_not_after_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let (practice, client, large) = subscribed(&app).await;
    let partner = app.practice("summit").await;
    for (reason, text) in [
        (String::new(), "Please tell us why you are leaving."),
        ("x".repeat(1001), "Please enter a valid value for this field."),
    ] {
        let problem = client.post(CANCEL, &json!({ "cancelReason": reason })).await.problem(422);
        assert_eq!(problem["modelState"]["cancelReason"], json!([text]));
    }
    let cancelled =
        client.post(CANCEL, &json!({ "cancelReason": "We merge <b>with</b> another practice" })).await.ok();
    assert_eq!(cancelled["status"], "GracePeriod");
    client.post(CANCEL, &json!({ "cancelReason": "Again" })).await.problem(409);
    choose(&client, &practice.organization, None).await.problem(409);
    let rows = subscription::Entity::find().all(app.store.db()).await.expect("subscriptions");
    assert!(rows[0].sealed_cancel_reason.as_ref().is_some_and(|s| !s.windows(5).any(|w| w == b"merge")));
    let seen = profile(&client).await;
    assert_eq!((&seen["orgIsInGracePeriod"], &seen["orgIsCancelled"]), (&json!(true), &json!(false)));
    assert_eq!(seen["gracePeriodEndDate"], cancelled["endDate"]);
    practice.client.post("/api/intake", &json!({})).await.ok();
    app.advance(Duration::days(30) - Duration::seconds(1));
    chores::end_grace(&app).await.expect("the chore");
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    assert_eq!(profile(&admin).await["orgIsCancelled"], false, "the last moment counts");

    app.advance(Duration::seconds(1));
    for _ in 0..2 {
        chores::end_grace(&app).await.expect("the chore");
    }
    assert_eq!(events(&app, event::SUBSCRIPTION_CANCELLED).await, 2, "cancelled once, ended once");
    let seen = profile(&admin).await;
    assert_eq!((&seen["orgIsInGracePeriod"], &seen["orgIsCancelled"]), (&json!(false), &json!(true)));
    let user = app.browser_of(&practice.user).await;
    for client in [&user, &admin] {
        let problem = client.post("/api/intake", &json!({})).await.problem(409);
        assert_eq!(problem["message"], "The subscription of your organization is cancelled.");
        client.get("/api/messages?isDraft=true").await.problem(409);
        client.put("/api/messages", &json!({ "subject": "x" })).await.problem(409);
        client.get(&format!("/api/messages/{}", Uuid::now_v7())).await.problem(409);
    }
    let parsed = direct::DirectAddress::parse(&practice.address).expect("an address");
    assert!(app.node.direct.hosted.mailbox(&parsed).await.expect("an answer").is_none(), "no mail is taken");
    let sender = app.browser_of(&partner.user).await;
    sender.post("/api/intake", &json!({})).await.ok();

    user.post(REACTIVATE, &json!({ "planId": large })).await.problem(403);
    admin.post(REACTIVATE, &json!({ "planId": Uuid::now_v7() })).await.problem(422);
    let back = admin.post(REACTIVATE, &json!({ "planId": large })).await.ok();
    assert_eq!((&back["status"], &back["endDate"]), (&json!("Active"), &json!(null)));
    user.post("/api/intake", &json!({})).await.ok();
    assert!(app.node.direct.hosted.mailbox(&parsed).await.expect("an answer").is_some());
    admin.post(REACTIVATE, &json!({ "planId": null })).await.ok();
    assert_eq!(events(&app, event::SUBSCRIPTION_REACTIVATED).await, 1, "what is active stays as it is");
    app.finish().await;
}

/// SES-C-034
#[tokio::test]
async fn a_cancellation_is_taken_back_by_an_administrator_or_an_operator() {
    let app = TestApp::start(Db::sqlite()).await;
    let (practice, client, large) = subscribed(&app).await;
    let id = practice.organization.id;
    client.post(CANCEL, &json!({ "cancelReason": "A mistake" })).await.ok();
    let kept = client.post(REACTIVATE, &json!({})).await.ok();
    assert_eq!((&kept["status"], &kept["planId"]), (&json!("Active"), &json!(large)), "the plan stays");

    client.post(CANCEL, &json!({ "cancelReason": "A mistake" })).await.ok();
    let ops = app.signed_in(Role::SysAdmin, &practice.organization).await;
    ops.post(&format!("/api/organizations/{id}/clearcancel"), &json!({})).await.ok();
    let row = organization::Entity::find_by_id(id).one(app.store.db()).await.expect("rows").expect("one");
    assert_eq!((row.grace_until, row.is_pending_cancellation), (None, false));
    let row = subscription::Entity::find().one(app.store.db()).await.expect("rows").expect("one");
    assert_eq!((row.status, row.ends_at, row.sealed_cancel_reason), (BillingStatus::Active, None, None));
    app.advance(Duration::days(31));
    chores::end_grace(&app).await.expect("the chore");
    let client = app.signed_in(Role::Admin, &practice.organization).await;
    assert_eq!(read(&client, &practice.organization).await["status"], "Active");

    let never = app.organization("bayline").await;
    let never_client = app.signed_in(Role::Admin, &never).await;
    let ends = organization::ActiveModel { id: Set(never.id), is_cancelled: Set(true), ..Default::default() };
    ends.update(app.store.db()).await.expect("an organization");
    assert_eq!(profile(&never_client).await["subscriptionReference"], json!(null));
    assert_eq!(
        never_client.post(REACTIVATE, &json!({})).await.ok()["status"],
        "Active",
        "without a plan, too"
    );
    app.finish().await;
}

/// SES-C-033 SES-R-341
#[tokio::test]
async fn why_an_organization_leaves_is_kept_for_operators_also_if_it_never_chose_a_plan() {
    let app = TestApp::start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    assert_eq!(read(&admin, &practice.organization).await["cancelReason"], json!(null));
    admin.post(CANCEL, &json!({ "cancelReason": "We close at the end of the year" })).await.ok();
    let ops = app.signed_in(Role::SysAdmin, &app.organization("operator").await).await;
    let seen = read(&ops, &practice.organization).await;
    assert_eq!(seen["cancelReason"], "We close at the end of the year");
    assert_eq!(seen["status"], "GracePeriod");
    let rows = subscription::Entity::find().all(app.store.db()).await.expect("subscriptions");
    assert!(rows[0].sealed_cancel_reason.as_ref().is_some_and(|s| !s.windows(5).any(|w| w == b"close")));

    admin.post(REACTIVATE, &json!({})).await.ok();
    assert_eq!(read(&ops, &practice.organization).await["cancelReason"], json!(null));
    app.finish().await;
}

#[tokio::test]
async fn subscriptions_are_for_the_administrators_of_their_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let (practice, client, large) = subscribed(&app).await;
    let own = read(&client, &practice.organization).await;
    let reference = own["subscriptionReference"].as_str().expect("a reference").to_owned();
    let stranger = app.organization("summit").await;
    let stranger = app.signed_in(Role::Admin, &stranger).await;
    let path = format!("{SUBSCRIPTIONS}?organizationId={}", practice.organization.id);
    stranger.get(&path).await.problem(404);
    stranger.get(&format!("/api/subscriptionplans/fastspring/{reference}")).await.problem(404);
    choose(&stranger, &practice.organization, Some(large)).await.problem(404);
    practice.client.get(&path).await.problem(403);
    practice.client.post(CANCEL, &json!({ "cancelReason": "x" })).await.problem(403);
    let ops = app.signed_in(Role::SysAdmin, &practice.organization).await;
    assert_eq!(read(&ops, &practice.organization).await["plan"]["name"], "Large");
    choose(&ops, &practice.organization, None).await.ok();
    assert_eq!(read(&client, &practice.organization).await["plan"]["name"], "Free");
    ops.get(&format!("{SUBSCRIPTIONS}?organizationId={}", Uuid::now_v7())).await.problem(404);
    assert_eq!(client.get(SUBSCRIPTIONS).await.ok()["organizationId"], json!(practice.organization.id));
    assert!(ops.get(SUBSCRIPTIONS).await.problem(422)["modelState"]["organizationId"].is_array());
    client.get("/api/subscriptionplans/fastspring/CPS-1234").await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn whoever_can_do_something_is_told_of_a_request_for_a_larger_plan() {
    let app = TestApp::start(Db::sqlite()).await;
    let organization = app.organization("larkfield").await;
    let (admin, user) =
        (app.user(Role::Admin, &organization).await, app.user(Role::User, &organization).await);
    let ops = app.user(Role::SysAdmin, &organization).await;
    let request = async |who: &testkit::User| {
        let client = app.browser_of(who).await;
        let said = client.post("/api/subscriptionplans/upgraderequest", &json!({})).await.ok();
        assert_eq!(said["message"], "Your plan upgrade request has been sent.");
        app.drain().await;
        let mails = app.client().get("/api/demo/emails").await.ok()["items"].clone();
        let mails = mails.as_array().expect("e-mails").iter().map(|m| m["toAddress"].clone());
        mails.collect::<Vec<_>>()
    };
    assert_eq!(request(&user).await, [json!(admin.user_name)], "a user asks the administrators");
    assert_eq!(request(&user).await.len(), 1, "once an hour is enough");
    app.advance(Duration::hours(1));
    let told = request(&admin).await;
    assert!(
        told.len() == 2 && told.contains(&json!(ops.user_name)),
        "an administrator asks the operator: {told:?}"
    );
    assert_eq!(events(&app, event::PLAN_UPGRADE_REQUESTED).await, 3);
    app.finish().await;
}

/// SES-S-044 SES-S-045
#[tokio::test]
async fn without_a_mail_server_the_operator_finds_the_request_on_a_list() {
    let configure = |config: &mut Config| {
        config.mode = Mode::Production;
        config.session.require_second_factor = Some(false);
    };
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let larkfield = app.organization("larkfield").await;
    let (request, list) = ("/api/subscriptionplans/upgraderequest", "/api/admin/upgraderequests");
    let user = app.signed_in(Role::User, &larkfield).await;
    let problem = user.post(request, &json!({})).await.problem(409);
    assert!(problem["message"].as_str().is_some_and(|text| text.contains("Please ask an administrator")));
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    for _ in 0..2 {
        let said = admin.post(request, &json!({})).await.ok();
        assert!(said["message"].as_str().is_some_and(|text| text.contains("does not send e-mail")), "{said}");
    }
    let ops = app.signed_in(Role::SysAdmin, &larkfield).await;
    let open = ops.get(list).await.ok();
    assert_eq!(
        (open["items"].as_array().map(Vec::len), &open["items"][0]["planName"]),
        (Some(1), &json!("Free"))
    );
    let path = format!("{list}/{}", larkfield.id);
    admin.delete(&path).await.problem(403);
    assert_eq!(ops.delete(&path).await.status, 204);
    ops.delete(&path).await.problem(404);
    assert_eq!(ops.get(list).await.ok(), json!({ "items": [] }));
    app.finish().await;
}
