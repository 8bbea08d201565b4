//! Part `list`: response time of the Intake with a long history.

use crate::{Options, load, table::Table};
use anyhow::{Context, Result};
use chrono::Duration as Days;
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::{Answer, Db, Practice, Role, TestApp};
use uuid::Uuid;

/// Requests before the measurement.
const WARM_UP: usize = 10;
const TARGET_MILLISECONDS: f64 = 25.0;
/// A date before the first message.
const EVER: &str = "2000-01-01";
/// Rules of the organization.
const RULES: usize = 20;
/// Saved filters of the requesting person, the maximum.
const FILTERS: usize = 50;

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    for messages in &options.messages {
        for (name, db) in load::databases() {
            on(db, name, *messages, options.requests, table).await?;
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
    let label = |what: &str| format!("{name}, {messages} messages, p99 of {what}");
    let nothing = ask(requests, async |_| practice.client.get("/api/attachments/extensions").await).await;
    let note = format!("{:.2} ms (p50 {:.1} ms)", nothing.p99, nothing.p50);
    table.note(label("an answer that reads no message"), note);
    let rules = rules(&app, &practice).await?;
    for (what, request) in questions(&app, &practice, &rules).await {
        let figures = ask(requests, async |n| practice.client.post("/api/intake", &request(n)).await).await;
        let p50 = format!(" (p50 {:.1} ms)", figures.p50);
        table.held_against(label(what), figures.p99, TARGET_MILLISECONDS, "ms", &p50);
    }
    save_filters(&practice).await;
    let figures = ask(requests, async |_| practice.client.get("/api/intake/filters").await).await;
    let p50 = format!(" (p50 {:.1} ms)", figures.p50);
    table.held_against(label("the saved filters"), figures.p99, TARGET_MILLISECONDS, "ms", &p50);
    for (what, request) in counted(&practice) {
        let figures =
            ask(requests, async |_| practice.client.post("/api/intake/counts", &request).await).await;
        table.note(label(what), format!("{:.1} ms (p50 {:.1} ms)", figures.p99, figures.p50));
    }
    app.finish().await;
    Ok(())
}

type Question = Box<dyn Fn(usize) -> Value>;

/// Typical requests, by the number of the request.
async fn questions(app: &TestApp, practice: &Practice, rules: &[Value]) -> Vec<(&'static str, Question)> {
    let day = |ago: i64| (app.clock.now() - Days::days(ago)).date_naive();
    let (month, month_later) = (day(load::DAYS / 2), day(load::DAYS / 2 - 30));
    let far = json!({ "startDate": EVER, "pageStart": 900 });
    let cursor = practice.client.post("/api/intake", &far).await.ok()["nextCursor"].clone();
    let second = load::second_address(practice);
    let all = move |more: Value| {
        let mut request = json!({ "startDate": EVER });
        if let (Some(fields), Value::Object(more)) = (request.as_object_mut(), more) {
            fields.extend(more);
        }
        Box::new(move |_| request.clone()) as Question
    };
    vec![
        ("list: first page", Box::new(|_| json!({}))),
        (
            "list: pages 1 to 30 of all time",
            Box::new(move |n| json!({ "startDate": EVER, "pageSize": 30, "pageStart": n % 30 + 1 })),
        ),
        ("list: page 1,000 of all time", all(json!({ "pageStart": 1000 }))),
        ("list: behind row 9,000 by cursor", all(json!({ "cursor": cursor }))),
        ("list: oldest first, of all time", all(json!({ "orderDir": "asc" }))),
        ("list: a month long ago", all(json!({ "startDate": month, "endDate": month_later }))),
        ("list: unassigned, of all time", all(json!({ "isUnassigned": true }))),
        ("list: urgent, of all time", all(json!({ "isUrgent": true }))),
        (
            "list: mine and not processed: none, of all time",
            all(json!({ "isAssignedToSelf": true, "statuses": ["Received"] })),
        ),
        (
            "list: unassigned and printed: none, of all time",
            all(json!({ "isUnassigned": true, "processedTypes": ["Printed"] })),
        ),
        ("list: faxes, of all time", all(json!({ "sourceTypes": ["Fax"] }))),
        ("list: to a seldom used address, of all time", all(json!({ "sources": [second] }))),
        ("list: to the main address, of all time", all(json!({ "sources": [practice.address] }))),
        ("list: by status, of all time", all(json!({ "orderBy": "status", "orderDir": "desc" }))),
        (
            "list: processed, by sender, of all time",
            all(json!({ "statuses": ["Processed"], "orderBy": "fromAddress" })),
        ),
        ("list: urgent, by sender", Box::new(|_| json!({ "isUrgent": true, "orderBy": "fromAddress" }))),
        ("list: of a rule for one message of forty, of all time", all(json!({ "rules": [rules[0]] }))),
        (
            "list: of a rule for one of two hundred, by sender, of all time",
            all(json!({ "rules": [rules[1]], "orderBy": "fromAddress" })),
        ),
        ("list: of a rule for none, of all time", all(json!({ "rules": [rules[2]] }))),
        (
            "search: a common word among those of a rule, of all time",
            all(json!({ "rules": [rules[0]], "filter": "referral" })),
        ),
        (
            "list: all that a saved filter can say, of all time",
            all(json!({
                "isUnassigned": true, "statuses": ["Received"], "sourceTypes": ["Fax"],
                "sources": [practice.address],
            })),
        ),
        ("search: a word that nobody wrote", Box::new(|_| json!({ "filter": "zzyzx" }))),
        (
            "search: a patient's full name, of all time",
            Box::new(move |n| json!({ "startDate": EVER, "filter": load::patient(n * 37).join(" ") })),
        ),
        (
            "search: the first three letters of a name",
            Box::new(move |n| json!({ "filter": &load::patient(n * 37)[1][..3] })),
        ),
        (
            "search: the first two letters of a name, of all time",
            Box::new(move |n| json!({ "startDate": EVER, "filter": &load::patient(n * 37)[1][..2] })),
        ),
        ("search: a word of every fifth message", Box::new(|_| json!({ "filter": "referral" }))),
        (
            "search: a common word and a name, of all time",
            Box::new(
                move |n| json!({ "startDate": EVER, "filter": format!("referral {}", load::patient(n * 37)[1]) }),
            ),
        ),
        ("search: two common words, of all time", all(json!({ "filter": "report maria" }))),
        (
            "search: a common word among the unassigned, of all time",
            all(json!({ "filter": "referral", "isUnassigned": true })),
        ),
    ]
}

/// The ids of the organization's rules. The first was applied to one message of forty, the second to one of two
/// hundred, the others to none.
async fn rules(app: &TestApp, practice: &Practice) -> Result<Vec<Value>> {
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    let mut ids = Vec::with_capacity(RULES);
    for number in 0..RULES {
        let form = json!({
            "name": format!("Rule {number}"), "isEnabled": true, "subjects": [format!("word {number}")],
            "tags": ["sorted"],
        });
        ids.push(admin.post("/api/settings/intakerules", &form).await.ok()["id"].clone());
    }
    apply(app, practice, &ids[0], "is_urgent").await?;
    apply(app, practice, &ids[1], "to_address LIKE '%-billing@%'").await?;
    load::settle(app).await?;
    Ok(ids)
}

/// Records that a rule was applied to the messages of a condition.
async fn apply(app: &TestApp, practice: &Practice, rule: &Value, condition: &str) -> Result<()> {
    let rule: Uuid = rule.as_str().context("a rule has an id")?.parse()?;
    let sql = format!(
        "INSERT INTO intake_rule_match (intake_rule_id, message_id, organization_id, at) \
         SELECT $1, id, organization_id, received_at FROM message WHERE organization_id = $2 AND {condition}"
    );
    let values: [sea_orm::Value; 2] = [rule.into(), practice.organization.id.into()];
    let txn = app.store.begin().await?;
    txn.execute_raw(Statement::from_sql_and_values(txn.get_database_backend(), sql, values)).await?;
    Ok(txn.commit().await?)
}

async fn save_filters(practice: &Practice) {
    for number in 0..FILTERS {
        let filter = json!({ "view": "unassigned", "statuses": ["Received"], "sourceTypes": ["Fax"] });
        let form = json!({ "name": format!("Filter {number}"), "isShared": number.is_multiple_of(2), "filter": filter });
        practice.client.post("/api/intake/filters", &form).await.ok();
    }
}

/// Separate counts of screens, once for all pages of a list: reading does not wait for them.
fn counted(practice: &Practice) -> [(&'static str, Value); 5] {
    [
        ("counts: quick views", json!({})),
        ("counts: quick views, of all time", json!({ "startDate": EVER })),
        (
            "counts: quick views of what came to the main address, of all time",
            json!({ "startDate": EVER, "sources": [practice.address] }),
        ),
        ("counts: two common words, of all time", json!({ "startDate": EVER, "filter": "report maria" })),
        (
            "counts: a common word among the unassigned, of all time",
            json!({ "startDate": EVER, "filter": "referral", "isUnassigned": true }),
        ),
    ]
}

/// Percentiles of response times in milliseconds: 50, 95 and 99.
pub struct Figures {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
}

pub async fn ask(requests: usize, request: impl AsyncFn(usize) -> Answer) -> Figures {
    timed(requests, request, |answer| {
        answer.ok();
    })
    .await
}

/// Times of calls whose answers are checked outside the time.
pub async fn timed<T>(requests: usize, call: impl AsyncFn(usize) -> T, check: impl Fn(T)) -> Figures {
    let mut times = Vec::with_capacity(requests);
    for number in 0..WARM_UP + requests {
        let begun = Instant::now();
        let answer = call(number).await;
        let took = begun.elapsed();
        check(answer);
        if number >= WARM_UP {
            times.push(took);
        }
    }
    times.sort();
    let at = |share: f64| {
        let index = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len()) - 1;
        times.get(index).copied().unwrap_or(Duration::ZERO).as_secs_f64() * 1e3
    };
    Figures { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
