//! Filing documents in the sample practice.

use crate::{client, http, letter, open_practice, serve_practice};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use fhir::model::NewDocument;
use fhir::practice::Practice;
use fhir::problem::Problem;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use uuid::Uuid;

async fn page(url: &str) -> (http::HeaderMap, String) {
    let request = http::Request::get(url).body(Vec::new()).unwrap();
    let (parts, body) = http().send(request, 1 << 20).await.unwrap().into_parts();
    (parts.headers, String::from_utf8(body).unwrap())
}

#[tokio::test]
async fn a_document_is_filed_shown_and_withdrawn() {
    let (practice, client) = open_practice().await;
    let document = NewDocument { title: "<Consultation> & \"more\"".into(), ..letter() };
    let filed = client.file(&document).await.unwrap();
    assert!(filed.is_new);
    let again = client.file(&document).await.unwrap();
    assert_eq!((again.id.as_str(), again.is_new), (filed.id.as_str(), false));
    assert_eq!(client.find_filed(document.identifier).await.unwrap().unwrap().location, filed.location);
    assert_eq!(client.find_filed(uuid::Uuid::new_v4()).await.unwrap(), None);

    let base = filed.location.split("/DocumentReference").next().unwrap();
    let (headers, shown) = page(&format!("{base}/chart/tenney")).await;
    assert!(
        shown.contains("&lt;Consultation&gt; &amp; &quot;more&quot;") && !shown.contains("<s>"),
        "{shown}"
    );
    assert!(
        headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'; style-src")
    );
    let content = page(&format!("{base}/chart/tenney/{}", filed.id)).await;
    assert_eq!(
        (content.1.as_str(), &content.0["content-type"]),
        ("%PDF-1.7 letter", &"application/pdf".parse().unwrap())
    );

    let identifier = document.identifier;
    let wrong = client.withdraw(&filed.id, identifier, "tenney-1964").await;
    assert_eq!(wrong, Err(Problem::WrongPatient));
    let others = client.withdraw(&filed.id, Uuid::new_v4(), "tenney").await;
    assert_eq!(others, Err(Problem::NotAllowed), "it is not ours");
    client.withdraw(&filed.id, identifier, "tenney").await.unwrap();
    client.withdraw(&filed.id, identifier, "tenney").await.unwrap();
    let kept = practice.resource("DocumentReference", &filed.id).unwrap();
    assert_eq!((&kept["status"], &kept["meta"]["versionId"]), (&json!("entered-in-error"), &json!("2")));
    assert_eq!(kept["content"][0]["attachment"]["title"], document.title, "nothing else was changed");
    assert!(page(&format!("{base}/chart/tenney")).await.1.contains("<s>"));
    assert!(matches!(client.file(&document).await, Err(Problem::Refused { status: 409, .. })));
}

#[tokio::test]
async fn large_content_is_filed_apart_and_once() {
    let (practice, client) = open_practice().await;
    let document = NewDocument { content: Bytes::from(vec![b'x'; 5 << 20]), ..letter() };
    let filed = client.file(&document).await.unwrap();
    assert_eq!(client.file(&document).await.unwrap().id, filed.id);
    assert_eq!((practice.count("Binary"), practice.count("DocumentReference")), (1, 1));
}

#[tokio::test]
async fn an_ehr_that_takes_no_content_within_documents_gets_it_apart() {
    let (practice, base) = serve_practice(Practice::open_to_all, |routes| {
        routes.layer(from_fn(async |request: Request, next: Next| {
            let size: usize =
                request.headers().get("content-length").map_or(0, |n| n.to_str().unwrap().parse().unwrap());
            match is_create(&request) && size > 1 << 20 {
                true => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
                false => next.run(request).await,
            }
        }))
    })
    .await;
    let document = NewDocument { content: Bytes::from(vec![b'x'; 2 << 20]), ..letter() };
    assert!(client(&base).file(&document).await.unwrap().is_new);
    assert_eq!((practice.count("Binary"), practice.count("DocumentReference")), (1, 1));
}

#[tokio::test]
async fn a_document_for_nobody_is_refused_with_codes() {
    let (practice, client) = open_practice().await;
    let document = NewDocument { patient_id: "nobody".into(), ..letter() };
    let refused = client.file(&document).await.unwrap_err();
    assert_eq!(refused.text(), "The EHR refused this with status 422 (invalid).");
    assert_eq!(practice.count("DocumentReference"), 0);
}

/// The practice behind a gateway that changes the answer to one kind of request.
fn changing(
    routes: Router,
    is_it: fn(&Request) -> bool,
    change: impl Fn(StatusCode, Value) -> Response + Clone + Send + Sync + 'static,
) -> Router {
    routes.layer(from_fn(move |request: Request, next: Next| {
        let (is_it, change) = (is_it(&request), change.clone());
        async move {
            let answer = next.run(request).await;
            if !is_it {
                return answer;
            }
            let (parts, body) = answer.into_parts();
            let body = to_bytes(Body::new(body), usize::MAX).await.unwrap();
            change(parts.status, serde_json::from_slice(&body).unwrap())
        }
    }))
}

fn is_create(request: &Request) -> bool {
    request.method() == "POST" && request.uri().path() == "/DocumentReference"
}

fn is_read(request: &Request) -> bool {
    request.method() == "GET" && request.uri().path().starts_with("/DocumentReference/")
}

/// The EHR files the document, but says that it is busy; with and without conditional create.
#[tokio::test]
async fn a_second_try_after_an_unclear_answer_files_nothing_twice() {
    for is_conditional in [true, false] {
        let is_first = Arc::new(AtomicBool::new(true));
        let (practice, base) = serve_practice(Practice::open_to_all, |routes| {
            let busy =
                changing(routes, is_create, move |status, answer| match is_first.swap(false, Relaxed) {
                    true => (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "7")]).into_response(),
                    false => (status, axum::Json(answer)).into_response(),
                });
            changing(
                busy,
                |request| request.uri().path() == "/metadata",
                move |_, mut statement| {
                    for resource in statement["rest"][0]["resource"].as_array_mut().unwrap() {
                        resource["conditionalCreate"] = is_conditional.into();
                    }
                    axum::Json(statement).into_response()
                },
            )
        })
        .await;
        let (client, document) = (client(&base), letter());
        let busy = client.file(&document).await.unwrap_err();
        assert_eq!(busy, Problem::Busy { retry_after: Some(Duration::from_secs(7)) });
        assert!(busy.is_temporary());
        assert!(!client.file(&document).await.unwrap().is_new);
        let other = NewDocument { patient_id: "tenney-1964".into(), ..document };
        assert_eq!(
            client.file(&other).await,
            Err(Problem::WrongPatient),
            "the same document for two patients"
        );
        assert_eq!(practice.count("DocumentReference"), 1);
    }
}

#[tokio::test]
async fn a_document_that_is_read_back_with_another_patient_is_not_confirmed() {
    let (_, base) = serve_practice(Practice::open_to_all, |routes| {
        changing(routes, is_read, |_, mut document| {
            document["subject"]["reference"] = "Patient/tenney-1964".into();
            axum::Json(document).into_response()
        })
    })
    .await;
    let client = client(&base);
    assert_eq!(client.file(&letter()).await, Err(Problem::WrongPatient));
}

#[tokio::test]
async fn a_withdrawal_that_meets_another_change_reads_again() {
    // The first reading confirms what was filed; the second one, before the change, is out of date.
    let readings = Arc::new(AtomicUsize::new(0));
    let counted = readings.clone();
    let (practice, base) = serve_practice(Practice::open_to_all, |routes| {
        changing(routes, is_read, move |_, mut document| {
            if counted.fetch_add(1, Relaxed) == 1 {
                document["meta"]["versionId"] = "0".into();
            }
            axum::Json(document).into_response()
        })
    })
    .await;
    let client = client(&base);
    let document = letter();
    let filed = client.file(&document).await.unwrap();
    client.withdraw(&filed.id, document.identifier, "tenney").await.unwrap();
    let kept = practice.resource("DocumentReference", &filed.id).unwrap();
    assert_eq!((&kept["status"], &kept["meta"]["versionId"]), (&json!("entered-in-error"), &json!("2")));
    assert_eq!(readings.load(Relaxed), 4);
}
