//! eFax Corporate, simulated after public clients and the contract tests of Faxbot. The real service is not called.

use std::sync::atomic::{AtomicU32, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fax::providers::efax::EFax;
use fax::{
    FileFormat, Found, Outcome, OutgoingFax, Provider, ProviderError, ProviderJob, Reception, State,
    SubmitError,
};
use serde_json::{Value, json};

use crate::support::{number, two_pages_to};
use crate::web::{Reply, Server};

const FAX: &str = "9def20cc-fe85-43bc-babe-23c26c2a115b";
const OTHER: &str = "4c5890ce-0edf-4877-aee1-706415922415";
const TO: &str = "+12025550123";

/// A server that has given its token, and an account that holds it.
async fn efax() -> (Server, EFax) {
    static ACCOUNTS: AtomicU32 = AtomicU32::new(0);
    let server = Server::start().await;
    let app = format!("app-{}", ACCOUNTS.fetch_add(1, Ordering::Relaxed));
    let provider = EFax::new(app, "key", "user").at(&server.address);
    server.json(200, token("token-1"));
    (server, provider)
}

fn token(value: &str) -> Value {
    json!({ "access_token": value, "expires_in": 86399 })
}

fn job() -> ProviderJob {
    ProviderJob { id: FAX.to_owned() }
}

fn created() -> Value {
    json!([{ "fax_id": FAX, "destination_fax_number": "12025550123" }])
}

fn details(status: &str, message: &str) -> Value {
    json!({ "fax_id": FAX, "direction": "OUTBOUND", "transmission_data":
        { "transmission_status": status, "error_code": "SFAX", "error_message": message } })
}

fn failure(status: u16, words: &str) -> Reply {
    Reply::Json(
        status,
        json!({ "errors": [{ "error_code": "X", "user_message": words, "developer_message": "?" }] }),
    )
}

async fn followed(status: &str, message: &str) -> Result<State, ProviderError> {
    let (server, provider) = efax().await;
    server.json(200, details(status, message));
    provider.follow(&job(), &two_pages_to(TO).fax).await.map(|progress| progress.state)
}

#[tokio::test]
async fn a_fax_is_one_request_with_one_destination_and_no_retries_at_efax() {
    let (server, provider) = efax().await;
    let sample = two_pages_to(TO);
    server.json(201, created());
    assert_eq!(provider.submit(&sample.fax).await, Ok(job()));
    assert_eq!(server.paths(), ["POST /tokens", "POST /faxes"]);
    let seen = server.seen();
    assert_eq!(&seen[0].body[..], b"grant_type=client_credentials");
    assert!(seen[0].header("authorization").starts_with("Basic "));
    assert_eq!(seen[1].header("authorization"), "Bearer token-1");
    assert_eq!(seen[1].header("user-id"), "user");
    assert_eq!(seen[1].header("transaction-id"), sample.fax.key.to_string());
    let body = seen[1].json();
    assert_eq!(body["destinations"], json!([{ "fax_number": "12025550123" }]));
    let options = &body["fax_options"];
    assert_eq!(
        (&options["image_resolution"], &options["include_cover_page"]),
        (&json!("FINE"), &json!(false))
    );
    assert_eq!(options["retry_options"], json!({ "non_billable": 0, "billable": 0, "human_answer": 0 }));
    assert_eq!(body["client_data"]["client_reference_id"], sample.fax.key.to_string());
    let document = STANDARD.decode(body["documents"][0]["document_content"].as_str().unwrap()).unwrap();
    assert!(document.starts_with(b"%PDF-"));
}

#[tokio::test]
async fn a_request_without_an_answer_is_uncertain_and_never_repeated() {
    for reply in [
        Reply::Silence,
        Reply::Text(500, ""),
        Reply::Text(504, "gateway timeout"),
        Reply::Moved("https://elsewhere.invalid/"),
        Reply::Text(201, "not json"),
        Reply::Json(201, json!([])),
        Reply::Json(201, json!([{ "fax_id": FAX }, { "fax_id": OTHER }])),
        Reply::Json(201, json!([{ "fax_id": format!("../{FAX}") }])),
        Reply::Json(201, json!([{ "fax_id": FAX, "destination_fax_number": "14155550100" }])),
        Reply::Json(200, created()),
    ] {
        let (server, provider) = efax().await;
        let sample = two_pages_to(TO);
        server.then(reply);
        let answer = provider.submit(&sample.fax).await;
        assert!(matches!(answer, Err(SubmitError::Uncertain(_))), "{answer:?}");
        assert_eq!(server.paths(), ["POST /tokens", "POST /faxes"]);
        assert_eq!(provider.find(&sample.fax).await, Ok(Found::CannotTell));
    }
}

#[tokio::test]
async fn a_refusal_carries_the_message_for_users() {
    for (reply, expected) in [
        (
            failure(400, "The fax number is invalid"),
            SubmitError::Refused(Outcome::BadNumber, "The fax number is invalid".into()),
        ),
        (
            failure(422, "Document empty"),
            SubmitError::Refused(Outcome::ProviderFault, "Document empty".into()),
        ),
        (Reply::Text(429, ""), SubmitError::Unreachable("eFax asks to wait.".into())),
    ] {
        let (server, provider) = efax().await;
        server.then(reply);
        assert_eq!(provider.submit(&two_pages_to(TO).fax).await, Err(expected));
    }
}

#[tokio::test]
async fn a_refused_token_is_renewed_once() {
    let (server, provider) = efax().await;
    server.json(401, json!({})).json(200, token("token-2")).json(201, created());
    assert_eq!(provider.submit(&two_pages_to(TO).fax).await, Ok(job()));
    assert_eq!(server.paths(), ["POST /tokens", "POST /faxes", "POST /tokens", "POST /faxes"]);
    assert_eq!(server.seen()[3].header("authorization"), "Bearer token-2");

    let (server, provider) = efax().await;
    server.json(401, json!({})).json(200, token("token-2")).json(401, json!({}));
    let answer = provider.submit(&two_pages_to(TO).fax).await;
    assert!(matches!(answer, Err(SubmitError::Refused(Outcome::ProviderFault, _))), "{answer:?}");
    assert_eq!(server.seen().len(), 4);
}

#[tokio::test]
async fn a_token_is_used_for_all_calls_of_a_day() {
    let (server, provider) = efax().await;
    let fax = two_pages_to(TO);
    for _ in 0..3 {
        server.json(200, details("NEW", ""));
        provider.clone().follow(&job(), &fax.fax).await.unwrap();
    }
    assert_eq!(server.paths().iter().filter(|path| *path == "POST /tokens").count(), 1);
}

#[tokio::test]
async fn states_are_read_as_efax_writes_them() {
    for (written, expected) in [
        ("NEW", State::Queued),
        ("PENDING RETRY", State::Queued),
        ("INPROGRESS", State::Dialling),
        ("IN PROGRESS", State::Dialling),
        ("INPROGESS", State::Dialling),
    ] {
        assert_eq!(followed(written, "").await, Ok(expected), "{written}");
    }
    for written in ["COMPLETE", "COMPLETED"] {
        let State::Finished(end) = followed(written, "").await.unwrap() else { panic!("{written}") };
        assert_eq!((end.outcome, end.confirmed_pages), (Outcome::Delivered, 2));
    }
    for (message, expected) in [
        ("Line busy", Outcome::Busy),
        ("No answer", Outcome::NoAnswer),
        ("Human answered", Outcome::VoiceAnswered),
        ("Invalid number", Outcome::BadNumber),
        ("Remote disconnected", Outcome::RemoteHangUp),
        ("Unspecified", Outcome::ProviderFault),
    ] {
        let State::Finished(end) = followed("ERROR", message).await.unwrap() else { panic!("{message}") };
        assert_eq!((end.outcome, end.confirmed_pages, end.words.as_str()), (expected, 0, message));
    }
    for written in ["CANCELED", "cancelled"] {
        let State::Finished(end) = followed(written, "").await.unwrap() else { panic!("{written}") };
        assert_eq!((end.outcome, end.confirmed_pages), (Outcome::Cancelled, 0));
    }
    assert!(matches!(followed("SOMETHING NEW", "").await, Err(ProviderError::Unreadable(_))));
}

#[tokio::test]
async fn only_the_uuid_of_the_requested_fax_is_accepted() {
    let (server, provider) = efax().await;
    let sample = two_pages_to(TO);
    for id in ["", "abc", &format!("../{FAX}"), &format!("{FAX}/cancel"), &format!("{FAX}?x=1")] {
        let forged = ProviderJob { id: id.to_owned() };
        assert_eq!(provider.follow(&forged, &sample.fax).await, Err(ProviderError::Unknown));
        assert_eq!(provider.cancel(&forged).await, Err(ProviderError::Unknown));
    }
    assert_eq!(server.seen().len(), 0);
    let mut another = details("COMPLETE", "");
    another["fax_id"] = json!(OTHER);
    server.json(200, another);
    assert!(matches!(provider.follow(&job(), &sample.fax).await, Err(ProviderError::Unreadable(_))));
    server.json(404, json!({}));
    assert_eq!(provider.follow(&job(), &sample.fax).await, Err(ProviderError::Unknown));
}

#[tokio::test]
async fn cancelling_a_fax_that_has_ended_is_not_an_error() {
    let (server, provider) = efax().await;
    server.json(202, json!({})).json(409, json!({}));
    provider.cancel(&job()).await.unwrap();
    provider.cancel(&job()).await.unwrap();
    assert_eq!(server.paths()[1], format!("POST /faxes/{FAX}/cancel"));
}

fn received(id: &str, day: u32, is_downloaded: bool) -> Value {
    json!({ "fax_id": id, "duration": 40, "pages": 1, "image_downloaded": is_downloaded,
        "completed_timestamp": format!("2026-10-{day:02}T14:00:00.000+0000"), "originating_fax_number": "18005551212",
        "destination_fax_number": "13035550123", "originating_fax_tsid": "Synthetic Clinic",
        "resource_url": "https://elsewhere.invalid/x" })
}

fn reception() -> Reception {
    Reception {
        id: FAX.to_owned(),
        received_at: None,
        called: None,
        caller: None,
        caller_name: None,
        station_id: None,
        pages: None,
        resolution: None,
        rate: None,
        duration: None,
        partial: None,
        line: None,
        is_marked: false,
    }
}

#[tokio::test]
async fn recent_faxes_that_are_marked_as_downloaded_are_listed() {
    let (server, provider) = efax().await;
    let (lately, long_ago) =
        (received(OTHER, 9, true), received("7e2a03da-95b8-483a-8219-e2762631efe5", 1, true));
    let forged = json!({ "fax_id": "../x" });
    server.json(200, json!({ "faxes": [received(FAX, 10, false), lately, long_ago, forged, "no object"] }));
    let listed = provider.received(None).await.unwrap();
    let ids: Vec<_> = listed.iter().map(|reception| reception.id.as_str()).collect();
    assert_eq!(ids, [OTHER, FAX]);
    assert_eq!([listed[0].is_marked, listed[1].is_marked], [true, false]);
    let first = &listed[0];
    assert_eq!(
        (first.called.as_deref(), first.caller.as_deref()),
        (Some("13035550123"), Some("18005551212"))
    );
    assert_eq!((first.station_id.as_deref(), first.pages), (Some("Synthetic Clinic"), Some(1)));
    assert_eq!(first.received_at.unwrap().to_rfc3339(), "2026-10-09T14:00:00+00:00");
    let list = &server.seen()[1];
    assert_eq!((list.header("pagination-offset"), list.header("pagination-limit")), ("0", "100"));
}

#[tokio::test]
async fn all_pages_of_a_list_are_read() {
    let (server, provider) = efax().await;
    let page = |count: u32| {
        let faxes: Vec<_> =
            (0..count).map(|_| received(&uuid::Uuid::new_v4().to_string(), 1, false)).collect();
        json!({ "faxes": faxes })
    };
    server.json(200, page(100)).json(200, page(3));
    assert_eq!(provider.received(None).await.unwrap().len(), 103);
    assert_eq!(server.seen()[2].header("pagination-offset"), "100");
}

#[tokio::test]
async fn faxes_are_fetched_checked_and_acknowledged() {
    let (server, provider) = efax().await;
    let image = |id: &str, content: &[u8]| json!({ "fax_id": id, "image": STANDARD.encode(content) });
    server.json(200, image(FAX, b"%PDF-1.4 pages"));
    let file = provider.fetch(&reception()).await.unwrap();
    assert_eq!((file.format, &file.content[..]), (FileFormat::Pdf, &b"%PDF-1.4 pages"[..]));
    for (body, what) in [
        (image(OTHER, b"%PDF-1.4"), "another fax"),
        (image(FAX, b"<html>"), "no pages"),
        (json!({ "fax_id": FAX, "image": "***" }), "no base64"),
    ] {
        server.json(200, body);
        assert!(matches!(provider.fetch(&reception()).await, Err(ProviderError::Unreadable(_))), "{what}");
    }
    server.json(200, json!({}));
    provider.acknowledge(&reception()).await.unwrap();
    let seen = server.seen();
    let mark = seen.last().unwrap();
    assert_eq!(mark.json(), json!({ "image_downloaded": true }));
    assert_eq!(server.paths()[1], format!("GET /faxes/{FAX}/image?desired_format=PDF"));
    assert_eq!(server.paths().last().unwrap(), &format!("PATCH /faxes/{FAX}/metadata"));
}

#[tokio::test]
async fn international_numbers_have_a_plus_and_extensions_are_refused() {
    let (server, provider) = efax().await;
    let sample = two_pages_to("+442079460018");
    server.json(201, json!([{ "fax_id": FAX, "destination_fax_number": "+442079460018" }]));
    provider.submit(&sample.fax).await.unwrap();
    assert_eq!(server.seen()[1].json()["destinations"][0]["fax_number"], "+442079460018");
    let fax = OutgoingFax { to: number("+13125550123;ext=9"), ..sample.fax.clone() };
    assert!(matches!(provider.submit(&fax).await, Err(SubmitError::Refused(Outcome::BadNumber, _))));
}

#[tokio::test]
async fn problems_of_the_account_are_described() {
    let (server, provider) = efax().await;
    server.json(200, json!({ "faxes": [] }));
    assert_eq!(provider.test().await, Vec::<String>::new());
    server.json(403, json!({}));
    assert_eq!(provider.test().await, ["eFax does not accept the application, its key or the user."]);
    let gone = EFax::new("app", "key", "user").at("http://127.0.0.1:1");
    assert!(gone.test().await[0].starts_with("eFax cannot be asked"));
    let answer = gone.submit(&two_pages_to(TO).fax).await;
    assert!(matches!(answer, Err(SubmitError::Unreachable(_))), "{answer:?}");
}
