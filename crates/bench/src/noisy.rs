//! Part `noisy`: how long the messages of a quiet organization take, alone and while another one sends without a pause.

use crate::table::Table;
use anyhow::{Context, Result};
use messaging::model::DeliveryState;
use platform::bus::Event;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use store::entities::delivery;
use testkit::{Db, Options, Practice, TestApp, document};
use tokio::{
    sync::Semaphore,
    time::{MissedTickBehavior, interval, sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Messages of the quiet organization in each round.
const MESSAGES: usize = 100;
/// Between two of them.
const PAUSE: Duration = Duration::from_millis(50);
/// Between two messages of the noisy one: 200 a second.
const NOISE: Duration = Duration::from_millis(5);
/// Messages that the noisy one writes at the same time.
const WRITERS: usize = 32;
/// Longest time that a message may take.
const TIMEOUT: Duration = Duration::from_secs(120);

pub async fn measure(table: &mut Table) -> Result<()> {
    let app = TestApp::start_with(Db::sqlite(), Options { live: true, ..Options::default() }).await;
    let (quiet, reader) = (app.practice("larkfield").await, app.practice("summit").await);
    let (noisy, flooded) = (app.practice("harbor").await, app.practice("ridgeway").await);
    let alone = round(&app, &quiet, &reader).await?;
    let (stop, sent) = (CancellationToken::new(), Arc::new(AtomicUsize::new(0)));
    let begun = Instant::now();
    let noise =
        tokio::spawn(make_noise(Arc::new(noisy), flooded.address.clone(), sent.clone(), stop.clone()));
    let beside = round(&app, &quiet, &reader).await?;
    let rate = sent.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64();
    stop.cancel();
    noise.await?;
    let milliseconds = |time: Duration| format!("{:.0} ms", time.as_secs_f64() * 1e3);
    table.note(
        "message of a quiet organization until its notice is back, 99 of 100 within",
        milliseconds(alone),
    );
    table.note(format!("the same while another organization sends {rate:.0} a second"), milliseconds(beside));
    let times = beside.as_secs_f64() / alone.as_secs_f64();
    table.at_most("beside a noisy organization, times alone", times, 2.0, "×");
    Ok(())
}

/// Sends the messages one after the other. Returns the time within which 99 of 100 are delivered.
async fn round(app: &TestApp, sender: &Practice, reader: &Practice) -> Result<Duration> {
    let mut times = Vec::with_capacity(MESSAGES);
    for number in 0..MESSAGES {
        let mut events = app.bus.subscribe();
        let begun = Instant::now();
        let id: Uuid = send(sender, &reader.address, number).await.parse()?;
        let delivered = async {
            while !is_delivered(app, id).await? {
                // Whatever happened may have been this message, also what was missed.
                while !matches!(events.recv().await, Ok(Event::Release { message_id, .. }) if message_id == id)
                {
                }
            }
            anyhow::Ok(())
        };
        timeout(TIMEOUT, delivered)
            .await
            .context("a message of the quiet organization was not delivered")??;
        times.push(begun.elapsed());
        sleep(PAUSE).await;
    }
    times.sort_unstable();
    times.get(MESSAGES * 99 / 100 - 1).copied().context("messages were sent")
}

async fn is_delivered(app: &TestApp, message_id: Uuid) -> Result<bool> {
    let rows = delivery::Entity::find()
        .filter(delivery::Column::MessageId.eq(message_id))
        .filter(delivery::Column::State.eq(DeliveryState::Delivered));
    Ok(rows.one(app.store.db()).await?.is_some())
}

async fn send(sender: &Practice, to: &str, number: usize) -> String {
    let subject = format!("Visit {number}");
    let draft = sender.client.draft(document(&sender.address, &[to], &subject)).await;
    let meta =
        json!({ "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected" });
    sender.client.upload(&draft, "Visit.txt", b"A visit.".to_vec(), meta).await;
    sender.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    draft
}

async fn make_noise(sender: Arc<Practice>, to: String, sent: Arc<AtomicUsize>, stop: CancellationToken) {
    let writers = Arc::new(Semaphore::new(WRITERS));
    let mut pace = interval(NOISE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !stop.is_cancelled() {
        pace.tick().await;
        let Ok(writer) = writers.clone().acquire_owned().await else { return };
        let (sender, to, sent) = (sender.clone(), to.clone(), sent.clone());
        tokio::spawn(async move {
            send(&sender, &to, sent.fetch_add(1, Ordering::Relaxed)).await;
            drop(writer);
        });
    }
    // The last ones end before their server does.
    let _ = writers.acquire_many(WRITERS as u32).await;
}
