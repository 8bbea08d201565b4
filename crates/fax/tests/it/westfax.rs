//! WestFax, simulated after its Postman collection, SDK (westfax/SDK-Fax) and knowledge base, with field names and values
//! from the examples there. WestFax has no sandbox, so the real service is not called.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fax::providers::westfax::WestFax;
use fax::{
    FileFormat, Finished, Found, Outcome, OutgoingFax, Provider, ProviderError, ProviderJob, Resolution,
    State, SubmitError,
};
use serde_json::{Value, json};

use crate::support::{number, two_pages_to};
use crate::web::{Reply, Server};

const JOB: &str = "3d1f0a52-a7b8-4012-8def-1234567890ab";
const FAX: &str = "4c5890ce-0edf-4877-aee1-706415922415";
const PRODUCT: &str = "9def20cc-fe85-43bc-babe-23c26c2a115b";
const TO: &str = "+18005559999";

async fn westfax() -> (Server, WestFax) {
    let server = Server::start().await;
    let provider = WestFax::new("user@example.com", "secret", PRODUCT).at(&server.address);
    (server, provider)
}

fn job() -> ProviderJob {
    ProviderJob { id: JOB.to_owned() }
}

fn good(result: Value) -> Value {
    json!({ "Success": true, "Result": result })
}

fn described(status: &str, calls: Value) -> Value {
    good(json!([{ "Id": JOB, "Direction": "Outbound", "Tag": "None", "PageCount": 2, "FaxQuality": "Fine",
        "Status": status, "Date": "2026-11-19T14:44:52Z", "JobName": "x", "FaxCallInfoList": calls }]))
}

fn call(result: &str, pages: u32) -> Value {
    json!({ "CallId": JOB, "CompletedUTC": "2026-11-19T14:45:10Z", "TermNumber": "8005559999",
        "OrigNumber": "3125550100", "TermCSID": "Acme Corp Fax", "OrigCSID": "", "Result": result,
        "CallPageCount": pages })
}

async fn followed(status: &str, calls: Value) -> State {
    let (server, provider) = westfax().await;
    server.json(200, described(status, calls));
    provider.follow(&job(), &two_pages_to(TO).fax).await.unwrap().state
}

async fn finished(status: &str, calls: Value) -> Finished {
    match followed(status, calls).await {
        State::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_fax_is_a_form_with_one_number_and_the_pages_as_pdf() {
    let (server, provider) = westfax().await;
    server.json(200, good(json!(JOB)));
    let sample = two_pages_to(TO);
    assert_eq!(provider.submit(&sample.fax).await, Ok(job()));
    let seen = &server.seen()[0];
    assert_eq!(server.paths(), ["POST /REST/Fax_SendFax/json"]);
    for (name, expected) in [
        ("Username", "user@example.com"),
        ("Password", "secret"),
        ("Cookies", "false"),
        ("ProductId", PRODUCT),
        ("JobName", &sample.fax.key.to_string()),
        ("Header", "Tri-Valley Cardiology"),
        ("Numbers1", "800-555-9999"),
        ("CSID", "+1 312 555 0100"),
        ("ANI", "3125550100"),
        ("FaxQuality", "Fine"),
        ("Numbers2", ""),
    ] {
        assert_eq!(seen.field(name), expected, "{name}");
    }
    assert!(seen.field("Files0").starts_with("%PDF-"));
}

#[tokio::test]
async fn failures_come_with_http_status_200() {
    let (server, provider) = westfax().await;
    let bad = json!({ "Success": false, "ErrorString": "Bad fax number", "InfoString": "Check Numbers1" });
    server.json(200, bad);
    let answer = provider.submit(&two_pages_to(TO).fax).await;
    let words = "Bad fax number Check Numbers1".to_owned();
    assert_eq!(answer, Err(SubmitError::Refused(Outcome::BadNumber, words)));

    server.json(200, json!({ "Success": false, "ErrorString": "Authentication failed", "InfoString": "" }));
    let refused = provider.follow(&job(), &two_pages_to(TO).fax).await;
    assert_eq!(refused, Err(ProviderError::Refused("Authentication failed".to_owned())));
}

#[tokio::test]
async fn a_submission_without_an_answer_is_uncertain_and_found_by_its_name() {
    let (server, provider) = westfax().await;
    let sample = two_pages_to(TO);
    for reply in [
        Reply::Silence,
        Reply::Text(500, "oops"),
        Reply::Text(200, "<html>Bad gateway</html>"),
        Reply::Moved("https://elsewhere.invalid/"),
        Reply::Json(200, good(json!("../../etc"))),
        Reply::Json(200, good(json!(null))),
    ] {
        server.then(reply);
        let answer = provider.submit(&sample.fax).await;
        assert!(matches!(answer, Err(SubmitError::Uncertain(_))), "{answer:?}");
    }
    let listed =
        |name: &str| good(json!([{ "Id": FAX, "JobName": "another" }, { "Id": JOB, "JobName": name }]));
    server.json(200, listed(&sample.fax.key.to_string()));
    assert_eq!(provider.find(&sample.fax).await, Ok(Found::Job(job())));
    let seen = server.seen();
    let list = seen.last().unwrap();
    assert_eq!(
        (list.path.as_str(), list.field("FaxDirection").as_str()),
        ("/REST/Fax_GetFaxDescriptions/json", "Outbound")
    );
    // A job that is not listed may still appear.
    server.json(200, listed("another"));
    assert_eq!(provider.find(&sample.fax).await, Ok(Found::CannotTell));
}

#[tokio::test]
async fn nothing_is_sent_while_the_service_is_down() {
    let gone = WestFax::new("user", "secret", PRODUCT).at("http://127.0.0.1:1");
    let answer = gone.submit(&two_pages_to(TO).fax).await;
    assert!(matches!(answer, Err(SubmitError::Unreachable(_))), "{answer:?}");
    assert!(gone.test().await[0].starts_with("WestFax cannot be reached"));
}

#[tokio::test]
async fn results_of_calls_become_outcomes() {
    for (result, pages, expected, confirmed) in [
        ("Sent", 2, Outcome::Delivered, 2),
        ("Sent", 1, Outcome::PagesLost, 1),
        ("Busy", 0, Outcome::Busy, 0),
        ("NoAnswer", 0, Outcome::NoAnswer, 0),
        ("NoFaxDevice", 0, Outcome::NoFaxSignal, 0),
        ("InvalidNumber", 0, Outcome::BadNumber, 0),
        ("ConnectionInterrupt", 1, Outcome::RemoteHangUp, 1),
        ("SomethingNew", 0, Outcome::ProviderFault, 0),
        ("SomethingNew", 1, Outcome::Uncertain, 1),
    ] {
        let end = finished("Complete", json!([call(result, pages)])).await;
        assert_eq!((end.outcome, end.confirmed_pages), (expected, confirmed), "{result}");
        assert_eq!((end.words.as_str(), end.remote_id.as_deref()), (result, Some("Acme Corp Fax")));
    }
    let cancelled = finished("Cancelled", json!([call("Cancelled", 0)])).await;
    assert!(!cancelled.outcome.may_retry());
    assert_eq!(finished("Complete", json!([])).await.outcome, Outcome::Uncertain);
}

#[tokio::test]
async fn westfax_redials_and_the_call_that_got_through_counts() {
    let end = finished("Complete", json!([call("Busy", 0), call("Sent", 2)])).await;
    assert_eq!((end.outcome, end.confirmed_pages), (Outcome::Delivered, 2));
}

#[tokio::test]
async fn a_fax_in_progress_has_calls_without_an_end() {
    assert_eq!(followed("Submitted", json!([call("Waiting to dial", 0)])).await, State::Queued);
    assert_eq!(followed("Submitted", json!([])).await, State::Queued);
    assert_eq!(followed("Production", json!([])).await, State::Dialling);
    let sending = followed("Production", json!([call("Sending", 1)])).await;
    assert_eq!(sending, State::Sending { page: 2, of: 2 });
}

#[tokio::test]
async fn a_fax_that_westfax_does_not_know_has_no_state() {
    let (server, provider) = westfax().await;
    let sample = two_pages_to(TO);
    server.json(200, good(json!([])));
    assert_eq!(provider.follow(&job(), &sample.fax).await, Err(ProviderError::Unknown));
    let forged = ProviderJob { id: "\"},{\"Id\":\"".to_owned() };
    assert_eq!(provider.follow(&forged, &sample.fax).await, Err(ProviderError::Unknown));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn received_faxes_are_listed_described_fetched_and_acknowledged() {
    let (server, provider) = westfax().await;
    let entry = |id: &str, tag: &str| json!({ "Id": id, "Direction": "Inbound", "Date": "2026-11-19T23:19:22Z", "Tag": tag });
    let description = |result: &str| {
        json!([{ "Id": FAX, "Direction": "Inbound", "Date": "2026-11-19T23:19:22Z", "Tag": "None", "PageCount": 2,
            "FaxQuality": "Fine", "Status": "Complete", "FaxCallInfoList": [{ "TermNumber": "9702895979",
            "OrigNumber": "8005551234", "TermCSID": "", "OrigCSID": "ACME REMOTE SENDER", "Result": result }] }])
    };
    // A fax that was fetched, but perhaps not stored, is listed for a while; a deleted one is not.
    server.json(200, good(json!([entry(FAX, "Retrieved"), entry(JOB, "Removed")])));
    server.json(200, good(description("Success")));
    let after = "2026-11-18T00:00:00Z".parse().unwrap();
    let listed = provider.received(Some(after)).await.unwrap();
    let [reception] = &listed[..] else { panic!("{listed:?}") };
    assert!(reception.is_marked);
    assert_eq!(
        (reception.called.as_deref(), reception.caller.as_deref()),
        (Some("9702895979"), Some("8005551234"))
    );
    assert_eq!((reception.station_id.as_deref(), reception.pages), (Some("ACME REMOTE SENDER"), Some(2)));
    assert_eq!((reception.resolution, reception.partial.as_deref()), (Some(Resolution::Fine), None));
    let seen = server.seen();
    assert_eq!(
        (seen[0].field("StartDate"), seen[0].field("FaxDirection")),
        ("11/18/2026".into(), "Inbound".into())
    );
    assert_eq!(seen[1].field("FaxIds1"), json!({ "Id": FAX, "Direction": "Inbound" }).to_string());
    assert_eq!(seen[1].field("FaxIds2"), "");

    let file = |content: &[u8]| json!([{ "ContentType": "application/pdf", "FileContents": STANDARD.encode(content) }]);
    server.json(200, good(json!([{ "Id": FAX, "FaxFiles": file(b"%PDF-1.7 pages") }])));
    let fetched = provider.fetch(reception).await.unwrap();
    assert_eq!((fetched.format, &fetched.content[..]), (FileFormat::Pdf, &b"%PDF-1.7 pages"[..]));
    server.json(200, good(json!(true)));
    provider.acknowledge(reception).await.unwrap();
    assert_eq!(server.seen().last().unwrap().field("Filter"), "Retrieved");

    // Only files of known formats are accepted.
    server.json(200, good(json!([{ "Id": FAX, "FaxFiles": file(b"<html>") }])));
    assert!(matches!(provider.fetch(reception).await, Err(ProviderError::Unreadable(_))));
    // A call that broke off.
    server.json(200, good(json!([entry(FAX, "None")]))).json(200, good(description("ConnectionInterrupt")));
    let broken = provider.received(None).await.unwrap().remove(0);
    assert_eq!((broken.partial.as_deref(), broken.is_marked), (Some("ConnectionInterrupt"), false));
}

#[tokio::test]
async fn international_numbers_have_the_prefix_and_extensions_are_refused() {
    let (server, provider) = westfax().await;
    let sample = two_pages_to("+442079460018");
    server.json(200, good(json!(JOB)));
    provider.submit(&sample.fax).await.unwrap();
    assert_eq!(server.seen()[0].field("Numbers1"), "011442079460018");
    let fax = OutgoingFax { to: number("+13125550123;ext=9"), ..sample.fax.clone() };
    assert!(matches!(provider.submit(&fax).await, Err(SubmitError::Refused(Outcome::BadNumber, _))));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn problems_of_the_account_are_described() {
    let (server, provider) = westfax().await;
    server.json(200, good(json!("ok"))).json(200, good(json!([{ "Id": PRODUCT, "Name": "Line" }])));
    assert_eq!(provider.test().await, Vec::<String>::new());
    server.json(200, good(json!("ok"))).json(200, good(json!([{ "Id": FAX }])));
    assert_eq!(provider.test().await, ["WestFax knows no product with this id for this user."]);
    server.json(200, json!({ "Success": false, "ErrorString": "Authentication failed" }));
    assert_eq!(
        provider.test().await,
        ["WestFax does not accept the user name or the password: Authentication failed"]
    );
}

#[tokio::test]
async fn a_product_has_the_number_at_which_it_takes_faxes() {
    let (server, provider) = westfax().await;
    let listed = json!([
        { "Id": PRODUCT.to_uppercase(), "Name": "Front desk", "ProductType": "FaxForward", "InboundNumber": "3125550100" },
        { "Id": JOB, "Name": "Billing", "ProductType": "FaxForward", "InboundNumber": "3125550101" },
    ]);
    server.json(200, good(listed));
    assert_eq!(provider.numbers().await, Ok(vec!["3125550100".to_owned()]));
    // A product that only sends has none.
    server.json(200, good(json!([{ "Id": PRODUCT, "ProductType": "BroadcastFax", "InboundNumber": "" }])));
    assert_eq!(provider.numbers().await, Ok(Vec::new()));
}
