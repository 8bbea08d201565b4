//! Part `list`: how long the Intake takes to answer, however long its history is.

use crate::{Options, load, table::Table};
use anyhow::Result;
use chrono::Duration as Days;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::{Db, Practice, TestApp};

/// Requests before the clock runs.
const WARM_UP: usize = 10;
const TARGET_MILLISECONDS: f64 = 25.0;

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    for messages in &options.messages {
        on(Db::sqlite(), "SQLite", *messages, options.requests, table).await?;
        match Db::postgres().await {
            Some(db) => on(db, "PostgreSQL", *messages, options.requests, table).await?,
            None => println!("CAREPOST_TEST_POSTGRES names no server: PostgreSQL is left out"),
        }
    }
    Ok(())
}

async fn on(db: Db, name: &str, messages: usize, requests: usize, table: &mut Table) -> Result<()> {
    let app = TestApp::start(db).await;
    let practice = app.practice("larkfield").await;
    let begun = Instant::now();
    load::fill(&app, &practice, messages).await?;
    println!("{name}: {messages} messages were loaded in {:.0} s", begun.elapsed().as_secs_f64());
    for (what, request) in questions(&app) {
        let figures = ask(&practice, &request, requests).await;
        let p50 = format!(" (p50 {:.1} ms)", figures.p50);
        let what = format!("{name}, {messages} messages, p99 of {what}");
        table.held_against(what, figures.p99, TARGET_MILLISECONDS, "ms", &p50);
    }
    app.finish().await;
    Ok(())
}

type Question = Box<dyn Fn(usize) -> Value>;

/// What people ask, given the number of the request.
fn questions(app: &TestApp) -> Vec<(&'static str, Question)> {
    let ever = (app.clock.now() - Days::days(load::DAYS + 1)).date_naive();
    vec![
        ("list: first page", Box::new(|_| json!({}))),
        (
            "list: pages 1 to 30 of all time",
            Box::new(move |n| json!({ "startDate": ever, "pageSize": 30, "pageStart": n % 30 + 1 })),
        ),
        (
            "list: unassigned, of all time",
            Box::new(move |_| json!({ "startDate": ever, "isUnassigned": true })),
        ),
        (
            "list: processed, by sender, of all time",
            Box::new(
                move |_| json!({ "startDate": ever, "statuses": ["Processed"], "orderBy": "fromAddress" }),
            ),
        ),
        (
            "search: a patient's full name, of all time",
            Box::new(move |n| json!({ "startDate": ever, "filter": load::patient(n * 37).join(" ") })),
        ),
        (
            "search: the first three letters of a name",
            Box::new(move |n| json!({ "filter": &load::patient(n * 37)[1][..3] })),
        ),
        (
            "search: the first two letters of a name, of all time",
            Box::new(move |n| json!({ "startDate": ever, "filter": &load::patient(n * 37)[1][..2] })),
        ),
        ("search: a word of every fifth message", Box::new(|_| json!({ "filter": "referral" }))),
        (
            "search: a common word and a name, of all time",
            Box::new(
                move |n| json!({ "startDate": ever, "filter": format!("referral {}", load::patient(n * 37)[1]) }),
            ),
        ),
        (
            "search: two common words, of all time",
            Box::new(move |_| json!({ "startDate": ever, "filter": "report maria" })),
        ),
    ]
}

/// Milliseconds within which half, and all but one of a hundred, of the requests were answered.
struct Figures {
    p50: f64,
    p99: f64,
}

async fn ask(practice: &Practice, request: &dyn Fn(usize) -> Value, requests: usize) -> Figures {
    let mut times = Vec::with_capacity(requests);
    for number in 0..WARM_UP + requests {
        let body = request(number);
        let begun = Instant::now();
        let answer = practice.client.post("/api/intake", &body).await;
        let took = begun.elapsed();
        answer.ok();
        if number >= WARM_UP {
            times.push(took);
        }
    }
    times.sort();
    let at = |share: f64| {
        let index = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len()) - 1;
        times.get(index).copied().unwrap_or(Duration::ZERO).as_secs_f64() * 1e3
    };
    Figures { p50: at(0.5), p99: at(0.99) }
}
