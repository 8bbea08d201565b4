//! Part `grids`: response time of the operators' lists and dashboards with a long history.

use crate::{
    Options,
    history::{self, ATTEMPTS},
    list::{Figures, ask},
    load::databases,
    table::Table,
};
use anyhow::{Context, Result};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Value, json};
use std::time::Instant;
use store::entities::{attachment_number, message_number};
use testkit::{Db, Role, TestApp};

const TARGET_MILLISECONDS: f64 = 50.0;
const TARGET_OF_DASHBOARDS: f64 = 100.0;
/// Response time below which growth is not counted.
const TICK_MILLISECONDS: f64 = 2.0;
/// Allowed growth from one history to one ten times as long.
const TARGET_GROWTH: f64 = 1.5;

/// Response times of a request.
type Measured = (&'static str, Figures);

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    for (name, db) in databases() {
        let mut before: Option<(usize, Vec<Measured>)> = None;
        for messages in &options.history {
            let figures = on(db.another(), name, *messages, options.requests, table).await?;
            if let Some((fewer, before)) = &before {
                let (what, growth) = most_grown(before, &figures);
                let label = format!("{name}, growth of p50 from {fewer} to {messages} messages, at most");
                table.held_against(label, growth, TARGET_GROWTH, "×", &format!(" ({what})"));
            }
            before = Some((*messages, figures));
        }
    }
    Ok(())
}

/// The request with the largest growth, and its factor.
fn most_grown(before: &[Measured], after: &[Measured]) -> (&'static str, f64) {
    let growth = |((what, before), (_, after)): (&Measured, &Measured)| {
        (*what, after.p50.max(TICK_MILLISECONDS) / before.p50.max(TICK_MILLISECONDS))
    };
    let all = before.iter().zip(after).map(growth);
    all.max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or(("nothing", 0.0))
}

async fn on(
    db: Db,
    name: &str,
    messages: usize,
    requests: usize,
    table: &mut Table,
) -> Result<Vec<Measured>> {
    let app = TestApp::start(db).await;
    let practice = app.practice("larkfield").await;
    let begun = Instant::now();
    history::fill(&app, &practice, messages).await?;
    let attempts = messages * ATTEMPTS as usize;
    let took = begun.elapsed().as_secs_f64();
    println!("{name}: {messages} messages and {attempts} step attempts were loaded in {took:.0} s");
    let operator = app.signed_in(Role::SysAdmin, &practice.organization).await;
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    let mut all = Vec::new();
    for question in questions(&app).await? {
        let client = if question.is_of_organization { &admin } else { &operator };
        let figures = ask(requests, async |n| match &question.body {
            Some(body) => client.post(&(question.path)(n), body).await,
            None => client.get(&(question.path)(n)).await,
        })
        .await;
        let label = format!("{name}, {messages} messages, p99 of {}", question.what);
        let p50 = format!(" (p50 {:.1} ms)", figures.p50);
        match question.target {
            Some(target) => table.held_against(label, figures.p99, target, "ms", &p50),
            None => table.note(label, format!("{:.1} ms{p50}", figures.p99)),
        }
        if question.target.is_some() {
            all.push((question.what, figures));
        }
    }
    app.finish().await;
    Ok(all)
}

/// A request of a screen.
struct Question {
    what: &'static str,
    /// Path for the number of the request.
    path: Box<dyn Fn(usize) -> String>,
    /// Body; a request without one is a GET.
    body: Option<Value>,
    /// Target in milliseconds.
    target: Option<f64>,
    /// Whether an administrator of the organization asks instead of an operator.
    is_of_organization: bool,
}

impl Question {
    fn new(what: &'static str, path: impl Fn(usize) -> String + 'static) -> Self {
        let target = Some(TARGET_MILLISECONDS);
        Self { what, path: Box::new(path), body: None, target, is_of_organization: false }
    }

    /// With the same path for all requests.
    fn at(what: &'static str, path: &'static str) -> Self {
        Self::new(what, move |_| path.to_owned())
    }

    fn dashboard(what: &'static str, path: &'static str) -> Self {
        Self { target: Some(TARGET_OF_DASHBOARDS), ..Self::at(what, path) }
    }

    fn with(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }
}

const WORKFLOWS: &str = "/api/diagnostics/messaging/workflows";

async fn questions(app: &TestApp) -> Result<Vec<Question>> {
    let db = app.store.db();
    let last = message_number::Entity::find().order_by_desc(message_number::Column::Number).one(db).await?;
    let last = last.context("messages have numbers")?;
    let (newest, message_id) = (last.number, last.message_id);
    let file = attachment_number::Entity::find().order_by_desc(attachment_number::Column::Number).one(db);
    let file = file.await?.context("files have numbers")?.number;
    // Successive requests read messages far apart.
    let some = move |n: usize| newest - (n as i64 * 7_919) % newest;
    let found = |n: usize| format!("{WORKFLOWS}?pageNumber={}&pageSize=100", n % 90 + 1);
    let searched =
        |filters: Value| json!({ "paging": { "pageNumber": 2, "pageSize": 100 }, "filters": filters });
    Ok(vec![
        Question::at("messages: first page with its count", "/odata/mailmessages?$top=20&$count=true"),
        Question::at("messages: behind row 9,000", "/odata/mailmessages?$top=100&$skip=9000"),
        Question::at("messages: oldest first", "/odata/mailmessages?$top=100&$orderby=MailMessageId%20asc"),
        Question::new("messages: below a number", move |n| {
            format!("/odata/mailmessages?$top=100&$filter=MailMessageId%20lt%20{}", some(n))
        }),
        Question::new("messages: one", move |n| {
            format!("/odata/mailmessages?$filter=MailMessageId%20eq%20{}", some(n))
        }),
        Question::at(
            "messages: drafts, of which there are none, with their count",
            "/odata/mailmessages?$filter=IsDraft%20eq%20true&$top=20&$count=true",
        ),
        Question::new("files of a message", move |n| {
            format!("/odata/mailmessages({})/MailAttachments", some(n))
        }),
        Question::new("events of a message", move |n| {
            format!("/odata/eventmessages?$filter=MailMessageId%20eq%20{}&$count=true", some(n))
        }),
        Question::new("conversions of a file", move |n| {
            let number = file - (n as i64 * 7_919) % file;
            format!("/odata/conversionperformance?$filter=MailAttachmentId%20eq%20{number}")
        }),
        Question::at("workflows: first page", WORKFLOWS),
        Question::new("workflows: pages 1 to 90 of a hundred", found),
        Question::at("workflows: failed", "/api/diagnostics/messaging/workflows?status=Failed&pageSize=100"),
        Question::at(
            "workflows: failed ones that receive faxes, of which there are none",
            "/api/diagnostics/messaging/workflows?status=Failed&type=intake&channel=Fax",
        ),
        Question::at("search of workflows: the oldest", "/api/diagnostics/messaging/workflows/_search")
            .with(json!({ "sorting": { "oldestFirst": true } })),
        Question::at(
            "search of workflows: completed ones that send",
            "/api/diagnostics/messaging/workflows/_search",
        )
        .with(searched(json!({ "status": "Completed", "type": "release" }))),
        Question::new("search by the id of a message", move |_| format!("/api/utilities?id={message_id}")),
        Question::dashboard("dashboard of messaging", "/api/admin/dashboard/messaging"),
        Question::dashboard("counts of channels", "/api/diagnostics/messaging/messageCounts"),
        Question::dashboard("statistics of a day", "/api/diagnostics/stats?hours=24"),
        Question::dashboard("nodes and lanes", "/api/diagnostics/worker"),
        Question::dashboard("alerts", "/api/diagnostics/messaging/systemalerts"),
        Question {
            is_of_organization: true,
            ..Question::dashboard("dashboard of an organization, 31 days", "/api/account/dashboard?days=31")
        },
        Question { target: None, ..Question::at("causes of failures", "/api/workflows/failures?type=send") },
    ])
}
