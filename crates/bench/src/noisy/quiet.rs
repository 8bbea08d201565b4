//! The quiet organization: it lists its Intake, opens a message, sends one and waits for the notice.

use super::Scene;
use anyhow::{Context, Result};
use messaging::model::DeliveryState;
use platform::bus::Event;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::json;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use store::entities::{
    delivery,
    workflow_step::{self, StepStatus},
};
use testkit::{Practice, TestApp, document};
use tokio::{
    runtime,
    time::{sleep, timeout},
};
use uuid::Uuid;

const ROUNDS: usize = 100;
/// Pause between two actions.
const PAUSE: Duration = Duration::from_millis(20);
/// Time limit of a message.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Longest wait for the rest of the noise.
const SETTLED: Duration = Duration::from_secs(60);

/// 99th percentiles in seconds.
pub struct Times {
    list: f64,
    message: f64,
    delivery: f64,
}

impl Times {
    pub fn named(&self) -> [(&'static str, f64); 3] {
        [("the list", self.list), ("a message", self.message), ("a delivery", self.delivery)]
    }
}

/// Does everything a hundred times, on a separate runtime.
pub async fn round(app: &Arc<TestApp>, scene: &Arc<Scene>) -> Result<Times> {
    let (app, scene) = (app.clone(), scene.clone());
    let done = tokio::task::spawn_blocking(move || {
        let own = runtime::Builder::new_current_thread().enable_all().build()?;
        own.block_on(work(&app, &scene))
    });
    done.await?
}

async fn work(app: &TestApp, scene: &Scene) -> Result<Times> {
    let (mut lists, mut messages, mut deliveries) = (Vec::new(), Vec::new(), Vec::new());
    let client = &scene.quiet.client;
    for number in 0..ROUNDS {
        let begun = Instant::now();
        let list = client.post("/api/intake", &json!({ "startDate": "2020-01-01T00:00:00Z" })).await.ok();
        lists.push(begun.elapsed());
        sleep(PAUSE).await;

        let listed = list["items"].as_array().context("a list")?;
        let id = listed[number % listed.len().max(1)]["id"].as_str().context("a message")?.to_owned();
        let begun = Instant::now();
        client.get(&format!("/api/messages/{id}")).await.ok();
        messages.push(begun.elapsed());
        sleep(PAUSE).await;

        let begun = Instant::now();
        delivered(app, &scene.quiet, &scene.reader.address, number).await?;
        deliveries.push(begun.elapsed());
        sleep(PAUSE).await;
    }
    let [list, message, delivery] = [lists, messages, deliveries].map(within);
    Ok(Times { list, message, delivery })
}

fn within(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() * 99 / 100 - 1).map_or(0.0, Duration::as_secs_f64)
}

async fn delivered(app: &TestApp, sender: &Practice, to: &str, number: usize) -> Result<()> {
    let mut events = app.bus.subscribe();
    let id: Uuid = send(sender, to, &format!("Visit {number}")).await.parse()?;
    let notice = async {
        while !is_delivered(app, id).await? {
            // Any event, or a missed one, may concern this message.
            while !matches!(events.recv().await, Ok(Event::Release { message_id, .. }) if message_id == id) {}
        }
        anyhow::Ok(())
    };
    timeout(TIMEOUT, notice).await.context("a message of the quiet organization was not delivered")?
}

async fn is_delivered(app: &TestApp, message_id: Uuid) -> Result<bool> {
    let rows = delivery::Entity::find()
        .filter(delivery::Column::MessageId.eq(message_id))
        .filter(delivery::Column::State.eq(DeliveryState::Delivered));
    Ok(rows.one(app.store.db()).await?.is_some())
}

/// Sends a small document.
pub async fn send(sender: &Practice, to: &str, subject: &str) -> String {
    let draft = sender.client.draft(document(&sender.address, &[to], subject)).await;
    let meta =
        json!({ "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected" });
    sender.client.upload(&draft, "Visit.txt", b"A visit.".to_vec(), meta).await;
    sender.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    draft
}

/// Waits until no step is due, or for a while.
pub async fn until_settled(app: &TestApp) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < SETTLED {
        let due = workflow_step::Entity::find()
            .filter(workflow_step::Column::Status.is_in([StepStatus::Pending, StepStatus::Running]))
            .filter(workflow_step::Column::RunAt.lte(app.clock.now()));
        if due.count(app.store.db()).await? == 0 {
            break;
        }
        sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}
