//! Part `bulk`: one action on 10,000 matching messages, and the response time of the list meanwhile.

use crate::{list, load, table::Table};
use anyhow::{Result, bail};
use serde_json::json;
use std::time::Instant;
use testkit::{Db, TestApp};

const MESSAGES: usize = 10_000;
const TARGET_SECONDS: f64 = 180.0;
const TARGET_MILLISECONDS: f64 = 100.0;
/// Requests for the list while the job runs.
const REQUESTS: usize = 100;
const JOBS: &str = "/api/messages/bulk/jobs";

pub async fn measure(table: &mut Table) -> Result<()> {
    for (name, db) in load::databases() {
        on(db, name, table).await?;
    }
    Ok(())
}

async fn on(db: Db, name: &str, table: &mut Table) -> Result<()> {
    let app = TestApp::start(db).await;
    let practice = app.practice("larkfield").await;
    load::fill(&app, &practice, MESSAGES).await?;
    let client = &practice.client;
    let request = json!({ "act": "process", "acceptsGaps": true, "intake": { "startDate": "2000-01-01" } });
    let begun = Instant::now();
    let started = client.post(JOBS, &request).await.ok();
    let path = format!("{JOBS}/{}", started["id"].as_str().unwrap_or_default());
    let (figures, _) = tokio::join!(
        list::ask(REQUESTS, async |_| client.post("/api/intake", &json!({})).await),
        app.drain()
    );
    let took = begun.elapsed().as_secs_f64();
    let job = client.get(&path).await.ok();
    if job["state"] != "Done" {
        bail!("the job did not end: {job}");
    }
    let remark = format!(" ({} done, {} refused)", job["done"], job["refused"]);
    let label = format!("{name}, {MESSAGES} messages processed by one act");
    table.held_against(label, took, TARGET_SECONDS, "s", &remark);
    let label = format!("{name}, p95 of the list meanwhile");
    table.at_most(label, figures.p95, TARGET_MILLISECONDS, "ms");
    app.finish().await;
    Ok(())
}
