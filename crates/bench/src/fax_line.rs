//! Part `fax`: pause of a line until the next call, with the workers of a node in real time.

use crate::table::Table;
use anyhow::{Context, Result, bail, ensure};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder};
use serde_json::json;
use std::time::{Duration, Instant};
use store::entities::fax_attempt;
use testkit::{Db, Options, Practice, TestApp, document};

const FROM: &str = "+17405550110";
const TO: &str = "+17405550120";
/// Faxes waiting for one line.
const FAXES: usize = 12;
/// Longest time without the end of a call.
const TIMEOUT: Duration = Duration::from_secs(120);

pub async fn measure(table: &mut Table) -> Result<()> {
    let app = TestApp::start_with(Db::sqlite(), Options { live: true, ..Options::default() }).await;
    let (sender, reader) = (app.practice("larkfield").await, app.practice("summit").await);
    let own = app.fax_number(&sender.organization, FROM).await;
    app.link(&sender.user, &own).await;
    app.fax_number(&reader.organization, TO).await;
    for number in 0..FAXES {
        enqueue(&sender, number).await;
    }
    until_all_ended(&app).await?;
    let pauses = pauses(&app).await?;
    let worst = pauses.last().context("one pause at least")?;
    let median = pauses[pauses.len() / 2];
    let what = |which: &str| format!("from a free line to the next fax, {which} of {}", pauses.len());
    table.at_most(what("median"), median, 1.0, "s");
    table.at_most(what("worst"), *worst, 1.0, "s");
    app.finish().await;
    Ok(())
}

async fn enqueue(sender: &Practice, number: usize) {
    let client = &sender.client;
    let draft = client.draft(document(FROM, &[TO], &format!("Visit {number}"))).await;
    let meta =
        json!({ "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected" });
    client.upload(&draft, "Visit note.pdf", crate::send::paper(0), meta).await;
    let form = json!({ "confirmedFaxNumbers": [TO] });
    client.post(&format!("/api/messages/{draft}/send"), &form).await.ok();
}

async fn until_all_ended(app: &TestApp) -> Result<()> {
    let (mut last, mut since) = (0, Instant::now());
    loop {
        let ended = fax_attempt::Entity::find()
            .filter(fax_attempt::Column::EndedAt.is_not_null())
            .count(app.store.db())
            .await?;
        if ended == FAXES as u64 {
            return Ok(());
        }
        if ended != last {
            (last, since) = (ended, Instant::now());
        }
        if since.elapsed() > TIMEOUT {
            bail!("{ended} of {FAXES} calls ended, then nothing happened any more");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Seconds from the recorded end of each call until the provider has the next fax, the shortest first.
async fn pauses(app: &TestApp) -> Result<Vec<f64>> {
    let calls =
        fax_attempt::Entity::find().order_by_asc(fax_attempt::Column::StartedAt).all(app.store.db()).await?;
    ensure!(calls.iter().all(|c| c.outcome.as_deref() == Some("Delivered")), "not every fax was delivered");
    let pause = |pair: &[fax_attempt::Model]| {
        let pause = pair[1].submitted_at? - pair[0].ended_at?;
        Some(pause.as_seconds_f64())
    };
    let mut pauses: Vec<f64> = calls.windows(2).filter_map(pause).collect();
    ensure!(pauses.len() == FAXES - 1 && pauses.iter().all(|p| *p >= 0.0), "calls of one line overlap");
    pauses.sort_by(f64::total_cmp);
    Ok(pauses)
}
