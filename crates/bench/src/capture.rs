//! Part `capture`: increase of a request's time by capturing API calls.

use crate::{Options, load, table::Table};
use anyhow::Result;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::json;
use std::time::{Duration, Instant};
use store::entities::organization;
use testkit::{Db, Practice, TestApp};

const TARGET_PERCENT: f64 = 5.0;
/// Messages in the requested Intake.
const MESSAGES: usize = 1_000;
/// Requests before the measurement.
const WARM_UP: usize = 50;
/// Factor for the number of requests, since the difference is small.
const TIMES: usize = 10;

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    for (name, db) in load::databases() {
        on(db, name, options.requests * TIMES, table).await?;
    }
    Ok(())
}

async fn on(db: Db, name: &str, requests: usize, table: &mut Table) -> Result<()> {
    let configure = |config: &mut platform::Config| config.api_capture.enabled = true;
    let options = testkit::Options { configure: Some(Box::new(configure)), ..Default::default() };
    let app = TestApp::start_with(db, options).await;
    let practices = [app.practice("larkfield").await, app.practice("summit").await];
    for practice in &practices {
        load::fill(&app, practice, MESSAGES).await?;
    }
    let captured = organization::ActiveModel {
        id: Set(practices[1].organization.id),
        api_capture: Set(true),
        ..Default::default()
    };
    captured.update(app.store.db()).await?;
    let mut times = [Vec::with_capacity(requests), Vec::with_capacity(requests)];
    for number in 0..WARM_UP + requests {
        // Each is first equally often.
        for at in [number % 2, 1 - number % 2] {
            let took = ask(&practices[at]).await;
            if number >= WARM_UP {
                times[at].push(took);
            }
        }
    }
    app.capture.settled().await;
    let [plain, with] = times.map(median);
    let percent = ((with / plain - 1.0) * 100.0).max(0.0);
    let remark = format!(" ({with:.2} ms beside {plain:.2} ms)");
    let what = format!("{name}, what API capture adds to the median of a request for the Intake");
    table.held_against(what, percent, TARGET_PERCENT, "%", &remark);
    app.finish().await;
    Ok(())
}

async fn ask(practice: &Practice) -> Duration {
    let begun = Instant::now();
    let answer = practice.client.post("/api/intake", &json!({})).await;
    let took = begun.elapsed();
    answer.ok();
    took
}

/// Median in milliseconds.
pub fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64() * 1e3
}
