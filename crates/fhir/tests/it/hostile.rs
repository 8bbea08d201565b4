//! Servers that are wrong, or mean harm.

use crate::{client, fetcher, letter, serve};
use axum::Router;
use axum::extract::{RawQuery, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use fetch::AddressGuard;
use fhir::bundle::{ENTRIES_MAX, PAGES_MAX};
use fhir::client::{Access, Client};
use fhir::model::PatientQuery;
use fhir::problem::Problem;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

fn tenney() -> PatientQuery {
    PatientQuery {
        family: Some("Tenney".into()),
        given: Some("Marisol".into()),
        born: "1961-03-14".parse().ok(),
        ..PatientQuery::default()
    }
}

fn patient(id: &str, given: &str, born: &str) -> Value {
    json!({
        "resourceType": "Patient", "id": id, "birthDate": born,
        "name": [{"family": "Tenney", "given": [given]}],
    })
}

fn bundle(resources: &[Value]) -> Value {
    let entries: Vec<Value> = resources.iter().map(|resource| json!({"resource": resource})).collect();
    json!({"resourceType": "Bundle", "type": "searchset", "entry": entries})
}

/// A server with the same answer to everything.
async fn always(status: StatusCode, answer: Value) -> Client {
    client(&serve(Router::new().fallback(any(async move || (status, axum::Json(answer))))).await)
}

#[tokio::test]
async fn a_server_that_ignores_what_is_asked_gives_nobody_else() {
    let all = bundle(&[
        patient("1", "Marisol", "1961-03-14"),
        patient("2", "Marisol", "1964-03-14"),
        patient("3", "Desmond", "1961-03-14"),
        patient("4", "Marisol", "1961"),
        patient("5", "Marisol", "1962"),
        json!({"resourceType": "Patient", "name": [{"family": "Tenney"}]}),
        json!({"resourceType": "OperationOutcome", "issue": [{"code": "not-supported"}]}),
        json!({"resourceType": "Observation", "id": "9"}),
    ]);
    let client = always(StatusCode::OK, all).await;
    let found = client.find_patients(&tenney()).await.unwrap();
    let ids: Vec<_> = found.items.iter().map(|patient| patient.id.as_str()).collect();
    assert_eq!(ids, ["1", "4"]);
    assert_eq!(found.items[1].born, None, "no day is invented");
    assert_eq!(
        found.warnings,
        [
            "3 entries were left out: they do not match what was asked for.",
            "1 entry was left out: it cannot be read."
        ]
    );
}

#[tokio::test]
async fn what_match_finds_is_added_unless_the_birth_date_differs() {
    let resources = json!([{"type": "Patient", "operation": [{"name": "match", "definition": "x"}]}]);
    let statement =
        json!({"resourceType": "CapabilityStatement", "rest": [{"mode": "server", "resource": resources}]});
    let matched = bundle(&[
        patient("1", "Marisol", "1961-03-14"),
        patient("2", "Mary", "1961-03-14"),
        patient("3", "Marisol", "1961-04-13"),
    ]);
    let searched = bundle(&[patient("1", "Marisol", "1961-03-14")]);
    let routes = Router::new()
        .route("/metadata", get(async move || axum::Json(statement)))
        .route("/Patient/_search", post(async move || axum::Json(searched)))
        .route("/Patient/$match", post(async move || axum::Json(matched)));
    let found = client(&serve(routes).await).find_patients(&tenney()).await.unwrap();
    let ids: Vec<_> = found.items.iter().map(|patient| patient.id.as_str()).collect();
    assert_eq!(ids, ["1", "2"]);
}

#[tokio::test]
async fn an_answer_for_another_patient_is_refused_as_a_whole() {
    let client = always(StatusCode::OK, patient("2", "Marisol", "1961-03-14")).await;
    assert_eq!(client.patient("1").await, Err(Problem::WrongPatient));

    let visit = |id: &str, patient: &str| json!({"resourceType": "Encounter", "id": id, "status": "finished", "subject": {"reference": patient}});
    let mine = visit("1", "Patient/1");
    let others = ["Patient/2", "Patient/11", "http://other.example/fhir/Patient/1", "Group/1", "Patient/1/x"];
    for other in others {
        let client = always(StatusCode::OK, bundle(&[mine.clone(), visit("2", other)])).await;
        assert_eq!(client.visits("1").await, Err(Problem::WrongPatient), "{other}");
    }
    let nobody = json!({"resourceType": "Encounter", "id": "3", "status": "finished"});
    let mut error = visit("4", "Patient/1");
    error["status"] = "entered-in-error".into();
    let client = always(StatusCode::OK, bundle(&[mine, nobody, error])).await;
    let visits = client.visits("1").await.unwrap();
    assert_eq!((visits.items.len(), visits.warnings.len()), (1, 1));
}

/// Pages of a hundred patients, each with a link to the next.
async fn pages(
    next: impl Fn(usize) -> String + Clone + Send + Sync + 'static,
    size: usize,
) -> (Client, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let answer = async move |_: RawQuery| {
        let page = counted.fetch_add(1, Relaxed);
        let patients: Vec<_> =
            (0..size).map(|n| patient(&format!("{page}-{n}"), "Marisol", "1961-03-14")).collect();
        let mut bundle = bundle(&patients);
        bundle["link"] = json!([{"relation": "next", "url": next(page)}]);
        axum::Json(bundle)
    };
    (client(&(serve(Router::new().fallback(any(answer))).await + "/fhir")), asked)
}

/// Pages of practitioners: the number of the next page, which may be none of them, and the number of entries.
pub async fn linked(pages: Vec<(usize, usize)>) -> (Client, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let answer = async move |RawQuery(query): RawQuery| {
        counted.fetch_add(1, Relaxed);
        let page = query.and_then(|query| query.strip_prefix("page=")?.parse().ok()).unwrap_or(0);
        let (next, size): (usize, usize) = pages[page];
        let people: Vec<_> =
            (0..size).map(|n| json!({"resourceType": "Practitioner", "id": format!("{page}-{n}")})).collect();
        let mut bundle = bundle(&people);
        if next < pages.len() {
            bundle["link"] = json!([{"relation": "next", "url": format!("Practitioner?page={next}")}]);
        }
        axum::Json(bundle)
    };
    (client(&serve(Router::new().fallback(any(answer))).await), asked)
}

#[tokio::test]
async fn endless_pages_end() {
    let by_name = PatientQuery { family: Some("Tenney".into()), ..PatientQuery::default() };
    let (client, asked) = pages(|page| format!("Patient?page={page}"), 1).await;
    let found = client.find_patients(&by_name).await.unwrap();
    assert_eq!((found.items.len(), found.is_cut, asked.load(Relaxed)), (PAGES_MAX, true, PAGES_MAX));

    let (client, asked) = pages(|page| format!("Patient?page={page}"), 120).await;
    let found = client.find_patients(&by_name).await.unwrap();
    assert_eq!((found.items.len(), found.is_cut, asked.load(Relaxed)), (ENTRIES_MAX, true, 5));

    let (client, _) = pages(|_| "Patient?page=1".into(), 1).await;
    assert_eq!(client.find_patients(&by_name).await, Err(Problem::TooManyPages), "a circle");

    let strange = [
        "http://127.0.0.1:9/fhir/Patient?page=1",
        "//other.example/fhir/Patient",
        "/other/Patient?page=1",
        "../fhirx/Patient",
        "/fhir/../admin",
    ];
    for next in strange {
        let (client, asked) = pages(move |_| next.to_owned(), 1).await;
        let found = client.find_patients(&by_name).await.unwrap();
        assert_eq!((found.is_cut, found.warnings.len(), asked.load(Relaxed)), (true, 1, 1), "{next}");
    }
}

#[tokio::test]
async fn ten_megabytes_are_too_large() {
    let mut large = bundle(&[]);
    large["id"] = "x".repeat(10 << 20).into();
    let client = always(StatusCode::OK, large).await;
    assert_eq!(client.find_patients(&tenney()).await, Err(Problem::TooLarge));
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_private_networks_are_not_asked() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let inner = serve(Router::new().fallback(any(async move || {
        counted.fetch_add(1, Relaxed);
    })))
    .await;
    let moved = inner.clone();
    let routes = Router::new().fallback(any(async move || axum::response::Redirect::temporary(&moved)));
    let client = client(&serve(routes).await);
    assert_eq!(client.offers().await, Err(Problem::Redirected));
    assert_eq!(client.file(&letter()).await, Err(Problem::Redirected));

    let guarded = fetcher(AddressGuard::public_only());
    let guarded = Client::new(guarded, &inner, Access::Open).unwrap();
    assert_eq!(guarded.patient("1").await, Err(Problem::Forbidden));
    assert_eq!(asked.load(Relaxed), 0);
}

#[tokio::test]
async fn nothing_that_an_ehr_writes_about_a_patient_is_in_a_problem() {
    let outcome = json!({
        "resourceType": "OperationOutcome",
        "issue": [
            {"severity": "error", "code": "invalid", "diagnostics": "Marisol Tenney, 1961-03-14"},
            {"severity": "error", "code": "Tenney", "details": {"text": "Tenney has HIV"}, "expression": ["Tenney"]},
        ],
        "text": {"div": "Tenney"},
    });
    for status in [400, 401, 403, 404, 409, 422, 500, 503] {
        let client = always(StatusCode::from_u16(status).unwrap(), outcome.clone()).await;
        let problem = client.visits("tenney-id").await.unwrap_err();
        let shown = format!("{problem:?} {problem} {} {client:?}", problem.text());
        for secret in ["Tenney", "1961", "HIV", "tenney-id"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
    let shown = format!("{:?} {:?}", letter(), tenney());
    assert!(!shown.contains("Tenney") && !shown.contains("1961") && !shown.contains("page 2"), "{shown}");
}

#[tokio::test]
async fn a_busy_server_says_when_to_come_back() {
    let date = "Sun, 01 Mar 2026 10:00:00 GMT";
    let cases = [
        (Some("120"), Some(120)),
        (Some("Sun, 01 Mar 2026 10:01:30 GMT"), Some(90)),
        (Some("Sun, 01 Mar 2026 09:00:00 GMT"), Some(0)),
        (Some("99999999"), Some(3600)),
        (Some("soon"), None),
        (None, None),
    ];
    for (header, seconds) in cases {
        let answer = async move |_: Request| -> Response {
            let mut response = StatusCode::TOO_MANY_REQUESTS.into_response();
            response.headers_mut().insert("date", date.parse().unwrap());
            header.map(|wait| response.headers_mut().insert("retry-after", wait.parse().unwrap()));
            response
        };
        let client = client(&serve(Router::new().fallback(any(answer))).await);
        let expected = Problem::Busy { retry_after: seconds.map(Duration::from_secs) };
        assert_eq!(client.patient("1").await, Err(expected), "{header:?}");
    }
}

#[tokio::test]
async fn what_is_no_fhir_server_is_told() {
    for base in
        ["ftp://a.example", "not an address", "https://u:p@a.example/", "https://a.example/?x", "file:///etc"]
    {
        assert_eq!(Client::new(crate::http(), base, Access::Open).unwrap_err(), Problem::Address, "{base}");
    }
    let token = Access::Bearer("secret".into());
    let plain = Client::new(crate::http(), "http://a.example/fhir", token.clone()).unwrap_err();
    assert_eq!(plain, Problem::Address, "no token over an open connection");
    assert!(!format!("{token:?}").contains("secret"));

    let client = always(StatusCode::OK, json!({"resourceType": "Patient"})).await;
    assert_eq!(client.offers().await, Err(Problem::Unreadable));
    let client = always(StatusCode::NOT_FOUND, json!({})).await;
    assert_eq!(client.offers().await, Err(Problem::Address));
    let nowhere = crate::client("http://nowhere.invalid/fhir");
    assert_eq!(nowhere.offers().await, Err(Problem::NameNotFound));
    let closed = crate::client("http://127.0.0.1:9/fhir");
    assert_eq!(closed.offers().await, Err(Problem::NotConnected));
    for id in ["", "..", "../metadata", "1?x=1", "a/b"] {
        assert_eq!(closed.patient(id).await, Ok(None), "{id}");
    }
}
