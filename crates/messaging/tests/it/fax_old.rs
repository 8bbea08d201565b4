//! Retention of old faxes.

use crate::{
    fax::{BUSY, SUMMIT, fax, only_fax, outcomes, pass_with_arrivals, two},
    support::*,
};
use chrono::Duration;
use messaging::storage_sweep::sweep;
use sea_orm::EntityTrait;
use serde_json::json;
use store::entities::{fax_call, fax_job};
use testkit::{Db, TestApp};

#[tokio::test]
async fn pages_and_calls_go_after_a_month_and_the_history_stays() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let sent = fax(&larkfield, SUMMIT, "Visit note").await;
    pass_with_arrivals(&app, Duration::minutes(5)).await;
    let before = only_fax(&larkfield, &sent).await;
    let log = "/api/fax/log";
    let admin = app.signed_in(testkit::Role::Admin, &larkfield.organization).await;
    let logged = admin.get(log).await.ok();

    let left = async || {
        sweep(&app).await.expect("a sweep");
        let calls = fax_call::Entity::find().all(app.store.db()).await.expect("calls").len();
        let jobs = fax_job::Entity::find().all(app.store.db()).await.expect("faxes");
        (calls, jobs.iter().filter(|job| job.blob_id.is_some()).count())
    };
    assert_eq!(left().await, (1, 1), "they are at hand");
    pass(&app, Duration::days(29)).await;
    assert_eq!(left().await, (1, 1));
    pass(&app, Duration::days(2)).await;
    assert_eq!(left().await, (0, 0));

    larkfield.client.enter(&larkfield.user).await;
    assert_eq!(only_fax(&larkfield, &sent).await, before, "the page of the message shows what it showed");
    let admin = app.signed_in(testkit::Role::Admin, &larkfield.organization).await;
    assert_eq!(admin.get(log).await.ok(), logged, "and so does the log");
    app.finish().await;
}

#[tokio::test]
async fn a_fax_whose_pages_went_is_sent_again_with_new_ones() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let sent = fax(&larkfield, BUSY, "Busy").await;
    pass(&app, Duration::days(31)).await;
    sweep(&app).await.expect("a sweep");
    let jobs = fax_job::Entity::find().all(app.store.db()).await.expect("faxes");
    assert!(jobs.iter().all(|job| job.blob_id.is_none()));
    larkfield.client.enter(&larkfield.user).await;
    let failed = only_fax(&larkfield, &sent).await;
    let again = format!("/api/messages/{sent}/fax/{}/again", text(&failed, "deliveryId"));
    larkfield.client.post(&again, &json!({})).await.ok();
    // A fax in progress keeps its pages, regardless of the age of its message.
    app.drain().await;
    sweep(&app).await.expect("a sweep");
    pass(&app, Duration::minutes(40)).await;
    larkfield.client.enter(&larkfield.user).await;
    let fax = only_fax(&larkfield, &sent).await;
    assert_eq!(outcomes(&fax), ["Busy"; 8]);
    assert_eq!(fax["pages"], failed["pages"]);
    app.finish().await;
}
