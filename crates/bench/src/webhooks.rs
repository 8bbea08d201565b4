//! Part `webhooks`: events delivered to 50 endpoints, alone and beside one that never answers.

use crate::{
    load::{databases, insert},
    table::Table,
};
use anyhow::{Context, Result, bail};
use axum::{Router, http::StatusCode};
use sea_orm::{ColumnTrait, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter};
use serde_json::json;
use std::time::{Duration, Instant};
use store::entities::webhook_delivery::{self, DeliveryStatus};
use testkit::{Client, Db, Options, Role, TestApp};
use tokio::net::TcpListener;
use uuid::Uuid;

const LIVE: usize = 50;
/// Events for each endpoint in a round.
const EVENTS: usize = 100;
/// Share of the rate without the dead endpoint, which may use a quarter of the workers.
const TARGET_PERCENT: f64 = 70.0;
/// Longest time without a delivery.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Body of an event.
const BODY: &str =
    r#"{"type":"message.received","timestamp":"2026-11-20T09:00:00Z","data":{"messageId":"0193"}}"#;

pub async fn measure(table: &mut Table) -> Result<()> {
    for (name, db) in databases() {
        on(db, name, table).await?;
    }
    Ok(())
}

async fn on(db: Db, name: &str, table: &mut Table) -> Result<()> {
    let app = TestApp::start_with(db, Options { live: true, ..Options::default() }).await;
    let mut live = Vec::with_capacity(LIVE);
    for number in 0..LIVE {
        live.push(Hook::new(&app, &format!("live-{number}"), endpoint().await?).await?);
    }
    let dead = Hook::new(&app, "dead", dead_endpoint().await?).await?;
    let alone = round(&app, &live, None, 1).await?;
    let beside = round(&app, &live, Some(&dead), 2).await?;
    table.note(format!("{name}, events told to {LIVE} endpoints"), format!("{alone:.0} a second"));
    let label = format!("{name}, events told beside an endpoint that never answers");
    table.note(label, format!("{beside:.0} a second"));
    let label = format!("{name}, beside an endpoint that never answers, of what is told alone");
    table.at_least(label, beside / alone * 100.0, TARGET_PERCENT, "%");
    // Deliveries to the dead endpoint are left waiting: the node ends with its database.
    Ok(())
}

/// The webhook of an organization.
struct Hook {
    id: Uuid,
    organization_id: Uuid,
    admin: Client,
}

impl Hook {
    async fn new(app: &TestApp, name: &str, url: String) -> Result<Self> {
        let organization = app.organization(name).await;
        let admin = app.signed_in(Role::Admin, &organization).await;
        let form = json!({
            "name": "EHR", "url": url, "events": ["message.received"],
            "authenticationType": "Basic", "userName": "carepost", "credential": "a password",
        });
        let made = admin.post("/api/webhooks", &form).await.ok();
        let id = made["id"].as_str().context("a webhook has an id")?.parse()?;
        Ok(Self { id, organization_id: organization.id, admin })
    }

    /// Adds failed deliveries.
    async fn fail(&self, app: &TestApp) -> Result<()> {
        let (key, now) = (app.keys.data_key(self.organization_id).await?, app.clock.now());
        let row = |_| {
            let id = Uuid::now_v7();
            webhook_delivery::Model {
                id,
                organization_id: self.organization_id,
                webhook_id: self.id,
                event: "message.received".into(),
                message_id: None,
                status: DeliveryStatus::Failed,
                attempts: 1,
                created_at: now,
                tried_at: Some(now),
                response_status: Some(503),
                milliseconds: Some(20),
                reason: "The endpoint answered with status 503.".into(),
                sealed_body: key.seal(&format!("webhook_delivery.body:{id}"), BODY.as_bytes()),
                sealed_response: None,
            }
            .into_active_model()
        };
        let rows = (0..EVENTS).map(row).collect();
        insert::<webhook_delivery::Entity, webhook_delivery::ActiveModel>(app, rows).await
    }

    /// Sends them again.
    async fn resend(&self) {
        let path = format!("/api/webhooks/{}/resend", self.id);
        self.admin.post(&path, &json!({ "since": "2000-01-01T00:00:00Z" })).await.ok();
    }
}

/// Events delivered to the live endpoints per second, in the round with this number.
async fn round(app: &TestApp, live: &[Hook], dead: Option<&Hook>, number: u64) -> Result<f64> {
    for hook in live.iter().chain(dead) {
        hook.fail(app).await?;
    }
    let begun = Instant::now();
    // The dead one first, so that it gets as many workers as possible.
    for hook in dead.into_iter().chain(live) {
        hook.resend().await;
    }
    let told = (LIVE * EVENTS) as u64;
    until_told(app, told * number).await?;
    Ok(told as f64 / begun.elapsed().as_secs_f64())
}

async fn until_told(app: &TestApp, wanted: u64) -> Result<()> {
    let (mut last, mut since) = (0, Instant::now());
    loop {
        let told = webhook_delivery::Entity::find()
            .filter(webhook_delivery::Column::Status.eq(DeliveryStatus::Delivered))
            .count(app.store.db())
            .await?;
        if told == wanted {
            return Ok(());
        }
        if told != last {
            (last, since) = (told, Instant::now());
        }
        if since.elapsed() > TIMEOUT {
            bail!("{told} of {wanted} events were told, then nothing happened any more");
        }
        // Polling costs time that does not belong to an event.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The address of an endpoint that accepts everything.
async fn endpoint() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/events", listener.local_addr()?);
    let router = Router::new().fallback(|| async { StatusCode::NO_CONTENT });
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}

/// The address of an endpoint that accepts connections and never answers.
async fn dead_endpoint() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/events", listener.local_addr()?);
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    Ok(url)
}
