//! An installation with two organizations, and the sample practice's FHIR server beside it.

use axum::{
    Router,
    extract::Request,
    middleware::from_fn,
    response::{IntoResponse, Response},
};
use chrono::{Duration, NaiveDate};
use documents::samples;
use fhir::practice::{self, Practice as Ehr};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicU16, AtomicUsize, Ordering::Relaxed},
};
use store::Clock;
use testkit::{Client, Db, Options, Practice, Role, TestApp, document};
use tokio::net::TcpListener;

/// An FHIR server, and what it does wrong.
pub struct Server {
    pub ehr: Ehr,
    pub base: String,
    /// Status of the next answers, if not 0.
    pub status: Arc<AtomicU16>,
    /// Number of failing answers left.
    pub failing: Arc<AtomicUsize>,
    /// Requests so far.
    pub requests: Arc<AtomicUsize>,
}

impl Server {
    /// `clock`: what it says of the time.
    pub async fn start(clock: Clock, prepare: impl FnOnce(Ehr) -> Ehr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}/fhir", listener.local_addr().expect("an address"));
        let own = clock.clone();
        let ehr = Ehr::open(None, base.clone()).expect("a practice").with_clock(move || own.now());
        let ehr = prepare(ehr);
        let (status, failing, requests) = (Arc::default(), Arc::default(), Arc::default());
        let server = Self { ehr: ehr.clone(), base, status, failing, requests };
        let (status, failing, requests) =
            (server.status.clone(), server.failing.clone(), server.requests.clone());
        let routes =
            practice::router(ehr).layer(from_fn(move |request: Request, next: axum::middleware::Next| {
                let (status, failing, requests) = (status.clone(), failing.clone(), requests.clone());
                let clock = clock.clone();
                async move {
                    requests.fetch_add(1, Relaxed);
                    let fails = failing.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok();
                    match status.load(Relaxed) {
                        code if fails && code > 0 => {
                            let code = axum::http::StatusCode::from_u16(code).expect("a status");
                            (code, "Marisol Tenney is not here").into_response()
                        }
                        _ => dated(next.run(request).await, &clock),
                    }
                }
            }));
        tokio::spawn(async move { axum::serve(listener, Router::new().nest("/fhir", routes)).await });
        server
    }

    /// Answers the next requests with a status.
    pub fn fail(&self, status: u16, times: usize) {
        self.status.store(status, Relaxed);
        self.failing.store(times, Relaxed);
    }
}

/// An answer with the time of the clock.
fn dated(mut answer: Response, clock: &Clock) -> Response {
    let date = clock.now().format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    answer.headers_mut().insert("date", date.parse().expect("a date"));
    answer
}

pub struct World {
    pub app: TestApp,
    pub server: Server,
    pub larkfield: Practice,
    pub admin: Client,
}

pub fn form(base: &str) -> Value {
    json!({
        "integrationType": "Fhir", "name": "Maple Street EHR", "isActive": true, "baseUrl": base,
        "authentication": "Open", "chartUrl": "https://ehr.example/chart/{patient}",
    })
}

impl World {
    /// Larkfield has an open connection that was tested.
    pub async fn connected() -> Self {
        let world = Self::start(Db::sqlite(), Ehr::open_to_all).await;
        let id = world.connect(&form(&world.server.base)).await;
        world.admin.get(&format!("/api/integrations/{id}/connectivity")).await.ok();
        world
    }

    pub async fn start(db: Db, prepare: impl FnOnce(Ehr) -> Ehr) -> Self {
        Self::with(db, Options::default(), prepare).await
    }

    pub async fn with(db: Db, options: Options, prepare: impl FnOnce(Ehr) -> Ehr) -> Self {
        let app = TestApp::start_with(db, options).await;
        let larkfield = app.practice("larkfield").await;
        let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
        Self { server: Server::start(app.clock.clone(), prepare).await, larkfield, admin, app }
    }

    /// Saves a connection; returns its id.
    pub async fn connect(&self, form: &Value) -> String {
        let saved = self.admin.put("/api/integrations", form).await.ok();
        saved["id"].as_str().expect("an id").to_owned()
    }

    pub async fn connection(&self) -> Value {
        self.admin.get("/api/integrations").await.ok()["items"][0].clone()
    }

    /// A letter about the first sample patient in Larkfield's Intake; returns the message.
    pub async fn letter(&self) -> Value {
        let sender = self.app.practice("trivalley").await;
        let draft = sender.client.draft(document(&sender.address, &[&self.larkfield.address], "Visit")).await;
        let day = NaiveDate::from_ymd_opt(2026, 11, 19).expect("a day");
        let pdf = samples::visit_note_pdf(&samples::patients()[0], &samples::practices()[0], day);
        let meta = json!({
            "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected",
        });
        sender.client.upload(&draft, "Visit.pdf", pdf, meta).await;
        sender.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
        self.app.drain().await;
        let list = self.larkfield.client.post("/api/intake", &json!({})).await.ok();
        let id = list["items"][0]["id"].as_str().expect("a message").to_owned();
        self.message(&id).await
    }

    pub async fn message(&self, id: &str) -> Value {
        self.larkfield.client.get(&format!("/api/messages/{id}")).await.ok()
    }

    /// Gives a message a patient of the chart.
    pub async fn choose(&self, message: &Value, chart: &str) -> Value {
        let found = self.larkfield.client.get(&format!("/api/integrations/patients/{chart}")).await.ok();
        let mut patient = found["patient"].clone();
        patient["version"] = message["patientVersion"].clone();
        let path = format!("/api/messages/{}/patient", text(message, "id"));
        self.larkfield.client.put(&path, &patient).await.ok()
    }

    /// Moves the clock, so that what waits is tried again.
    pub async fn later(&self, by: Duration) {
        self.app.advance(by);
        self.app.drain().await;
    }
}

pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("{field} is a text in {value}"))
}
