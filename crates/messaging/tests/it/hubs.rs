//! Real-time hubs: open messages, changed lists, finished previews.

use crate::support::*;
use chrono::Duration;
use messaging::hubs::presence::sweep;
use platform::Role;
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait, Statement};
use serde_json::json;
use store::entities::presence;
use testkit::{Client, Db, Socket, TestApp};
use uuid::Uuid;

testkit::on_both_databases! {
    two_people_who_open_one_message_see_each_other,
    presence_ends_when_a_tab_is_killed,
    presence_ends_when_a_node_dies,
    the_list_shows_who_has_a_message_open,
    a_new_message_and_its_delivery_are_announced,
    a_browser_that_waits_for_a_preview_is_told,
    a_ticket_opens_one_connection_and_not_for_long,
    a_hub_tells_nothing_of_another_organization,
    a_hub_tells_nothing_of_a_message_that_may_not_be_read,
    the_end_of_a_session_ends_its_connections,
    a_session_that_changes_its_organization_leaves_the_hubs_of_the_former_one,
    a_frame_that_is_longer_than_any_of_the_product_ends_the_connection,
}

/// A received message, and its practice.
async fn world(db: Db) -> (TestApp, testkit::Practice, testkit::Practice, String) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Look at me").await;
    app.drain().await;
    let id = only(&intake(&summit.client, json!({})).await);
    (app, larkfield, summit, id)
}

async fn open(client: &Client, message: &str) -> Socket {
    let mut socket = client.hub("messagepresence").await;
    socket.send(json!({ "type": "open", "messageId": message })).await;
    socket
}

/// A connection of the events hub that is already listening.
async fn listening(client: &Client) -> Socket {
    let mut socket = client.hub("events").await;
    socket.expect("alive").await;
    socket
}

/// The message of the next frame of this type.
async fn about(socket: &mut Socket, kind: &str) -> Uuid {
    text(&socket.expect(kind).await, "messageId").parse().expect("an id")
}

/// SES-C-075
async fn two_people_who_open_one_message_see_each_other(db: Db) {
    let (app, _, summit, id) = world(db).await;
    // On PostgreSQL, the second browser is on another node.
    let second = if app.db.is_postgres() { Some(app.another_node().await) } else { None };
    let colleague = app.user(Role::Admin, &summit.organization).await;
    let other = second.as_ref().unwrap_or(&app).browser_of(&colleague).await;

    let mut first = open(&summit.client, &id).await;
    assert_eq!(first.expect("present").await["users"], json!([]), "nobody else is there");
    let mut later = open(&other, &id).await;
    let present = later.expect("present").await;
    assert_eq!(present["users"], json!([{ "userId": summit.user.id, "name": "Priya Nandakumar" }]));
    let opened = first.expect("opened").await;
    assert_eq!((&opened["userId"], &opened["messageId"]), (&json!(colleague.id), &json!(id)));
    later.send(json!({ "type": "close", "messageId": id })).await;
    assert_eq!(first.expect("closed").await["userId"], json!(colleague.id));
    if let Some(second) = second {
        second.node.stop().await;
    }
    app.finish().await;
}

async fn presence_ends_when_a_tab_is_killed(db: Db) {
    let (app, _, summit, id) = world(db).await;
    let colleague = app.user(Role::User, &summit.organization).await;
    let other = app.browser_of(&colleague).await;
    let mut first = open(&summit.client, &id).await;
    first.expect("present").await;
    let mut later = open(&other, &id).await;
    later.expect("present").await;
    first.expect("opened").await;
    later.kill();
    assert_eq!(first.expect("closed").await["userId"], json!(colleague.id));
    app.finish().await;
}

async fn presence_ends_when_a_node_dies(db: Db) {
    let (app, _, summit, id) = world(db).await;
    let colleague = app.user(Role::User, &summit.organization).await;
    // The state left by a node that lost power: the message is not closed, and its presence is not renewed.
    let row = presence::ActiveModel {
        connection_id: Set(Uuid::now_v7()),
        message_id: Set(id.parse().expect("an id")),
        organization_id: Set(summit.organization.id),
        user_id: Set(colleague.id),
        user_name: Set("Priya Nandakumar".into()),
        expires_at: Set(app.clock.now() + Duration::seconds(30)),
        held_since: Set(None),
    };
    presence::Entity::insert(row).exec_without_returning(app.store.db()).await.expect("a row");
    let mut socket = open(&summit.client, &id).await;
    assert_eq!(socket.expect("present").await["users"][0]["userId"], json!(colleague.id));
    app.advance(Duration::seconds(31));
    sweep(&app).await.expect("a round");
    assert_eq!(socket.expect("closed").await["userId"], json!(colleague.id));
    app.finish().await;
}

async fn the_list_shows_who_has_a_message_open(db: Db) {
    let (app, _, summit, id) = world(db).await;
    let mut socket = open(&summit.client, &id).await;
    socket.expect("present").await;
    let openers = async || intake(&summit.client, json!({})).await["items"][0]["openedBy"].clone();
    assert_eq!(openers().await, json!([{ "userId": summit.user.id, "name": "Priya Nandakumar" }]));
    // A dead node renews nothing.
    app.advance(Duration::seconds(31));
    assert_eq!(openers().await, json!([]));
    app.finish().await;
}

async fn a_new_message_and_its_delivery_are_announced(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let mut reader = listening(&summit.client).await;
    let mut sender = listening(&larkfield.client).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Ping").await;
    assert_eq!(about(&mut sender, "release").await.to_string(), sent);
    app.drain().await;
    let came = about(&mut reader, "intake").await;
    assert_eq!(message(&summit.client, &came.to_string()).await["subject"], "Ping");
    app.finish().await;
}

/// SES-C-076
async fn a_browser_that_waits_for_a_preview_is_told(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let draft = larkfield.client.draft(json!({})).await;
    let file = larkfield.client.upload(&draft, "Note.txt", b"A note.\n".to_vec(), json!({})).await;
    let path = format!("{}/generatePreview", file_path(&draft, &file));
    assert_eq!(larkfield.client.put(&path, &json!({})).await.ok()["previewAvailable"], "Processing");
    let mut socket = larkfield.client.hub("documentprocessing").await;
    socket.send(json!({ "type": "waitFor", "attachmentId": file })).await;
    app.drain().await;
    let completed = socket.expect("completed").await;
    assert_eq!(
        (text(&completed, "attachmentId"), text(&completed, "previewAvailable")),
        (&*file, "Available")
    );
    app.finish().await;
}

async fn a_ticket_opens_one_connection_and_not_for_long(db: Db) {
    let (app, _, summit, id) = world(db).await;
    let ticket =
        async || summit.client.post("/api/account/hubticket", &json!({})).await.ok()["ticket"].clone();
    let connect = async |ticket: &serde_json::Value| {
        let url = app.url("/api/hubs/messagepresence").replacen("http", "ws", 1);
        let mut socket = Socket::open(&url).await;
        socket.send(json!({ "ticket": ticket })).await;
        socket
    };
    let used = ticket().await;
    let mut first = connect(&used).await;
    first.send(json!({ "type": "open", "messageId": id })).await;
    first.expect("present").await;
    assert_eq!(connect(&used).await.next().await, None, "it was used");
    let old = ticket().await;
    app.advance(Duration::seconds(31));
    assert_eq!(connect(&old).await.next().await, None, "it is too old");
    assert_eq!(connect(&json!("invented")).await.next().await, None);
    app.finish().await;
}

async fn a_hub_tells_nothing_of_a_message_that_may_not_be_read(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let desk = app.source(&summit.organization, "desk").await;
    let reader = app.user(Role::User, &summit.organization).await;
    limit_readers(&app, &summit, reader.id).await;
    let mut socket = listening(&summit.client).await;
    for (to, subject) in [(&summit.address, "Hidden"), (&desk.address, "Open")] {
        larkfield.client.send_document(&larkfield.address, &[to.as_str()], subject).await;
        app.drain().await;
    }
    let told = about(&mut socket, "intake").await;
    assert_eq!(message(&summit.client, &told.to_string()).await["subject"], "Open");
    app.finish().await;
}

async fn a_hub_tells_nothing_of_another_organization(db: Db) {
    let (app, larkfield, summit, id) = world(db).await;
    let stranger = app.practice("bayline").await;
    let mut events = listening(&stranger.client).await;
    let mut presence = open(&stranger.client, &id).await;
    let mut processing = stranger.client.hub("documentprocessing").await;
    let file = text(&message(&summit.client, &id).await["attachments"][0], "id").to_owned();
    processing.send(json!({ "type": "waitFor", "attachmentId": file })).await;

    // An event that they may see is last: the hidden ones would have arrived before it.
    summit.client.put(&format!("/api/messages/{id}/read"), &json!({})).await.ok();
    let mut socket = open(&summit.client, &id).await;
    assert_eq!(socket.expect("present").await["users"], json!([]), "a stranger is not among the present");
    larkfield.client.send_document(&larkfield.address, &[&stranger.address], "For you").await;
    app.drain().await;
    let own = only(&intake(&stranger.client, json!({})).await);
    assert_eq!(about(&mut events, "intake").await.to_string(), own);
    presence.send(json!({ "type": "open", "messageId": own })).await;
    assert_eq!(presence.expect("present").await["messageId"], own.as_str());
    let own_file = text(&message(&stranger.client, &own).await["attachments"][0], "id").to_owned();
    processing.send(json!({ "type": "waitFor", "attachmentId": own_file })).await;
    assert_eq!(processing.expect("completed").await["attachmentId"], own_file.as_str());
    app.finish().await;
}

/// Only nodes with a shared database use a connection for events that can break.
#[tokio::test]
async fn who_may_have_missed_something_connects_again_and_looks() {
    let Some(db) = Db::postgres() else { return };
    let (app, larkfield, summit, _) = world(db).await;
    let mut before = listening(&summit.client).await;
    let breaks = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                  WHERE datname = current_database() AND query ILIKE 'LISTEN%'";
    let broken = app.store.db().query_all_raw(Statement::from_string(app.store.backend(), breaks)).await;
    assert!(!broken.expect("the connection is broken").is_empty());
    while before.next().await.is_some() {}
    let mut after = listening(&summit.client).await;
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Heard again").await;
    app.drain().await;
    let came = about(&mut after, "intake").await;
    assert_eq!(message(&summit.client, &came.to_string()).await["subject"], "Heard again");
    app.finish().await;
}

async fn the_end_of_a_session_ends_its_connections(db: Db) {
    let (app, _, summit, _) = world(db).await;
    let mut events = listening(&summit.client).await;
    summit.client.post("/api/account/logout", &json!({})).await.ok();
    events.expect("revoked").await;
    assert_eq!(events.next().await, None);
    app.finish().await;
}

async fn a_session_that_changes_its_organization_leaves_the_hubs_of_the_former_one(db: Db) {
    let (app, _, summit, id) = world(db).await;
    let alder = app.organization("alder").await;
    app.join(summit.user.id, &alder, platform::session::ROLE_USER).await;
    let mut events = listening(&summit.client).await;
    let mut presence = open(&summit.client, &id).await;
    presence.expect("present").await;
    let mut previews = summit.client.hub("documentprocessing").await;
    // Connections opened after the change are in the new organization.
    previews.expect("alive").await;
    summit.client.post("/api/account/change", &json!({ "orgId": alder.id })).await.ok();
    for socket in [&mut events, &mut presence, &mut previews] {
        while socket.next().await.is_some() {}
    }
    let openers = presence::Entity::find().all(app.store.db()).await.expect("the rows");
    assert!(openers.is_empty(), "{openers:?}");
    app.finish().await;
}

async fn a_frame_that_is_longer_than_any_of_the_product_ends_the_connection(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let mut events = listening(&larkfield.client).await;
    events.send(json!({ "type": "x".repeat(5_000) })).await;
    while events.next().await.is_some() {}
    app.finish().await;
}
