//! E-mails about messages, for people who have enabled them.

use crate::inbox::{Mail, mails};
use chrono::Duration;
use messaging::{model::Status, notifications::chores::notify_due};
use platform::{Config, Role, config::Mode};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::message_event::EventType;
use store::entities::{app_user, email, membership, message, message_event, notification, organization};
use testkit::{Db, Options, Practice, TestApp, User};
use uuid::Uuid;

testkit::on_both_databases! {
    of_two_nodes_one_tells,
}

const SUBJECT: &str = "Quinquennial xylophone survey";

async fn wish(practice: &Practice, what: &[&str]) {
    let mut wanted = json!({
        "emailNewMessages": false, "emailUnprocessedMessages": false, "emailSystemNotifications": false,
        "emailUnassignedMessages": false, "emailFailedMessagesDigest": false,
    });
    for name in what {
        wanted[*name] = json!(true);
    }
    practice.client.put("/api/account/preferences", &wanted).await.ok();
}

async fn two(app: &TestApp) -> (Practice, Practice) {
    (app.practice("larkfield").await, app.practice("summit").await)
}

async fn send(app: &TestApp, from: &Practice, to: &Practice) {
    from.client.enter(&from.user).await;
    from.client.send_document(&from.address, &[&to.address], SUBJECT).await;
    app.drain().await;
}

/// E-mails to a person after this many minutes, beyond the first `before` ones.
async fn told_after(app: &TestApp, user: &User, minutes: i64, before: usize) -> Vec<Mail> {
    app.advance(Duration::minutes(minutes));
    notify_due(app).await.expect("the chore");
    let mut all = mails(app, &user.user_name).await;
    all.truncate(all.len() - before);
    all
}

async fn only_message(app: &TestApp, practice: &Practice) -> message::Model {
    message::Entity::find()
        .filter(message::Column::OrganizationId.eq(practice.organization.id))
        .one(app.store.db())
        .await
        .expect("messages")
        .expect("a message")
}

#[tokio::test]
async fn nobody_is_told_anything_unasked() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = two(&app).await;
    wish(&larkfield, &[]).await;
    send(&app, &summit, &larkfield).await;
    assert!(told_after(&app, &larkfield.user, 60, 0).await.is_empty());
    let wishes = notification::Entity::find().count(app.store.db()).await.expect("a count");
    assert_eq!(wishes, 0);
    app.finish().await;
}

#[tokio::test]
async fn new_messages_are_told_together_and_once() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = two(&app).await;
    send(&app, &summit, &larkfield).await;
    app.advance(Duration::minutes(2));
    wish(&larkfield, &["emailNewMessages"]).await;
    assert!(
        told_after(&app, &larkfield.user, 6, 0).await.is_empty(),
        "what came before the wish is not news"
    );
    send(&app, &summit, &larkfield).await;
    send(&app, &summit, &larkfield).await;
    let told = told_after(&app, &larkfield.user, 6, 0).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].subject, "New messages in Intake");
    let says = "Hello Priya,\n\nlarkfield practice: 2 messages not opened yet\n\n\
                You get this e-mail at most every 15 minutes, because you turned it on in your profile.\n\n\
                Open Intake: http://127.0.0.1:8080/intake\n\n-- \n\
                Carepost sent this e-mail from 127.0.0.1. It cannot be answered.\n";
    assert_eq!(told[0].text, says);
    assert!(!told[0].text.contains(SUBJECT) && !told[0].text.contains(&summit.address));
    send(&app, &summit, &larkfield).await;
    assert!(told_after(&app, &larkfield.user, 14, 1).await.is_empty(), "not again within 15 minutes");
    assert_eq!(told_after(&app, &larkfield.user, 2, 1).await.len(), 1);
    assert!(told_after(&app, &larkfield.user, 60, 2).await.is_empty(), "each message is told once");
    app.finish().await;
}

#[tokio::test]
async fn what_was_opened_already_is_not_told() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = two(&app).await;
    wish(&larkfield, &["emailNewMessages"]).await;
    send(&app, &summit, &larkfield).await;
    let id = only_message(&app, &larkfield).await.id;
    larkfield.client.post(&format!("/api/messages/{id}/read"), &json!({})).await;
    let row = message::ActiveModel { id: Set(id), read_at: Set(Some(app.clock.now())), ..Default::default() };
    row.update(app.store.db()).await.expect("a message that was read");
    assert!(told_after(&app, &larkfield.user, 20, 0).await.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn somebody_is_told_about_their_own_addresses_only() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = two(&app).await;
    let source = app.source(&larkfield.organization, "referrals").await;
    let other = app.user(Role::User, &larkfield.organization).await;
    app.link(&other, &source).await;
    let bayline = app.practice("bayline").await;
    for client in [&app.browser_of(&other).await, &bayline.client] {
        client.put("/api/account/preferences", &json!({ "emailNewMessages": true })).await.ok();
    }
    send(&app, &summit, &larkfield).await;
    assert!(told_after(&app, &other, 20, 0).await.is_empty());
    assert!(mails(&app, &bayline.user.user_name).await.is_empty());
    summit.client.enter(&summit.user).await;
    summit.client.send_document(&summit.address, &[&source.address], SUBJECT).await;
    app.drain().await;
    assert_eq!(told_after(&app, &other, 20, 0).await.len(), 1);
    app.finish().await;
}

#[tokio::test]
async fn messages_that_wait_are_told_once_a_day() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = two(&app).await;
    wish(&larkfield, &["emailUnprocessedMessages", "emailUnassignedMessages"]).await;
    app.advance(Duration::hours(12));
    send(&app, &summit, &larkfield).await;
    let told = told_after(&app, &larkfield.user, 12 * 60, 0).await;
    assert_eq!(told.len(), 1, "it waits for half a day only");
    assert_eq!(told[0].subject, "Messages are not assigned to anybody");
    assert!(
        told[0].text.contains("larkfield practice: 1 message not assigned to anybody"),
        "{}",
        told[0].text
    );
    assert!(told[0].text.contains("http://127.0.0.1:8080/intake?view=unassigned"));
    let row = only_message(&app, &larkfield).await;
    let taken = message::ActiveModel {
        id: Set(row.id),
        assigned_to: Set(Some(larkfield.user.id)),
        ..Default::default()
    };
    taken.update(app.store.db()).await.expect("a message that was taken");
    let told = told_after(&app, &larkfield.user, 24 * 60, 1).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].subject, "Messages are waiting to be processed");
    assert!(told[0].text.contains("larkfield practice: 1 message not processed for more than a day"));
    let done = message::ActiveModel { id: Set(row.id), status: Set(Status::Processed), ..Default::default() };
    done.update(app.store.db()).await.expect("a message that was processed");
    assert!(told_after(&app, &larkfield.user, 24 * 60, 2).await.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn what_could_not_be_delivered_is_told_to_whoever_sends_from_there() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = two(&app).await;
    wish(&larkfield, &["emailFailedMessagesDigest"]).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], SUBJECT).await;
    app.drain().await;
    for kind in [EventType::Failed, EventType::Bounced] {
        let event = message_event::ActiveModel {
            id: Set(Uuid::now_v7()),
            organization_id: Set(larkfield.organization.id),
            message_id: Set(sent.parse().expect("an id")),
            event_type: Set(kind),
            at: Set(app.clock.now()),
            user_id: Set(None),
            user_name: Set(String::new()),
        };
        message_event::Entity::insert(event).exec_without_returning(app.store.db()).await.expect("an event");
    }
    let told = told_after(&app, &larkfield.user, 6, 0).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].subject, "Messages could not be delivered");
    assert!(told[0].text.contains("larkfield practice: 1 message not delivered"), "{}", told[0].text);
    assert!(told[0].text.contains("http://127.0.0.1:8080/release?statuses=Failed"));
    assert!(told_after(&app, &larkfield.user, 120, 1).await.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn whoever_was_disabled_or_signed_off_the_news_is_told_nothing() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = two(&app).await;
    let db = app.store.db();
    wish(&larkfield, &["emailNewMessages"]).await;
    let place = |is_disabled| membership::ActiveModel {
        user_id: Set(larkfield.user.id),
        organization_id: Set(larkfield.organization.id),
        is_disabled: Set(is_disabled),
        ..Default::default()
    };
    place(true).update(db).await.expect("a disabled member");
    send(&app, &summit, &larkfield).await;
    assert!(told_after(&app, &larkfield.user, 20, 0).await.is_empty());
    place(false).update(db).await.expect("a member");
    let closed = organization::ActiveModel {
        id: Set(larkfield.organization.id),
        is_cancelled: Set(true),
        ..Default::default()
    };
    closed.update(db).await.expect("a cancelled organization");
    send(&app, &summit, &larkfield).await;
    assert!(told_after(&app, &larkfield.user, 20, 0).await.is_empty());
    let user =
        app_user::ActiveModel { id: Set(larkfield.user.id), email: Set(String::new()), ..Default::default() };
    user.update(db).await.expect("somebody without an address");
    notify_due(&app).await.expect("the chore");
    larkfield.client.enter(&larkfield.user).await;
    wish(&larkfield, &[]).await;
    assert_eq!(notification::Entity::find().count(db).await.expect("a count"), 0);
    app.finish().await;
}

async fn of_two_nodes_one_tells(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = two(&app).await;
    let other = app.another_node().await;
    wish(&larkfield, &["emailNewMessages"]).await;
    send(&app, &summit, &larkfield).await;
    app.advance(Duration::minutes(6));
    let (one, two) = futures::future::join(notify_due(&app), notify_due(&other)).await;
    one.expect("a chore");
    two.expect("a chore");
    assert_eq!(mails(&app, &larkfield.user.user_name).await.len(), 1);
    other.node.stop().await;
    app.finish().await;
}

#[tokio::test]
async fn without_a_mail_server_nothing_is_kept_back_for_later() {
    let configure = |config: &mut Config| {
        config.mode = Mode::Production;
        config.session.require_second_factor = Some(false);
    };
    let app = TestApp::start_with(
        Db::sqlite(),
        Options { configure: Some(Box::new(configure)), ..Options::default() },
    )
    .await;
    let (larkfield, summit) = two(&app).await;
    wish(&larkfield, &["emailNewMessages"]).await;
    send(&app, &summit, &larkfield).await;
    app.advance(Duration::minutes(6));
    notify_due(&app).await.expect("the chore");
    assert_eq!(email::Entity::find().count(app.store.db()).await.expect("a count"), 0);
    let row = notification::Entity::find().one(app.store.db()).await.expect("wishes").expect("a wish");
    assert_eq!(row.told_until, app.clock.now() - Duration::minutes(1));
    let kept: Value = larkfield.client.get("/api/account/preferences").await.ok();
    assert_eq!(kept["emailNewMessages"], true);
    app.finish().await;
}
