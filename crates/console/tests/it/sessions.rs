use crate::world::{Person, World};
use platform::{Role, bus::Event, session::ROLE_USER};
use reqwest::StatusCode;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};
use store::entities::{app_user, direct_certificate, session};
use testkit::{Client, Db, PASSWORD};
use tokio::{sync::broadcast::Receiver, time::timeout};
use uuid::Uuid;

async fn is_in(world: &World, client: &Client) -> bool {
    world.call_as(client, "GET", "/api/apicaptureconfig", Value::Null).await.status == StatusCode::OK
}

/// The next ended sessions announced on the bus.
async fn ended(events: &mut Receiver<Event>, count: usize) -> BTreeSet<Uuid> {
    let mut sessions = BTreeSet::new();
    while sessions.len() < count {
        let event = timeout(Duration::from_secs(10), events.recv()).await.expect("an event comes").unwrap();
        if let Event::SessionEnded { session_id } = event {
            sessions.insert(session_id);
        }
    }
    sessions
}

/// ADA-R-010
#[tokio::test]
async fn disabling_the_login_ends_the_sessions_of_that_organization_only() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let other = world.organization_id("Bayline Imaging", "bayline").await;
    let (user, first) = world.sign_in(Person::Member(Role::User, id)).await;
    let (admin, second) = world.sign_in(Person::Member(Role::Admin, id)).await;
    let (stranger, _) = world.sign_in(Person::Member(Role::User, other)).await;
    let mut events = world.app.bus.subscribe();
    let path = format!("/api/organizations/{id}/enable");
    let answer = world.call("PUT", &path, json!({ "enable": false })).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    assert!(!is_in(&world, &user).await && !is_in(&world, &admin).await);
    assert!(is_in(&world, &stranger).await);
    assert_eq!(ended(&mut events, 2).await, BTreeSet::from([first, second]));
    let row = session::Entity::find_by_id(first).one(world.app.store.db()).await.unwrap().unwrap();
    assert!(row.revoked_at.is_some());
    let audited = world.audited(id).await;
    assert_eq!(audited[1], ("Changed".into(), r#"{"enabled":false}"#.into()));
    assert_eq!(audited[2], ("SessionRevoked".into(), r#"{"sessions":2}"#.into()));
    // Enabling the login again does not restore ended sessions.
    world.call("PUT", &path, json!({ "enable": true })).await.ok();
    assert!(world.row(id).await.is_enabled);
    assert!(!is_in(&world, &user).await);
    let (again, _) = world.sign_in(Person::Member(Role::User, id)).await;
    assert!(is_in(&world, &again).await);
}

#[tokio::test]
async fn deleting_ends_sessions_and_the_certificates_of_the_domain() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let certificate = certificate(&world, id).await;
    let (user, session) = world.sign_in(Person::Member(Role::User, id)).await;
    let mut events = world.app.bus.subscribe();
    world.call("DELETE", &format!("/api/organizations/{id}"), Value::Null).await.ok();
    assert!(!is_in(&world, &user).await);
    assert_eq!(ended(&mut events, 1).await, BTreeSet::from([session]));
    let row = session::Entity::find_by_id(session).one(world.app.store.db()).await.unwrap().unwrap();
    let person = app_user::Entity::find_by_id(row.user_id).one(world.app.store.db()).await.unwrap().unwrap();
    let refused = world.app.client().sign_in(&person.user_name, PASSWORD).await;
    assert!(refused.text().contains("This account has no active organization."));
    let now = Some(world.app.clock.now());
    let row = world.row(id).await;
    assert_eq!((row.deleted_at, row.is_activated, row.is_enabled), (now, false, false));
    let found = direct_certificate::Entity::find_by_id(certificate);
    let found = found.one(world.app.store.db()).await.unwrap().unwrap();
    assert_eq!((found.revoked_at, found.retired_at), (now, now));
    assert!(world.audited(id).await.iter().any(|(event, _)| event == "Deleted"));
}

async fn certificate(world: &World, organization: Uuid) -> Uuid {
    let now = world.app.clock.now();
    let authority = store::entities::certificate_authority::ActiveModel {
        id: Set(Uuid::now_v7()),
        name: Set("Test CA".into()),
        certificate_pem: Set(String::new()),
        sealed_key: Set(Vec::new()),
        is_active: Set(true),
        crl_number: Set(0),
        created_at: Set(now),
    };
    let authority = authority.insert(world.app.store.db()).await.unwrap();
    let row = direct_certificate::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(organization),
        authority_id: Set(authority.id),
        domain: Set("larkfield.direct.carepost.example".into()),
        serial: Set("01".into()),
        certificate_pem: Set(String::new()),
        sealed_key: Set(Vec::new()),
        not_before: Set(now),
        not_after: Set(now + chrono::Duration::days(365)),
        revoked_at: Set(None),
        retired_at: Set(None),
        created_at: Set(now),
    };
    row.insert(world.app.store.db()).await.unwrap().id
}

#[tokio::test]
async fn a_system_administrator_who_works_in_the_organization_stays_signed_in() {
    let world = World::new(Db::sqlite()).await;
    let id = world.organization_id("Larkfield Family Medicine", "larkfield").await;
    let (client, own) = world.sign_in(Person::System(Role::SysAdmin)).await;
    let row = session::Entity::find_by_id(own).one(world.app.store.db()).await.unwrap().unwrap();
    world.join(row.user_id, id, ROLE_USER).await;
    let change = session::ActiveModel { id: Set(own), organization_id: Set(Some(id)), ..Default::default() };
    change.update(world.app.store.db()).await.unwrap();
    let path = format!("/api/organizations/{id}/enable");
    world.call_as(&client, "PUT", &path, json!({ "enable": false })).await.ok();
    world.call_as(&client, "PUT", &path, json!({ "enable": true })).await.ok();
}
