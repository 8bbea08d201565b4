//! Part `send`: Direct messages from one organization to another on one node, from the queued send to the delivery
//! shown to the sender, compared with the bare cryptography of the same messages.

use crate::{Options, table::Table};
use anyhow::{Context, Result, bail};
use chrono::NaiveDate;
use direct::{
    DirectAddress,
    address::Mailbox,
    cert::Identity,
    mime::{Attachment, OutgoingMessage, new_message_id},
    notice::{Disposition, MdnDraft},
    smime::{SealOptions, bare_cryptography},
};
use documents::samples::{patients, practices, visit_note_pdf};
use messaging::model::DeliveryState;
use platform::bus::Event;
use rustix::time::{ClockId, clock_gettime};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::json;
use std::{
    fs::File,
    io::{Seek, SeekFrom, Write},
    path::Path,
    time::{Duration, Instant},
};
use store::entities::delivery;
use testkit::{Db, Practice, TestApp, document};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Size of the attached file in bytes.
const FILE: usize = 100_000;
/// Steps that run concurrently.
const IN_FLIGHT: usize = 32;
/// Longest time without a delivery.
const TIMEOUT: Duration = Duration::from_secs(60);

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    let app = start().await;
    let (sender, reader) = (app.practice("larkfield").await, app.practice("summit").await);
    for number in 0..options.sends {
        enqueue(&sender, &reader, number).await;
    }
    let (cpu, begun) = (process_cpu(), Instant::now());
    let stop = CancellationToken::new();
    let work = tokio::spawn(work(&app, stop.clone()));
    until_delivered(&app, options.sends as u64).await?;
    let (cpu, wall) = (process_cpu() - cpu, begun.elapsed());
    stop.cancel();
    work.await?;
    let bare = bare(&app, &sender, &reader).await?;
    report(options.sends, cpu, wall, &bare, flushes_per_second(app.db.folder())?, table);
    app.finish().await;
    Ok(())
}

/// A node whose workers wait until everything is enqueued.
async fn start() -> TestApp {
    let configure = |config: &mut platform::Config| {
        let workers = &mut config.workers;
        (workers.receiving, workers.delivering, workers.notices) = (IN_FLIGHT, IN_FLIGHT, IN_FLIGHT);
        workers.organization_percent = 100;
    };
    TestApp::start_with(
        Db::sqlite(),
        testkit::Options { configure: Some(Box::new(configure)), ..Default::default() },
    )
    .await
}

async fn enqueue(sender: &Practice, reader: &Practice, number: usize) {
    let client = &sender.client;
    let draft = client.draft(document(&sender.address, &[&reader.address], &format!("Visit {number}"))).await;
    let meta =
        json!({ "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected" });
    client.upload(&draft, "Visit note.pdf", paper(FILE), meta).await;
    client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
}

/// A visit note, enlarged to the given size by incompressible bytes.
pub fn paper(size: usize) -> Vec<u8> {
    let (patients, practices) = (patients(), practices());
    let day = NaiveDate::from_ymd_opt(2026, 11, 19).unwrap_or_default();
    let mut pdf = visit_note_pdf(&patients[0], &practices[0], day);
    let mut noise = vec![0; size.saturating_sub(pdf.len())];
    rand::fill(&mut noise[..]);
    pdf.extend(noise);
    pdf
}

/// Runs the workers of the node as in production.
fn work(app: &TestApp, stop: CancellationToken) -> impl Future<Output = ()> + Send + use<> {
    let (runner, mut events) = (app.node.runner.clone(), app.bus.subscribe());
    let bell = runner.notify();
    async move {
        let ring = async {
            while let Ok(event) = events.recv().await {
                if matches!(event, Event::Work) {
                    bell.notify_one();
                }
            }
        };
        tokio::select! {
            () = runner.run(stop) => {}
            () = ring => {}
        }
    }
}

async fn until_delivered(app: &TestApp, wanted: u64) -> Result<()> {
    let (mut last, mut since) = (0, Instant::now());
    loop {
        let delivered = delivery::Entity::find()
            .filter(delivery::Column::State.eq(DeliveryState::Delivered))
            .count(app.store.db())
            .await?;
        if delivered == wanted {
            return Ok(());
        }
        if delivered != last {
            (last, since) = (delivered, Instant::now());
        }
        if since.elapsed() > TIMEOUT {
            bail!("{delivered} of {wanted} messages were delivered, then nothing happened any more");
        }
        // Polling costs time that does not belong to a message.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Processor time of this process, all threads together.
fn process_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Processor time of the cryptography alone.
struct Bare {
    /// For the message.
    message: Duration,
    /// For one notice.
    notice: Duration,
}

async fn bare(app: &TestApp, sender: &Practice, reader: &Practice) -> Result<Bare> {
    let (from, to) = (DirectAddress::parse(&sender.address)?, DirectAddress::parse(&reader.address)?);
    let (signer, recipient) = (identity(app, sender).await?, identity(app, reader).await?);
    let now = app.clock.now();
    let id = new_message_id(Uuid::new_v4(), &from);
    let mut message =
        OutgoingMessage::new(Mailbox::from(from.clone()), vec![Mailbox::from(to.clone())], now, id.clone());
    message.attachments.push(Attachment {
        file_name: Some("Visit note.pdf".into()),
        content_type: "application/pdf".into(),
        content_id: None,
        content: paper(FILE).into(),
    });
    let notice = MdnDraft {
        from: to.clone(),
        to: from,
        message_id: new_message_id(Uuid::new_v4(), &to),
        date: now,
        original_message_id: id,
        disposition: Disposition::Processed,
        final_destination_delivery: false,
        explanation: String::new(),
        reporting_agent: "Carepost".into(),
    };
    let (message, notice) = (message.build()?, notice.build()?);
    tokio::task::spawn_blocking(move || {
        Ok(Bare {
            message: cost(&message, &signer, &recipient)?,
            notice: cost(&notice, &recipient, &signer)?,
        })
    })
    .await?
}

async fn identity(app: &TestApp, of: &Practice) -> Result<Identity> {
    let found = app.node.direct.identities.of(app, of.organization.id).await;
    let found = found.map_err(|error| anyhow::anyhow!("{error:?}"))?;
    found.into_iter().next().context("the organization has a certificate")
}

fn cost(content: &[u8], signer: &Identity, recipient: &Identity) -> Result<Duration> {
    const RUNS: u32 = 200;
    let begun = process_cpu();
    for _ in 0..RUNS {
        bare_cryptography(content, signer, recipient, SealOptions::default())?;
    }
    Ok((process_cpu() - begun) / RUNS)
}

/// Small durable writes per second on this disk, one after the other.
fn flushes_per_second(folder: &Path) -> Result<f64> {
    let mut file = File::create(folder.join("flushes"))?;
    let (begun, mut flushes) = (Instant::now(), 0);
    while begun.elapsed() < Duration::from_secs(2) {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        flushes += 1;
    }
    Ok(f64::from(flushes) / begun.elapsed().as_secs_f64())
}

fn report(sends: usize, cpu: Duration, wall: Duration, bare: &Bare, flushes: f64, table: &mut Table) {
    let milliseconds = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    let each = cpu / u32::try_from(sends).unwrap_or(u32::MAX);
    let with_notices = bare.message + 2 * bare.notice;
    let times = |of: Duration| each.as_secs_f64() / of.as_secs_f64();
    table.note("processor time of a Direct message of 100 KB and its two notices", milliseconds(each));
    table.note("bare cryptography of that message", milliseconds(bare.message));
    table.note("bare cryptography of that message and its two notices", milliseconds(with_notices));
    // The notices are work too, with their own cryptography.
    let compared = "processor time, times the bare cryptography of message and notices";
    table.at_most(compared, times(with_notices), 3.0, "×");
    let compared = "processor time of message and notices, times that of the message alone";
    table.at_most(compared, times(bare.message), 3.0, "×");
    table.note(
        format!("Direct messages delivered, {IN_FLIGHT} in flight"),
        format!("{:.1} a second", sends as f64 / wall.as_secs_f64()),
    );
    table.note("flushes of this disk", format!("{flushes:.0} a second"));
}
