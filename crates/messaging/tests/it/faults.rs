//! Workers crash and steps run twice: at each point of each step of both workflows.

use crate::{partner::*, support::*};
use chrono::Duration;
use serde_json::json;
use std::sync::{Arc, Mutex};
use testkit::{Db, Options, Practice, TestApp, document};
use workflow::{
    StepContext,
    probe::{Point, Probe, Verdict},
};

testkit::on_both_databases! {
    wherever_a_worker_dies_the_message_arrives_once,
    whichever_step_runs_twice_the_message_arrives_once,
    wherever_a_worker_dies_while_it_waits_for_notices_a_delivery_fails_once,
    if_the_wait_for_notices_runs_twice_a_delivery_fails_once,
}

/// The steps, and the minimum number of runs of each for one message and its two notices.
const STEPS: [(&str, usize); 3] = [("Deliver", 1), ("Open", 3), ("Notify", 1)];
pub const POINTS: [Point; 3] = [Point::BeforeRun, Point::BeforeCommit, Point::AfterCommit];

/// The next fault: the point in the n-th run (from 0) of a step.
struct Target {
    step: &'static str,
    point: Point,
    nth: usize,
    seen: usize,
}

pub struct Harm {
    verdict: Verdict,
    target: Mutex<Option<Target>>,
}

impl Harm {
    pub fn new(verdict: Verdict) -> Arc<Self> {
        Arc::new(Self { verdict, target: Mutex::default() })
    }

    pub fn arm(&self, step: &'static str, point: Point, nth: usize) {
        *self.target.lock().expect("the target") = Some(Target { step, point, nth, seen: 0 });
    }

    pub fn was_done(&self) -> bool {
        self.target.lock().expect("the target").as_ref().is_some_and(|t| t.seen > t.nth)
    }
}

impl Probe for Harm {
    fn at(&self, point: Point, cx: &StepContext) -> Verdict {
        let mut target = self.target.lock().expect("the target");
        let Some(target) = target.as_mut() else { return Verdict::Continue };
        if cx.step.name != target.step || point != target.point {
            return Verdict::Continue;
        }
        target.seen += 1;
        if target.seen == target.nth + 1 { self.verdict } else { Verdict::Continue }
    }
}

async fn wherever_a_worker_dies_the_message_arrives_once(db: Db) {
    sweep(db, Verdict::Crash).await;
}

async fn whichever_step_runs_twice_the_message_arrives_once(db: Db) {
    sweep(db, Verdict::RunTwice).await;
}

async fn wherever_a_worker_dies_while_it_waits_for_notices_a_delivery_fails_once(db: Db) {
    sweep_of_silence(db, Verdict::Crash).await;
}

async fn if_the_wait_for_notices_runs_twice_a_delivery_fails_once(db: Db) {
    sweep_of_silence(db, Verdict::RunTwice).await;
}

/// AwaitNotices runs at its timeout: nothing waits for a message whose notices have arrived.
async fn sweep_of_silence(db: Db, verdict: Verdict) {
    let harm = Harm::new(verdict);
    let partner = Partner::start().await;
    let app = partner.app_with(db, Options { probe: Some(harm.clone()), ..Options::default() }).await;
    let larkfield = app.practice("larkfield").await;
    partner.trusted_by(&app, &larkfield).await;
    for point in POINTS {
        harm.arm("AwaitNotices", point, 0);
        larkfield.client.enter(&larkfield.user).await;
        let subject = format!("Into silence {point:?}");
        let sent = larkfield.client.send_document(&larkfield.address, &[PAT], &subject).await;
        pass(&app, Duration::minutes(90)).await;
        assert!(harm.was_done(), "AwaitNotices came to {point:?}");
        larkfield.client.enter(&larkfield.user).await;
        let delivery = delivery(&larkfield.client, &sent, PAT).await;
        assert_eq!(delivery["state"], "Failed", "{point:?}: {delivery}");
        assert_eq!(message(&larkfield.client, &sent).await["status"], "Failed");
        assert_eq!(events(&app, sent.parse().expect("an id")).await, ["Failed"], "{point:?}: told once");
    }
    assert_eq!(partner.mails().len(), POINTS.len(), "each was sent once");
    app.finish().await;
}

async fn sweep(db: Db, verdict: Verdict) {
    let harm = Harm::new(verdict);
    let app = TestApp::start_with(db, Options { probe: Some(harm.clone()), ..Options::default() }).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    for (step, runs) in STEPS {
        for (point, nth) in POINTS.into_iter().flat_map(|p| (0..runs).map(move |nth| (p, nth))) {
            harm.arm(step, point, nth);
            once(&app, &larkfield, &summit, &format!("{step} {point:?} {nth}")).await;
            assert!(harm.was_done(), "{step} came to {point:?} more than {nth} times");
        }
    }
    app.finish().await;
}

/// Sends one message with the fault and checks both ends.
async fn once(app: &TestApp, larkfield: &Practice, summit: &Practice, subject: &str) {
    larkfield.client.enter(&larkfield.user).await;
    let draft = larkfield.client.draft(document(&larkfield.address, &[&summit.address], subject)).await;
    larkfield.client.upload(&draft, "Note.pdf", note_pdf(), meta()).await;
    larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    // Leases expire on the way, but not the timeout of notices.
    pass(app, Duration::minutes(10)).await;

    summit.client.enter(&summit.user).await;
    larkfield.client.enter(&larkfield.user).await;
    let list = intake(&summit.client, json!({ "pageSize": 100 })).await;
    let rows: Vec<_> =
        list["items"].as_array().expect("items").iter().filter(|i| i["subject"] == subject).collect();
    assert_eq!(rows.len(), 1, "{subject} stands once in the Intake");
    assert_eq!(rows[0]["attachments"].as_array().map(Vec::len), Some(1), "{subject} has its file once");
    let delivery = delivery(&larkfield.client, &draft, &summit.address).await;
    assert_eq!(delivery["state"], "Delivered", "{subject}: {delivery}");
    let events = events(app, draft.parse().expect("an id")).await;
    // A dispatched notice that overtakes the processed one implies it.
    let told: &[&[&str]] = &[&["Processed", "Delivered"], &["Delivered"]];
    assert!(told.iter().any(|t| events == *t), "{subject}: what happened is told once: {events:?}");
}
