//! Data of another organization is invisible. The API description names every id that an operation takes, in
//! its path, query or body. For each id and every role of an organization, the owner gets an answer for a
//! real id. A stranger of the same role gets 404 for the same id, before and after; an id within a body is
//! answered like one that never existed. Operations without ids are compared in the same way: the owner sees
//! their own data, and the stranger sees nothing of it.
//!
//! A new operation needs a fixture (in `fixtures.rs`: a value for each of its ids, a body), or an exemption
//! (in `operations.rs`). Operations for roles of the platform only have their fixtures in `operators.rs`;
//! `access.rs` tests that nobody else may call them.

mod cost;
mod fax;
mod fixtures;
mod flows;
mod operations;
mod operators;
mod side;

use chrono::TimeDelta;
use operations::{EXEMPT, HUBS, NOBODYS, OF_THE_INTAKE, Operation, SAID_WITH_200, operations};
use platform::Role;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
pub use side::summary_of_care;
use side::{Ids, OWNERS_IDLE_MINUTES, SUBJECT, Side, World, letter, text};
use std::collections::BTreeSet;
use store::entities::{audit_entry, brand};
use testkit::{Answer, Db, TestApp};
use uuid::Uuid;

testkit::on_both_databases! {
    a_stranger_does_not_find_by_id_what_the_owner_has,
    a_stranger_is_shown_nothing_of_the_owner,
    what_is_exempt_still_needs_to_be,
    a_stranger_finds_nothing_by_words_addresses_and_cursors,
    a_stranger_reads_nothing_in_the_audit_trail_of_any_kind_of_object,
    a_stranger_learns_nothing_from_hubs,
}

/// Status and text of an answer, without the id in question.
fn said(answer: &Answer, id: &str) -> (u16, String) {
    (answer.status.as_u16(), answer.text().replace(id, "…"))
}

#[test]
fn every_operation_has_a_fixture_or_an_exemption() {
    let all = operations();
    let known = |id: &str| all.iter().any(|o| o.id() == id);
    for (id, reason) in EXEMPT.iter().chain(SAID_WITH_200) {
        assert!(known(id) && !reason.is_empty(), "{id} is gone: remove its exemption");
    }
    for (id, place, reason) in NOBODYS {
        let stands = all.iter().any(|o| o.id() == *id && o.places.contains(*place));
        assert!(stands && !reason.is_empty(), "{id} takes no {place}: remove its exemption");
    }
    for id in OF_THE_INTAKE {
        assert!(known(id), "{id} is gone");
    }
    let hubs: Vec<&str> = all.iter().filter(|o| o.entry.is_hub).map(Operation::id).collect();
    assert_eq!(hubs, HUBS, "hubs are tested by name");
}

/// Operations with fixtures on both sides. Fails with a list of all operations without one.
async fn with_fixtures(side: &Side) -> Vec<Operation> {
    let mut missing = Vec::new();
    let mut found = Vec::new();
    for operation in operations() {
        let takes_body = ["PUT", "POST"].contains(&operation.entry.method);
        if operation.entry.is_hub {
            continue;
        }
        if takes_body && side.body(&operation).is_none() {
            missing.push(format!("{}: a body", operation.id()));
        } else if !operation.is_exempt()
            && let Some(role) = operation.roles().next()
            && let Err(place) = side.ids(&operation, role).await
        {
            missing.push(format!("{}: an id for {place}", operation.id()));
        } else {
            found.push(operation);
        }
    }
    assert!(missing.is_empty(), "these fixtures are missing in isolation/fixtures.rs: {missing:?}");
    found
}

async fn a_stranger_does_not_find_by_id_what_the_owner_has(db: Db) {
    let World { app, owner, stranger, .. } = World::new(db).await;
    for operation in with_fixtures(&owner).await {
        if operation.places.is_empty() || operation.is_exempt() {
            continue;
        }
        for role in operation.roles() {
            let ids = owner.ids(&operation, role).await.expect("a fixture");
            let own = stranger.ids(&operation, role).await.expect("a fixture");
            not_found(&operation, role, &stranger, &own, &ids).await;
            let allowed = without_nobodys(&operation, &ids);
            let answer = owner.call(&operation, role, &allowed).await;
            assert!(answer.status.is_success(), "{}: {} {}", operation.id(), answer.status, answer.text());
            not_found(&operation, role, &stranger, &own, &ids).await;
        }
    }
    ended(&app).await;
    app.finish().await;
}

/// Waits until the fax calls have ended.
async fn ended(app: &TestApp) {
    app.node.runner.drain_until(app.clock.now() + TimeDelta::hours(1)).await.expect("steps run");
    app.drain().await;
}

fn without_nobodys(operation: &Operation, ids: &Ids) -> Ids {
    let is_nobodys = |place: &str| NOBODYS.iter().any(|(id, p, _)| *id == operation.id() && *p == place);
    ids.iter().filter(|(place, _)| !is_nobodys(place)).map(|(p, id)| (p.clone(), id.clone())).collect()
}

/// Checks that the stranger does not find the owner's ids. All other ids are the stranger's own.
async fn not_found(operation: &Operation, role: Role, stranger: &Side, own: &Ids, ids: &Ids) {
    for (place, id) in ids {
        let mut mixed = without_nobodys(operation, own);
        mixed.insert(place.clone(), id.clone());
        let answer = stranger.call(operation, role, &mixed).await;
        let what = format!("{} {} {place}: {} {}", operation.id(), role.name(), answer.status, answer.text());
        if !place.starts_with("body") {
            assert_eq!(answer.status, 404, "{what}");
        }
        let kind = SAID_WITH_200.iter().any(|(id, _)| *id == operation.id());
        assert_eq!(answer.status.is_success(), kind, "{what}");
        let invented = Uuid::now_v7().to_string();
        mixed.insert(place.clone(), invented.clone());
        let nothing = stranger.call(operation, role, &mixed).await;
        assert_eq!(said(&answer, id), said(&nothing, &invented), "{what} is unlike an id that never was");
    }
    let path_only = ids.keys().filter(|place| !place.starts_with("body")).count();
    if path_only > 0 {
        let all = without_nobodys(operation, ids);
        stranger.call(operation, role, &all).await.problem(404);
    }
}

async fn a_stranger_is_shown_nothing_of_the_owner(db: Db) {
    let World { app, owner, stranger, .. } = World::new(db).await;
    for operation in with_fixtures(&owner).await.iter().filter(|o| !o.is_exempt()) {
        for role in operation.roles() {
            if operation.places.is_empty() {
                let shown = owner.call(operation, role, &Ids::new()).await;
                assert!(shows(&shown, &owner), "{} shows nothing: {}", operation.id(), shown.text());
            }
            let own = stranger.ids(operation, role).await.expect("a fixture");
            let answer = stranger.call(operation, role, &without_nobodys(operation, &own)).await;
            assert!(answer.status.is_success(), "{}: {} {}", operation.id(), answer.status, answer.text());
            assert!(!shows(&answer, &owner), "{} {}: {}", operation.id(), role.name(), answer.text());
        }
    }
    ended(&app).await;
    app.finish().await;
}

/// Whether an answer contains anything that belongs to this organization only.
fn shows(answer: &Answer, side: &Side) -> bool {
    let text = answer.text();
    let idle = format!("\"idleMinutes\":{OWNERS_IDLE_MINUTES},");
    let feature = "\"name\":\"OptimizedIntake\",\"isEnabled\":true";
    let settings = [idle.as_str(), feature, "\"exportMode\":\"print\"", "Larkfield intake form"];
    side.marks.iter().any(|mark| text.contains(mark)) || settings.iter().any(|s| text.contains(s))
}

async fn what_is_exempt_still_needs_to_be(db: Db) {
    let World { app, owner, stranger, .. } = World::new(db).await;
    let brand = brand::Entity::find().one(app.store.db()).await.expect("brands");
    let brand = Ids::from([("brandId".to_owned(), brand.expect("a brand").id.to_string())]);
    for operation in operations().iter().filter(|o| o.is_exempt()) {
        for role in operation.roles() {
            let mine = owner.call(operation, role, &brand).await;
            assert!(mine.status.is_success(), "{}: {}", operation.id(), mine.text());
            assert!(!shows(&mine, &owner), "{} shows what is a tenant's: it needs a fixture", operation.id());
            let theirs = stranger.call(operation, role, &brand).await;
            assert!(theirs.status.is_success(), "{} keeps strangers out: it needs a fixture", operation.id());
        }
    }
    for (id, place, _) in NOBODYS {
        let operation = operations().into_iter().find(|o| o.id() == *id).expect("an operation");
        let role = operation.roles().next().expect("a role");
        let ids = owner.ids(&operation, role).await.expect("a fixture");
        assert!(!owner.call(&operation, role, &ids).await.status.is_success(), "{id} takes {place} by now");
    }
    app.finish().await;
}

async fn a_stranger_finds_nothing_by_words_addresses_and_cursors(db: Db) {
    let World { app, owner, stranger, partner, .. } = World::new(db).await;
    owner.draft().await;
    owner.practice.client.send_document(&owner.practice.address, &[&owner.partner], SUBJECT).await;
    partner.client.send_document(&partner.address, &[&owner.practice.address], SUBJECT).await;
    app.drain().await;
    let page = owner.practice.client.post("/api/intake", &json!({ "pageSize": 1 })).await.ok();
    let bodies = [
        json!({}),
        json!({ "filter": "xylophone" }),
        json!({ "sources": [owner.practice.address] }),
        json!({ "cursor": text(&page["nextCursor"]) }),
        json!({ "cursor": text(&page["nextCursor"]), "filter": "xylophone" }),
    ];
    let paths = [
        "/api/messages?isDraft=true",
        "/api/messages?isDraft=false",
        "/api/messages?isDraft=true&filter=xylophone",
        "/api/messages?isDraft=false&filter=xylophone",
        "/api/contacts?search=larkfield",
    ];
    for role in [Role::User, Role::Admin] {
        let (mine, theirs) = (owner.browser(role), stranger.browser(role));
        for (path, body) in
            ["/api/intake", "/api/messages"].iter().flat_map(|p| bodies.iter().map(move |b| (p, b)))
        {
            assert!(shows(&mine.post(path, body).await, &owner), "{path} {body}");
            let found = theirs.post(path, body).await;
            assert!(found.status.is_success() && !shows(&found, &owner), "{path} {body}: {}", found.text());
        }
        for path in paths {
            assert!(shows(&mine.get(path).await, &owner), "{path}");
            let found = theirs.get(path).await;
            assert!(found.status.is_success() && !shows(&found, &owner), "{path}: {}", found.text());
        }
    }
    app.finish().await;
}

async fn a_stranger_reads_nothing_in_the_audit_trail_of_any_kind_of_object(db: Db) {
    let World { app, owner, stranger, .. } = World::new(db).await;
    let draft = owner.draft().await;
    owner.file(&draft, "").await;
    owner.practice.client.post("/api/subscriptionplans/upgraderequest", &json!({})).await.ok();
    let rows = audit_entry::Entity::find()
        .filter(audit_entry::Column::OrganizationId.eq(owner.practice.organization.id))
        .all(app.store.db())
        .await
        .expect("the trail");
    // Lists have no id.
    let objects: BTreeSet<_> = rows
        .iter()
        .filter(|r| r.object_id.parse::<Uuid>().is_ok())
        .map(|r| (r.object_type.clone(), r.object_id.clone()))
        .collect();
    let kinds: BTreeSet<_> = objects.iter().map(|(kind, _)| kind.as_str()).collect();
    let expected = ["attachment", "message", "organization", "savedaddresses", "task", "triagebatch", "user"];
    assert_eq!(kinds, expected.into(), "what the product audits");
    for (kind, id) in &objects {
        let path = format!("/api/audit/{kind}/{id}");
        let found = owner.browser(Role::Admin).get(&path).await.ok();
        assert_ne!(found["totalCount"], 0, "{path}");
        stranger.browser(Role::Admin).get(&path).await.problem(404);
        let elsewhere = format!("/api/audit/message/{id}?eventType=Nothing&start=1999-01-01");
        stranger.browser(Role::Admin).get(&elsewhere).await.problem(404);
    }
    app.finish().await;
}

async fn a_stranger_learns_nothing_from_hubs(db: Db) {
    let World { app, owner, stranger, partner, .. } = World::new(db).await;
    for role in [Role::User, Role::Admin] {
        let (mine, theirs) = (owner.browser(role), stranger.browser(role));
        let mut present = mine.hub("messagepresence").await;
        present.send(json!({ "type": "open", "messageId": owner.intake })).await;
        present.expect("present").await;

        let own = stranger.draft().await;
        let mut presence = theirs.hub("messagepresence").await;
        presence.send(json!({ "type": "open", "messageId": owner.intake })).await;
        // The first frame has no answer, so the first answer belongs to the second one.
        presence.send(json!({ "type": "open", "messageId": own })).await;
        assert_eq!(presence.expect("present").await["messageId"], json!(own));

        let file = theirs.upload(&own, "Letter.pdf", letter(), json!({})).await;
        let mut previews = theirs.hub("documentprocessing").await;
        let path =
            format!("/api/messages/{}/attachments/{}/generatePreview", owner.intake, owner.intake_file);
        mine.put(&path, &json!({})).await.ok();
        previews.send(json!({ "type": "waitFor", "attachmentId": owner.intake_file })).await;
        previews.send(json!({ "type": "waitFor", "attachmentId": file })).await;
        assert_eq!(previews.expect("completed").await["attachmentId"], json!(file));

        let mut lists = theirs.hub("events").await;
        lists.expect("alive").await;
        partner.client.send_document(&partner.address, &[&owner.practice.address], SUBJECT).await;
        partner.client.send_document(&partner.address, &[&stranger.practice.address], "For you").await;
        app.drain().await;
        let news = lists.expect("intake").await;
        let found = theirs.post("/api/intake", &json!({})).await.ok();
        assert_eq!(news["messageId"], found["items"][0]["id"]);
    }
    app.finish().await;
}
