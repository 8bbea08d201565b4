//! The dashboard of administrators.

use chrono::Duration;
use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, sea_query::Expr};
use serde_json::{Value, json};
use store::entities::{app_user, delivery, membership};
use testkit::{Db, TestApp};

testkit::on_both_databases! {
    the_dashboard_counts_messages_by_day_on_the_clock_of_its_reader,
    the_dashboard_counts_people_and_says_how_far_the_organization_is,
    operators_see_what_waits_what_failed_and_what_is_unread,
}

const DASHBOARD: &str = "/api/account/dashboard";

fn days(dashboard: &Value) -> Vec<(String, u64, u64)> {
    let days = dashboard["traffic"].as_array().expect("days").iter();
    days.map(|day| {
        let number = |name: &str| day[name].as_u64().expect("a number");
        (day["date"].as_str().expect("a date").to_owned(), number("received"), number("sent"))
    })
    .collect()
}

async fn the_dashboard_counts_messages_by_day_on_the_clock_of_its_reader(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    // The time is nine o'clock on November 20.
    summit.client.send_document(&summit.address, &[&larkfield.address], "One").await;
    app.drain().await;
    app.advance(Duration::days(1));
    for practice in [&larkfield, &summit] {
        practice.client.enter(&practice.user).await;
    }
    larkfield.client.draft(json!({ "subject": "Not sent" })).await;
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Two").await;
    summit.client.send_document(&summit.address, &[&larkfield.address], "Three").await;
    app.drain().await;
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let day = |date: &str, received, sent| (date.to_owned(), received, sent);
    let shown = days(&admin.get(&format!("{DASHBOARD}?days=3")).await.ok());
    assert_eq!(shown, [day("2026-11-19", 0, 0), day("2026-11-20", 1, 0), day("2026-11-21", 1, 1)]);
    // Ten hours to the west, it is still the day before.
    let west = days(&admin.get(&format!("{DASHBOARD}?days=2&utcOffset=-600")).await.ok());
    assert_eq!(west, [day("2026-11-19", 1, 0), day("2026-11-20", 1, 1)]);
    assert_eq!(days(&admin.get(DASHBOARD).await.ok()).len(), 14);
    for wrong in ["days=0", "days=32", "days=-1", "utcOffset=9999", "utcOffset=x"] {
        admin.get(&format!("{DASHBOARD}?{wrong}")).await.problem(400);
    }
    app.finish().await;
}

async fn the_dashboard_counts_people_and_says_how_far_the_organization_is(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.organization("larkfield").await;
    let (invited, disabled) =
        (app.user(Role::User, &larkfield).await, app.user(Role::User, &larkfield).await);
    let row = app_user::ActiveModel {
        id: Set(invited.id),
        password_hash: Set(String::new()),
        ..Default::default()
    };
    row.update(app.store.db()).await.expect("somebody who was invited");
    let row = membership::ActiveModel {
        user_id: Set(disabled.id),
        organization_id: Set(larkfield.id),
        is_disabled: Set(true),
        ..Default::default()
    };
    row.update(app.store.db()).await.expect("somebody who was disabled");
    let admin = app.signed_in(Role::Admin, &larkfield).await;
    let shown = admin.get(DASHBOARD).await.ok();
    assert_eq!(shown["users"], json!({ "active": 1, "invited": 1, "disabled": 1, "allowedUsers": 3 }));
    assert_eq!(shown["isActivated"], true);
    assert!(shown["termsAcceptedDate"].is_string() && shown["idProofedDate"].is_string());
    app.finish().await;
}

#[tokio::test]
async fn the_dashboard_is_for_administrators_and_about_their_own_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    summit.client.send_document(&summit.address, &[&larkfield.address], "One").await;
    app.drain().await;
    larkfield.client.get(DASHBOARD).await.problem(403);
    app.signed_in(Role::SysAdmin, &larkfield.organization).await.get(DASHBOARD).await.problem(403);
    let bayline = app.organization("bayline").await;
    let stranger = app.signed_in(Role::Admin, &bayline).await.get(DASHBOARD).await.ok();
    assert!(days(&stranger).iter().all(|(_, received, sent)| received + sent == 0));
    assert_eq!(stranger["users"]["active"], 1);
    app.finish().await;
}

/// SES-S-008
async fn operators_see_what_waits_what_failed_and_what_is_unread(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let reader = app.signed_in(Role::Reporting, &larkfield.organization).await;
    let health = async || reader.get("/api/admin/dashboard/messaging").await.ok();
    let idle = health().await;
    assert_eq!((&idle["waitingSteps"], &idle["isBehind"]), (&json!(0), &json!(false)));
    summit.client.send_document(&summit.address, &[&larkfield.address], "One").await;
    let sending = health().await;
    assert!(sending["waitingSteps"].as_u64() > Some(0) && sending["oldestWaitingDate"].is_string());
    app.advance(Duration::minutes(1));
    assert_eq!(health().await["isBehind"], true);
    app.drain().await;
    let sent = health().await;
    let number = |name: &str| sent[name].as_u64().expect("a number");
    assert_eq!((number("waitingSteps"), number("unopenedMails"), number("failedWorkflows")), (0, 0, 0));
    assert_eq!((number("messagesReceived"), number("unreadMessages")), (1, 1));
    delivery::Entity::update_many()
        .col_expr(delivery::Column::FailedAt, Expr::value(app.clock.now()))
        .exec(app.store.db())
        .await
        .expect("deliveries");
    assert_eq!(health().await["failedDeliveries"], 1);
    larkfield.client.get("/api/admin/dashboard/messaging").await.problem(403);
    app.finish().await;
}
