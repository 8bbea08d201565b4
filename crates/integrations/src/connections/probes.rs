//! Tests of systems without FHIR: they send no document.

use super::{
    health::Trouble,
    keys,
    report::{Test, TestFailure},
    rules,
    types::TestStep,
};
use crate::{
    ehr::{self, Reached},
    network,
};
use http::{Request, header};
use platform::{App, Error, Result};
use store::entities::integration::{Model, Offered};
use tokio::time::Instant;

const NO_PATIENTS: &str = "The EHR has not reported any patient yet.";
const FEED: &str = "Ask the operator of this installation for an HL7 interface of your organization, and the EHR's administrator to send ADT messages to it.";
const ADDRESS: &str = "Please check the address, and whether the system is running.";
const TOKEN: &str = "Please enter the token again, or ask the administrator of that system.";

/// Tests an EHR with HL7 v2: its address, if it gets documents, and whether it reports patients.
pub async fn messages(app: &App, row: &Model, test: &mut Test) -> Result<Option<Offered>> {
    let begun = Instant::now();
    let has_address = !row.settings.base_url.is_empty();
    if has_address {
        match ehr::reach(app, row).await {
            Ok(Reached::Folder) => {
                test.passed(TestStep::Name, begun, "The organization's folder");
                test.not_needed(TestStep::Tls, "Files in a folder");
            }
            Ok(Reached::Encrypted) => {
                test.passed(TestStep::Name, begun, ehr_host(row));
                test.passed(TestStep::Tls, begun, "Encrypted");
            }
            Ok(Reached::Unencrypted) => {
                test.passed(TestStep::Name, begun, ehr_host(row));
                test.not_needed(TestStep::Tls, "Not encrypted, in a private network only");
            }
            Err(text) => {
                test.failed(TestStep::Name, begun, failure(&text, ADDRESS, "baseUrl"));
                return Ok(None);
            }
        }
    } else {
        test.not_needed(TestStep::Name, "This connection gets no documents");
        test.not_needed(TestStep::Tls, "Not needed");
    }
    test.not_needed(TestStep::SignIn, "HL7 v2 has no sign-in");
    let begun = Instant::now();
    let told_at = feeds::last_told(app, row.organization_id).await?;
    match told_at {
        Some(at) => {
            let day = at.format("%m/%d/%Y %H:%M");
            test.passed(TestStep::Read, begun, format!("The EHR last reported something on {day} UTC"));
        }
        None if has_address => test.not_needed(TestStep::Read, NO_PATIENTS),
        None => {
            let trouble = Trouble { text: NO_PATIENTS.into(), remedy: FEED };
            test.failed(TestStep::Read, begun, TestFailure { trouble, field: None });
        }
    }
    Ok(Some(rules::offered_by_messages(told_at.is_some(), has_address)))
}

/// Tests a web service: whether it answers, and accepts the token.
pub async fn service(app: &App, row: &Model, test: &mut Test) -> Result<Option<Offered>> {
    let begun = Instant::now();
    let mut request = Request::head(&row.settings.base_url);
    let secret = keys::secret(app, row).await?;
    if let Some(secret) = &secret {
        request = request.header(header::AUTHORIZATION, format!("Bearer {secret}"));
    }
    let request = request.body(Vec::new()).map_err(Error::internal)?;
    let http = network::client(app, row.organization_id).map_err(Error::internal)?;
    let answer = match http.send_for_beginning(request, 1).await {
        Ok(answer) => answer,
        Err(error) => {
            test.failed(TestStep::Name, begun, failure(ehr::unreached(&error), ADDRESS, "baseUrl"));
            return Ok(None);
        }
    };
    test.passed(TestStep::Name, begun, ehr_host(row));
    match row.settings.base_url.starts_with("https:") {
        true => test.passed(TestStep::Tls, begun, "Encrypted"),
        false => test.not_needed(TestStep::Tls, "Not encrypted, on this machine only"),
    }
    match (answer.status().as_u16(), secret) {
        (401 | 403, _) => {
            test.failed(TestStep::SignIn, begun, failure("It does not accept the token.", TOKEN, "secret"));
            return Ok(Some(rules::offered_by_service()));
        }
        (_, Some(_)) => test.passed(TestStep::SignIn, begun, "With the token"),
        (_, None) => test.not_needed(TestStep::SignIn, "Without a token"),
    }
    match answer.status().as_u16() {
        status @ (300..=399 | 500..) => {
            let text = format!("It answered with status {status}.");
            let trouble = Trouble { text, remedy: ADDRESS };
            test.failed(TestStep::Read, begun, TestFailure { trouble, field: Some("baseUrl") });
        }
        _ => test.passed(TestStep::Read, begun, "It answered; no document was sent"),
    }
    Ok(Some(rules::offered_by_service()))
}

fn ehr_host(row: &Model) -> String {
    fetch::host_and_port(&row.settings.base_url)
}

fn failure(text: &str, remedy: &'static str, field: &'static str) -> TestFailure {
    TestFailure { trouble: Trouble { text: text.into(), remedy }, field: Some(field) }
}
