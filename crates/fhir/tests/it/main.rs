//! The client against the sample practice, against servers of others and against servers that are wrong, over HTTP.

mod documents;
mod hostile;
mod peers;
mod properties;
mod reading;
mod sample;
mod sign_in;
mod targets;
mod validation;

use axum::Router;
use bytes::Bytes;
use fetch::{AddressGuard, HttpFetcher};
use fhir::client::{Access, Client};
use fhir::model::{Confidentiality, DocumentType, GroupKind, NewDocument};
use fhir::practice::{self, Practice};
use std::path::{Path, PathBuf};
use tokio::net::TcpListener;
use uuid::Uuid;

/// The folder of what is built, in which `script/test` also installs the peers.
fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"))
}

/// Says why a test is skipped. In CI, where everything is installed, that is a failure.
#[track_caller]
fn skipped(why: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "this must run in CI: {why}");
    eprintln!("skipped: {why}");
}

/// Serves routes on this machine, and returns their address.
async fn serve(routes: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    address
}

/// Serves a practice below `/fhir`, with something around it.
async fn serve_practice(
    prepare: impl FnOnce(Practice) -> Practice,
    around: impl FnOnce(Router) -> Router,
) -> (Practice, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/fhir", listener.local_addr().unwrap());
    let practice = prepare(Practice::open(None, base.clone()).unwrap());
    let routes = Router::new().nest("/fhir", around(practice::router(practice.clone())));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (practice, base)
}

fn http() -> HttpFetcher {
    fetcher(AddressGuard::unrestricted())
}

fn fetcher(guard: AddressGuard) -> HttpFetcher {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    HttpFetcher::new(guard).unwrap()
}

fn client(base: &str) -> Client {
    Client::new(http(), base, Access::Open).unwrap()
}

/// An open practice and its client.
async fn open_practice() -> (Practice, Client) {
    let (practice, base) = serve_practice(Practice::open_to_all, |routes| routes).await;
    (practice, client(&base))
}

/// A document for Marisol Tenney.
fn letter() -> NewDocument {
    NewDocument {
        identifier: Uuid::new_v4(),
        patient_id: "tenney".into(),
        visit_id: Some("tenney-visit-1".into()),
        order_ids: vec!["tenney-order-1".into()],
        reviewer_id: Some("okafor".into()),
        reviewer_group: Some((GroupKind::CareTeam, "diabetes".into())),
        kind: DocumentType {
            system: "http://loinc.org".into(),
            code: "11488-4".into(),
            name: "Consult note".into(),
        },
        title: "Consultation.pdf".into(),
        date: "2026-03-01".parse().ok(),
        confidentiality: Confidentiality::Restricted,
        media_type: "application/pdf".into(),
        content: Bytes::from_static(b"%PDF-1.7 letter"),
        note: Some("Please see page 2".into()),
        is_urgent: true,
        author: "Tri-Valley Cardiology".into(),
    }
}
