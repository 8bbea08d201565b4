//! Denied by default: without a token, and with a role that the operation does not name.

use platform::Role;
use reqwest::Method;
use server::openapi::{self, Entry};
use testkit::{Client, Db, TestApp};
use uuid::Uuid;

testkit::on_both_databases! {
    without_a_token_only_public_operations_answer,
    a_role_that_is_not_named_is_refused,
}

/// A path with ids that belong to nothing.
fn path_of(operation: &Entry) -> String {
    let nothing = Uuid::now_v7().to_string();
    let part = |part: &str| if part.starts_with('{') { nothing.clone() } else { part.to_owned() };
    operation.path.split('/').map(part).collect::<Vec<_>>().join("/")
}

async fn call(client: &Client, operation: &Entry) -> testkit::Answer {
    let method = Method::from_bytes(operation.method.as_bytes()).expect("a method");
    client.send(client.request(method, &path_of(operation))).await
}

fn guarded() -> Vec<Entry> {
    openapi::operations().into_iter().filter(|o| !o.roles.iter().any(|r| r == "public")).collect()
}

async fn without_a_token_only_public_operations_answer(db: Db) {
    let app = TestApp::start(db).await;
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

async fn a_role_that_is_not_named_is_refused(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.organization("larkfield").await;
    for role in [Role::User, Role::Admin, Role::NetAdmin, Role::SysAdmin, Role::Reporting] {
        let client = app.signed_in(role, &larkfield).await;
        for operation in guarded().iter().filter(|o| !o.roles.iter().any(|r| r == role.name())) {
            call(&client, operation).await.problem(403);
        }
    }
    app.finish().await;
}
