//! Real-time hubs: open messages, finished previews, changed lists.

pub mod presence;

use crate::{attachments::convert, model::PreviewState};
use axum::response::Response;
use platform::{
    App, Caller,
    access::{MEMBERS, SIGNED_IN},
    api::Api,
    bus::Event,
    hub::{Door, Line},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, time::Duration};
use store::{
    entities::{
        attachment::{self, ScanState},
        message,
    },
    tenant::Tenant,
};
use tokio::sync::broadcast::error::RecvError;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .hub(MEMBERS, routes!(presence::message_presence))
        .hub(MEMBERS, routes!(document_processing))
        // Everybody is told when their session ends.
        .hub(SIGNED_IN, routes!(events))
}

/// How often a hub checks for changes whose events were lost.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// Maximum number of files whose previews one browser waits for: they are queried in one statement.
const WAITING_MAX: usize = 10_000;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum ProcessingFrame {
    #[serde(rename_all = "camelCase")]
    WaitFor { attachment_id: Uuid },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum ProcessingAnswer {
    #[serde(rename_all = "camelCase")]
    Completed { attachment_id: Uuid, preview_available: PreviewState },
}

/// Reports finished previews of files (WebSocket; the first frame carries a ticket)
#[utoipa::path(get, path = "/api/hubs/documentprocessing", operation_id = "documentProcessingHub", tag = "hubs",
    responses((status = 101, description = "Switched to WebSocket")))]
async fn document_processing(door: Door) -> Response {
    door.open(processing)
}

async fn processing(app: App, caller: Caller, mut line: Line) {
    let Some(organization_id) = caller.organization_id else { return };
    let mut bus = app.bus.subscribe();
    let mut waiting = HashSet::new();
    let mut again = tokio::time::interval(LOOK_AGAIN);
    loop {
        tokio::select! {
            frame = line.receive::<ProcessingFrame>() => match frame {
                Some(ProcessingFrame::WaitFor { attachment_id }) if waiting.len() < WAITING_MAX => {
                    waiting.insert(attachment_id);
                }
                Some(_) | None => return,
            },
            event = bus.recv() => match event {
                Ok(Event::Preview { attachment_id, .. }) if waiting.contains(&attachment_id) => {}
                Ok(Event::Missed) => {}
                Ok(event) if event.ends(caller.session_id) => return,
                Ok(_) => continue,
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            _ = again.tick() => {}
        }
        let tenant = Tenant::without(organization_id, line.unreadable());
        for answer in finished(&app, &tenant, &mut waiting).await {
            if !line.send(&answer).await {
                return;
            }
        }
    }
}

/// The awaited files that may be read and have neither a conversion nor a preview in progress.
async fn finished(app: &App, tenant: &Tenant, waiting: &mut HashSet<Uuid>) -> Vec<ProcessingAnswer> {
    if waiting.is_empty() {
        return Vec::new();
    }
    let rows = tenant
        .attachments()
        .filter(attachment::Column::Id.is_in(waiting.iter().copied()))
        .all(app.store.db())
        .await
        .unwrap_or_default();
    let is_over = |row: &attachment::Model| match row.preview_state {
        _ if row.scan_state == ScanState::Waiting => false,
        _ if row.scan_state == ScanState::Infected => true,
        PreviewState::Available | PreviewState::Failed => convert::pending(row).is_none(),
        // Converted: no preview of the result was requested yet.
        PreviewState::NotRequested => row.is_converted && row.transform.is_none(),
        PreviewState::Processing => false,
    };
    rows.into_iter()
        .filter(is_over)
        .map(|row| {
            waiting.remove(&row.id);
            ProcessingAnswer::Completed { attachment_id: row.id, preview_available: row.preview_state }
        })
        .collect()
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum ListFrame {
    #[serde(rename_all = "camelCase")]
    Intake {
        message_id: Uuid,
    },
    #[serde(rename_all = "camelCase")]
    Release {
        message_id: Uuid,
    },
    Tasks,
    Features,
    Revoked,
}

#[derive(Deserialize)]
struct Nothing {}

/// Reports new and changed messages of the organization, progress of the caller's exports, and switched features
/// (WebSocket; the first frame carries a ticket)
#[utoipa::path(get, path = "/api/hubs/events", operation_id = "eventsHub", tag = "hubs",
    responses((status = 101, description = "Switched to WebSocket")))]
async fn events(door: Door) -> Response {
    door.open(list_events)
}

async fn list_events(app: App, caller: Caller, mut line: Line) {
    let mut bus = app.bus.subscribe();
    loop {
        let event = tokio::select! {
            frame = line.receive::<Nothing>() => match frame {
                Some(_) => continue,
                None => return,
            },
            event = bus.recv() => event,
        };
        let frame = match event {
            Ok(Event::Intake { organization_id, message_id })
                if caller.organization_id == Some(organization_id) =>
            {
                let tenant = Tenant::without(organization_id, line.unreadable());
                if !is_told(&app, &tenant, message_id).await {
                    continue;
                }
                ListFrame::Intake { message_id }
            }
            Ok(Event::Release { organization_id, message_id })
                if caller.organization_id == Some(organization_id) =>
            {
                ListFrame::Release { message_id }
            }
            Ok(Event::Tasks { organization_id, user_id })
                if caller.organization_id == Some(organization_id) && caller.user_id == user_id =>
            {
                ListFrame::Tasks
            }
            Ok(Event::Features { organization_id: of }) if of.is_none() || of == caller.organization_id => {
                ListFrame::Features
            }
            Ok(Event::SessionEnded { session_id }) if session_id == caller.session_id => {
                line.send(&ListFrame::Revoked).await;
                return;
            }
            Ok(event) if event.ends(caller.session_id) => return,
            // Events were lost: the browser reconnects and reloads everything.
            Ok(Event::Missed) | Err(RecvError::Lagged(_) | RecvError::Closed) => return,
            Ok(_) => continue,
        };
        if !line.send(&frame).await {
            return;
        }
    }
}

/// Whether a user is told that an Intake message arrived, changed or was deleted: only if they may read it.
async fn is_told(app: &App, tenant: &Tenant, message_id: Uuid) -> bool {
    if tenant.unreadable().is_empty() {
        return true;
    }
    let found = message::Entity::find_by_id(message_id).one(app.store.db()).await;
    matches!(found, Ok(Some(row)) if tenant.holds(&row))
}

/// Whether a message belongs to the organization and the user may read it now.
async fn may_read(app: &App, organization_id: Uuid, user_id: Uuid, message_id: Uuid) -> bool {
    let db = app.store.db();
    let Ok(unreadable) = platform::session::unreadable(db, organization_id, user_id).await else {
        return false;
    };
    let messages = Tenant::without(organization_id, unreadable).messages();
    let found = messages.filter(message::Column::Id.eq(message_id)).one(db).await;
    matches!(found, Ok(Some(_)))
}
