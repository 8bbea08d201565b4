//! External services used by operators: the registry of provider identifiers, and customer messaging.

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Query, State},
    http::{HeaderMap, Method, StatusCode, Uri},
    routing::{any, get},
};
use platform::{Config, Role, config::Mode};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use testkit::{Client, Db, Options, Organization, TestApp};

/// A server on loopback that runs as long as the test.
async fn serve(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

async fn start(configure: impl Fn(&mut Config) + Send + Sync + 'static) -> (TestApp, Client, Organization) {
    let configure = move |config: &mut Config| {
        config.mode = Mode::Production;
        config.session.require_second_factor = Some(false);
        configure(config);
    };
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let larkfield = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
    (app, operator, larkfield)
}

fn npi(number: &str) -> String {
    format!("/api/admin/organizations/npi?npiNumber={number}")
}

/// ADA-R-013
#[tokio::test]
async fn a_number_that_no_imported_list_holds_is_looked_up_with_the_registry() {
    let registry = |Query(asked): Query<HashMap<String, String>>| async move {
        assert_eq!(asked["version"], "2.1");
        let known = json!([{ "number": 1234567893, "enumeration_type": "NPI-2",
            "basic": { "organization_name": "LARKFIELD", "status": "A", "authorized_official_last_name": "WHITLOCK" },
            "addresses": [{ "address_1": "418 ORCHARD LANE", "city": "PORTLAND", "state": "OR", "postal_code": "97201" }] }]);
        let results = if asked["number"] == "1234567893" { known } else { json!([]) };
        Json(json!({ "result_count": 1, "results": results }))
    };
    let address = serve(Router::new().route("/api/", get(registry))).await;
    let (app, operator, _) = start(move |config| {
        config.npi.registry_url = Some(format!("http://{address}/api/").parse().expect("a URL"));
    })
    .await;
    let found = operator.get(&npi("1234567893")).await.ok();
    let entry = &found["items"][0];
    assert_eq!((&entry["number"], &entry["basic"]["name"]), (&json!("1234567893"), &json!("LARKFIELD")));
    assert_eq!(entry["addresses"][0]["city"], "PORTLAND");
    assert_eq!(operator.get(&npi("1999999999")).await.ok()["items"], json!([]));
    app.finish().await;
    let (app, operator, _) = start(|_| {}).await;
    let problem = operator.get(&npi("1234567893")).await.problem(409);
    assert!(problem["message"].as_str().is_some_and(|text| text.contains("Import the list")), "{problem}");
    app.finish().await;
}

type Calls = Arc<Mutex<Vec<(String, Value)>>>;

/// Answers like Intercom for a person whose address it already knows.
async fn intercom(
    State(calls): State<Calls>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, Json<Value>) {
    if headers.get("authorization").is_none_or(|token| token != "Bearer secret") {
        return (StatusCode::UNAUTHORIZED, Json(json!({ "type": "error.list" })));
    }
    let call = format!("{method} {}", uri.path());
    let body = serde_json::from_slice(&body).expect("JSON");
    calls.lock().expect("calls").push((call.clone(), body));
    match call.as_str() {
        "POST /contacts" => (StatusCode::CONFLICT, Json(json!({ "type": "error.list" }))),
        "POST /contacts/search" => (StatusCode::OK, Json(json!({ "data": [{ "id": "c-1" }] }))),
        "POST /companies" => (StatusCode::OK, Json(json!({ "id": "o-1" }))),
        _ => (StatusCode::OK, Json(json!({ "id": "c-1" }))),
    }
}

/// ADA-C-072 ADA-R-012 ADA-R-022
#[tokio::test]
async fn organizations_and_people_are_handed_to_the_customer_messaging_service() {
    let calls = Calls::default();
    let address = serve(Router::new().fallback(any(intercom)).with_state(calls.clone())).await;
    let with_token = |token: &'static str| {
        start(move |config| {
            config.customer_messaging.url = Some(format!("http://{address}").parse().expect("a URL"));
            config.customer_messaging.access_token = Some(token.into());
        })
    };
    let (app, operator, larkfield) = with_token("secret").await;
    let person = app.user(Role::User, &larkfield).await;
    operator.post(&format!("/api/organizations/{}/sync", larkfield.id), &json!({})).await.ok();
    operator.post(&format!("/api/admin/users/{}/sync", person.id), &json!({})).await.ok();
    let made: Vec<_> = calls.lock().expect("calls").clone();
    let paths: Vec<_> = made.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "POST /companies",
            "POST /contacts",
            "POST /contacts/search",
            "PUT /contacts/c-1",
            "POST /companies",
            "POST /contacts/c-1/companies"
        ]
    );
    assert_eq!(made[0].1["company_id"], json!(larkfield.id));
    assert!(made[0].1["size"].as_u64().is_some_and(|size| size >= 1), "{}", made[0].1);
    assert_eq!(made[3].1["external_id"], json!(person.id));
    app.finish().await;
    let (app, operator, larkfield) = with_token("wrong").await;
    let path = format!("/api/organizations/{}/sync", larkfield.id);
    let problem = operator.post(&path, &json!({})).await.problem(409);
    assert!(problem["message"].as_str().is_some_and(|text| text.contains("token")), "{problem}");
    app.finish().await;
}
