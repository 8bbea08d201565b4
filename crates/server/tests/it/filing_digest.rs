//! The daily e-mail about what intake rules filed into charts.

use crate::inbox::mails;
use chrono::{DateTime, Duration, Timelike, Utc};
use messaging::charts::by_rule::digest::tell_due;
use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use store::entities::{
    chart_filing::{self, FilingState},
    filing_refusal,
    integration::IntegrationType,
    message,
};
use testkit::{Db, Practice, TestApp};
use uuid::Uuid;

testkit::on_both_databases! {
    administrators_are_told_once_what_rules_filed_the_day_before,
}

async fn received(app: &TestApp, from: &Practice, to: &Practice) -> message::Model {
    from.client.enter(&from.user).await;
    from.client.send_document(&from.address, &[&to.address], "Quinquennial xylophone survey").await;
    app.drain().await;
    let of = message::Column::OrganizationId.eq(to.organization.id);
    let rows = message::Entity::find().filter(of).all(app.store.db()).await.expect("messages");
    rows.into_iter().max_by_key(|row| row.id).expect("a message")
}

async fn filed(app: &TestApp, of: &message::Model, state: FilingState, at: DateTime<Utc>) {
    let row = chart_filing::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(of.organization_id),
        message_id: Set(of.id),
        attachment_id: Set(Uuid::now_v7()),
        integration_id: Set(Uuid::now_v7()),
        integration_kind: Set(IntegrationType::Fhir),
        state: Set(state),
        sealed_chosen: Set(Vec::new()),
        chart_document_id: Set(None),
        filed_at: Set(None),
        user_id: Set(Uuid::nil()),
        rule_id: Set(Some(Uuid::now_v7())),
        rule_name: Set(Some("Labs".into())),
        percent: Set(Some(99)),
        problem: Set(String::new()),
        withdrawn_by: Set(None),
        withdrawn_at: Set(None),
        acknowledged_at: Set(None),
        created_at: Set(at),
    };
    row.insert(app.store.db()).await.expect("a filing");
}

async fn left(app: &TestApp, of: &message::Model, at: DateTime<Utc>) {
    let row = filing_refusal::ActiveModel {
        message_id: Set(of.id),
        organization_id: Set(of.organization_id),
        rule_id: Set(Uuid::now_v7()),
        rule_name: Set("Labs".into()),
        reason: Set("the birth date differs".into()),
        at: Set(at),
    };
    row.insert(app.store.db()).await.expect("a refusal");
}

async fn administrators_are_told_once_what_rules_filed_the_day_before(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let told = app.user(Role::Admin, &summit.organization).await;
    let deaf = app.user(Role::Admin, &summit.organization).await;
    let client = app.browser_of(&deaf).await;
    client.put("/api/account/preferences", &json!({ "emailFiledByRule": false })).await.ok();
    let message = received(&app, &larkfield, &summit).await;
    // Noon in New York, the time zone of both organizations.
    let noon = app.clock.now().with_hour(17).expect("an hour");
    filed(&app, &message, FilingState::Filed, noon).await;
    filed(&app, &message, FilingState::Filed, noon + Duration::minutes(1)).await;
    filed(&app, &message, FilingState::Failed, noon).await;
    left(&app, &message, noon).await;
    app.advance(noon - app.clock.now());
    tell_due(&app).await.expect("the chore");
    assert!(mails(&app, &told.user_name).await.is_empty(), "the day is not over");

    app.advance(Duration::hours(24));
    for _ in 0..2 {
        tell_due(&app).await.expect("the chore");
    }
    let all = mails(&app, &told.user_name).await;
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].subject, "Documents filed by rules");
    let words = "summit practice: 2 documents were filed by rules yesterday, 1 could not be. \
                 1 message was left to people.";
    assert!(all[0].text.contains(words), "{}", all[0].text);
    let link = format!("Open the list: http://127.0.0.1:8080/intake/filedbyrule?day={}", noon.date_naive());
    assert!(all[0].text.contains(&link), "{}", all[0].text);
    assert!(!all[0].text.contains("Labs") && !all[0].text.contains("xylophone"));
    assert!(mails(&app, &deaf.user_name).await.is_empty());
    assert!(mails(&app, &summit.user.user_name).await.is_empty(), "who is no administrator");
    app.advance(Duration::hours(24));
    tell_due(&app).await.expect("the chore");
    assert_eq!(mails(&app, &told.user_name).await.len(), 1, "a day without filings is not told");
    app.finish().await;
}
