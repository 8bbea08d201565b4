//! Access is denied by default: without a token, and with a role that the operation does not list.

use platform::{Role, bus::Event};
use reqwest::Method;
use sea_orm::EntityTrait;
use serde_json::json;
use server::openapi::{self, Entry};
use store::entities::session;
use testkit::{Client, Db, Socket, TestApp};
use uuid::Uuid;

/// A path with ids that do not exist.
fn path_of(operation: &Entry) -> String {
    let nothing = Uuid::now_v7().to_string();
    let part = |part: &str| match part.split_once('{').zip(part.rsplit_once('}')) {
        Some(((before, _), (_, after))) => format!("{before}{nothing}{after}"),
        None => part.to_owned(),
    };
    operation.path.split('/').map(part).collect::<Vec<_>>().join("/")
}

async fn call(client: &Client, operation: &Entry) -> testkit::Answer {
    let method = Method::from_bytes(operation.method.as_bytes()).expect("a method");
    client.send(client.request(method, &path_of(operation))).await
}

/// Operations that require a token. Hubs accept the connection first and check the token then.
fn guarded() -> Vec<Entry> {
    let is_guarded = |o: &Entry| !o.is_hub && !o.roles.iter().any(|r| r == "public");
    openapi::operations().into_iter().filter(is_guarded).collect()
}

const SIGNED_IN: [Role; 5] = [Role::User, Role::Admin, Role::NetAdmin, Role::SysAdmin, Role::Reporting];

/// ADB-R-008
#[tokio::test]
async fn without_a_token_only_public_operations_answer() {
    let app = TestApp::start(Db::sqlite()).await;
    let client = app.client();
    for operation in guarded() {
        call(&client, &operation).await.problem(401);
    }
    client.set_token("no such token");
    for operation in guarded() {
        call(&client, &operation).await.problem(401);
    }
    app.finish().await;
}

#[tokio::test]
async fn a_role_that_is_not_named_is_refused() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    for role in SIGNED_IN {
        let client = app.signed_in(role, &larkfield).await;
        refused(&client, role).await;
    }
    let network = app.network().await;
    refused(&app.service(network).await, Role::Service).await;
    app.finish().await;
}

/// Checks that every operation which does not list the role refuses it.
async fn refused(client: &Client, role: Role) {
    let (named, others): (Vec<_>, Vec<_>) =
        guarded().into_iter().partition(|o| o.roles.iter().any(|r| r == role.name()));
    assert!(!named.is_empty(), "{} may do nothing", role.name());
    for operation in others {
        call(client, &operation).await.problem(403);
    }
}

#[tokio::test]
async fn a_hub_lets_in_the_roles_that_it_names_and_nobody_else() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let hubs: Vec<Entry> = openapi::operations().into_iter().filter(|o| o.is_hub).collect();
    assert_eq!(hubs.len(), 3);
    for hub in &hubs {
        let mut nobody = Socket::open(&app.url(&hub.path).replacen("http", "ws", 1)).await;
        nobody.send(json!({ "ticket": "no such ticket" })).await;
        assert_eq!(nobody.close_code().await, Some(4401), "{}", hub.id);
    }
    for role in SIGNED_IN {
        let client = app.signed_in(role, &larkfield).await;
        for hub in &hubs {
            let mut socket = client.hub(hub.path.rsplit('/').next().expect("a name")).await;
            let code = close_code(&app, &mut socket).await;
            let expected = if hub.roles.iter().any(|r| r == role.name()) { None } else { Some(4403) };
            assert_eq!(code, expected, "{} {}", hub.id, role.name());
        }
    }
    app.finish().await;
}

/// Close code of a hub while all sessions are announced as ended; `None` if somebody was let in.
async fn close_code(app: &TestApp, socket: &mut Socket) -> Option<u16> {
    let sessions = session::Entity::find().all(app.store.db()).await.expect("sessions");
    let mut again = tokio::time::interval(std::time::Duration::from_millis(20));
    let end = socket.close_code();
    tokio::pin!(end);
    loop {
        tokio::select! {
            code = &mut end => return code,
            _ = again.tick() => for session in &sessions {
                app.bus.publish(Event::SessionEnded { session_id: session.id }).await;
            },
        }
    }
}
