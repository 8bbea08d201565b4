//! Limits of an organization: pages per day, calls per line, quiet hours, blocked numbers.

use crate::{
    fax::{LARKFIELD, SUMMIT, confirming, draft, fax, only_fax, pass_with_arrivals, two},
    support::*,
};
use chrono::Duration;
use serde_json::{Value, json};
use testkit::{Db, Practice, Role, TestApp};

testkit::on_both_databases! {
    a_line_makes_one_call_at_a_time_and_then_the_next,
}

async fn limit(app: &TestApp, practice: &Practice, settings: Value) {
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    let mut form = admin.get("/api/fax/settings").await.ok();
    form.as_object_mut().expect("settings").extend(settings.as_object().cloned().unwrap_or_default());
    admin.put("/api/fax/settings", &form).await.ok();
}

async fn pages_of(practice: &Practice, sent: &str) -> i64 {
    only_fax(practice, sent).await["pages"].as_i64().expect("pages")
}

#[tokio::test]
async fn what_is_over_the_pages_of_a_day_waits_for_the_next_day() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let first = fax(&larkfield, SUMMIT, "First").await;
    pass_with_arrivals(&app, Duration::minutes(1)).await;
    let pages = pages_of(&larkfield, &first).await;
    limit(&app, &larkfield, json!({ "pagesPerDay": pages + 1, "timeZone": "UTC" })).await;
    let second = fax(&larkfield, SUMMIT, "Second").await;
    pass(&app, Duration::minutes(1)).await;
    let waiting = only_fax(&larkfield, &second).await;
    assert_eq!(text(&waiting, "now"), "Your organization has reached its limit of fax pages for today.");
    let next = text(&waiting, "nextAt").to_owned();
    assert!(next.contains("T00:00:00"), "{next}");
    pass_with_arrivals(&app, Duration::hours(25)).await;
    larkfield.client.enter(&larkfield.user).await;
    assert_eq!(text(&only_fax(&larkfield, &second).await, "now"), "Delivered");
    app.finish().await;
}

#[tokio::test]
async fn a_fax_that_is_longer_than_a_days_pages_is_refused() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    limit(&app, &larkfield, json!({ "centsPerDay": 10, "centsPerPage": 7 })).await;
    let sent = fax(&larkfield, SUMMIT, "Long").await;
    pass(&app, Duration::minutes(1)).await;
    let pages = pages_of(&larkfield, &sent).await;
    let said = only_fax(&larkfield, &sent).await;
    assert_eq!(
        text(&said, "now"),
        format!("The fax has {pages} pages, but your organization can send only 1 per day.")
    );
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Failed");
    app.finish().await;
}

async fn a_line_makes_one_call_at_a_time_and_then_the_next(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, _, _) = two(&app).await;
    let first = fax(&larkfield, SUMMIT, "First").await;
    pass(&app, Duration::seconds(1)).await;
    let second = fax(&larkfield, SUMMIT, "Second").await;
    pass(&app, Duration::seconds(1)).await;
    assert_eq!(text(&only_fax(&larkfield, &first).await, "now"), "Dialling");
    assert_eq!(text(&only_fax(&larkfield, &second).await, "now"), "The line is in use by another fax.");
    pass_with_arrivals(&app, Duration::minutes(5)).await;
    let (first, second) = (only_fax(&larkfield, &first).await, only_fax(&larkfield, &second).await);
    assert_eq!((text(&first, "now"), text(&second, "now")), ("Delivered", "Delivered"));
    let time = |fax: &Value, field: &str| -> chrono::DateTime<chrono::Utc> {
        text(&fax["attempts"][0], field).parse().expect("a time")
    };
    let between = time(&second, "startedAt") - time(&first, "endedAt");
    assert!(between >= Duration::zero() && between < Duration::seconds(1), "the line is free for {between}");
    app.finish().await;
}

#[tokio::test]
async fn in_quiet_hours_a_fax_waits_until_they_end() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let time = |minutes: i64| (app.clock.now() + Duration::minutes(minutes)).format("%H:%M:00").to_string();
    limit(&app, &larkfield, json!({ "timeZone": "UTC", "quietFrom": time(-5), "quietUntil": time(30) }))
        .await;
    let sent = fax(&larkfield, SUMMIT, "Quiet").await;
    pass(&app, Duration::minutes(10)).await;
    larkfield.client.enter(&larkfield.user).await;
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Waiting for the end of quiet hours.");
    pass_with_arrivals(&app, Duration::minutes(25)).await;
    larkfield.client.enter(&larkfield.user).await;
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Delivered");
    app.finish().await;
}

#[tokio::test]
async fn nothing_is_sent_to_a_blocked_number() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let waiting = fax(&larkfield, SUMMIT, "Accepted before").await;
    limit(&app, &larkfield, json!({ "blockedNumbers": ["740-555-0120"] })).await;
    pass(&app, Duration::minutes(1)).await;
    let said = "Your organization has blocked this fax number.";
    assert_eq!(text(&only_fax(&larkfield, &waiting).await, "now"), said);
    let refused = draft(&larkfield, LARKFIELD, &[SUMMIT], "Refused").await;
    let path = format!("/api/messages/{refused}/send");
    let problem = larkfield.client.post(&path, &confirming(&[SUMMIT])).await.problem(422);
    assert_eq!(problem["modelState"]["toAddress"][0], format!("740-555-0120: {said}"));
    app.finish().await;
}
