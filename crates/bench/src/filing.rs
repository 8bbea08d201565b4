//! Part `filing`: documents filed into charts of an EHR that answers in 200 ms and is busy for 2 of 100 calls, beside a
//! quiet organization.

use crate::{load::databases, table::Table};
use anyhow::{Context, Result, bail, ensure};
use axum::{
    Router,
    extract::Request,
    http::StatusCode,
    middleware::{Next, from_fn},
    response::IntoResponse,
};
use chrono::NaiveDate;
use documents::samples;
use fhir::practice::{self, Practice as Ehr};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use store::entities::chart_filing::{self, FilingState};
use testkit::{Client, Db, Options, Practice, Role, TestApp, document};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const MESSAGES: usize = 100;
const DOCUMENTS_EACH: usize = 10;
const ANSWER: Duration = Duration::from_millis(200);
/// Of so many calls, one is answered with 503.
const ONE_BUSY_OF: usize = 50;
/// Longest time without a filed document.
const TIMEOUT: Duration = Duration::from_secs(180);
/// Allowed factor for the waiting times of the quiet organization.
const TIMES: f64 = 2.0;
/// Requests of the quiet organization when it is alone.
const QUIET: usize = 200;

pub async fn measure(table: &mut Table) -> Result<()> {
    for (name, db) in databases() {
        on(db, name, table).await?;
    }
    Ok(())
}

async fn on(db: Db, name: &str, table: &mut Table) -> Result<()> {
    let app = TestApp::start_with(db, Options { live: true, ..Options::default() }).await;
    let (ehr, base) = ehr().await?;
    let (larkfield, quiet) = (app.practice("larkfield").await, Arc::new(app.practice("summit").await));
    let connection = connected(&app, &larkfield, &base).await?;
    let messages = messages(&app, &larkfield).await?;
    let alone = times(&quiet.client, QUIET, &CancellationToken::new()).await;
    let done = CancellationToken::new();
    let asking = tokio::spawn({
        let (quiet, done) = (quiet.clone(), done.clone());
        async move { times(&quiet.client, usize::MAX, &done).await }
    });
    let begun = Instant::now();
    for message in &messages {
        file(&larkfield.client, message, &connection).await?;
    }
    let wanted = messages.len() * DOCUMENTS_EACH;
    until_filed(&app, wanted as u64).await?;
    let rate = wanted as f64 / begun.elapsed().as_secs_f64();
    done.cancel();
    let beside = asking.await?;
    let there = ehr.count("DocumentReference");
    ensure!(there == wanted, "{there} documents are in the EHR instead of {wanted}");
    table.note(format!("{name}, documents filed into charts, each once"), format!("{rate:.1} a second"));
    let label = format!("{name}, a quiet organization beside it, times alone");
    table.held_against(label, beside / alone, TIMES, "×", &format!(" ({:.0} ms)", beside * 1e3));
    Ok(())
}

/// An EHR that is slow, and sometimes busy.
async fn ehr() -> Result<(Ehr, String)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let base = format!("http://{}/fhir", listener.local_addr()?);
    let ehr = Ehr::open(None, base.clone())?.open_to_all();
    let calls = Arc::new(AtomicUsize::new(0));
    let slow = from_fn(move |request: Request, next: Next| {
        let number = calls.fetch_add(1, Relaxed);
        async move {
            tokio::time::sleep(ANSWER).await;
            match number % ONE_BUSY_OF {
                25 => StatusCode::SERVICE_UNAVAILABLE.into_response(),
                _ => next.run(request).await,
            }
        }
    });
    let routes = Router::new().nest("/fhir", practice::router(ehr.clone()).layer(slow));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    Ok((ehr, base))
}

async fn connected(app: &TestApp, practice: &Practice, base: &str) -> Result<String> {
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    let form = json!({
        "integrationType": "Fhir", "name": "EHR", "isActive": true, "baseUrl": base, "authentication": "Open",
    });
    let saved = admin.put("/api/integrations", &form).await.ok();
    let id = saved["id"].as_str().context("a connection has an id")?.to_owned();
    loop {
        let report = admin.get(&format!("/api/integrations/{id}/connectivity")).await.ok();
        if report["isConnected"] == true {
            return Ok(id);
        }
    }
}

/// Messages with documents of one patient, who was found in the chart.
async fn messages(app: &TestApp, to: &Practice) -> Result<Vec<String>> {
    let sender = app.practice("trivalley").await;
    let day = NaiveDate::from_ymd_opt(2026, 11, 19).context("a day")?;
    let pdf = samples::visit_note_pdf(&samples::patients()[0], &samples::practices()[0], day);
    let meta =
        json!({ "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected" });
    for _ in 0..MESSAGES {
        let draft = sender.client.draft(document(&sender.address, &[&to.address], "Visit")).await;
        for number in 0..DOCUMENTS_EACH {
            let name = format!("Visit {number}.pdf");
            sender.client.upload(&draft, &name, pdf.clone(), meta.clone()).await;
        }
        sender.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    }
    let begun = Instant::now();
    let list = loop {
        let list = to.client.post("/api/intake", &json!({ "pageSize": MESSAGES })).await.ok();
        let ids = list["items"].as_array().into_iter().flatten().filter_map(|row| row["id"].as_str());
        let ids: Vec<String> = ids.map(str::to_owned).collect();
        if ids.len() == MESSAGES {
            break ids;
        }
        if begun.elapsed() > TIMEOUT {
            bail!("{} of {MESSAGES} messages have arrived", ids.len());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    Ok(list)
}

async fn file(client: &Client, id: &str, connection: &str) -> Result<()> {
    let mut patient = loop {
        // The EHR may be busy.
        let found = client.get("/api/integrations/patients/tenney").await;
        if found.status == 200 {
            break found.ok()["patient"].clone();
        }
    };
    let message: Value = client.get(&format!("/api/messages/{id}")).await.ok();
    patient["version"] = message["patientVersion"].clone();
    client.put(&format!("/api/messages/{id}/patient"), &patient).await.ok();
    let body = json!({ "acceptsGaps": true, "integrationId": connection, "chartPatientId": "tenney" });
    client.post(&format!("/api/messages/{id}/chart"), &body).await.ok();
    Ok(())
}

async fn until_filed(app: &TestApp, wanted: u64) -> Result<()> {
    let (mut last, mut since) = (0, Instant::now());
    loop {
        let filed = chart_filing::Entity::find()
            .filter(chart_filing::Column::State.eq(FilingState::Filed))
            .count(app.store.db())
            .await?;
        if filed == wanted {
            return Ok(());
        }
        if filed != last {
            (last, since) = (filed, Instant::now());
        }
        if since.elapsed() > TIMEOUT {
            bail!("{filed} of {wanted} documents were filed, then nothing happened any more");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// The time in seconds within which 99 of 100 lists were answered.
async fn times(client: &Client, most: usize, done: &CancellationToken) -> f64 {
    let mut all = Vec::new();
    while all.len() < most && !done.is_cancelled() {
        let begun = Instant::now();
        client.post("/api/intake", &json!({})).await.ok();
        all.push(begun.elapsed().as_secs_f64());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    all.sort_by(f64::total_cmp);
    all.get(all.len() * 99 / 100).copied().unwrap_or_default()
}
