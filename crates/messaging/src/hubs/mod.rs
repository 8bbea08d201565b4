//! Real-time hubs: who has a message open, finished previews, changed lists.

pub mod presence;

use crate::model::PreviewState;
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
use store::{entities::attachment, tenant::Tenant};
use tokio::sync::broadcast::error::RecvError;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .hub(MEMBERS, routes!(presence::message_presence))
        .hub(MEMBERS, routes!(document_processing))
        // Everybody hears that their session was ended.
        .hub(SIGNED_IN, routes!(events))
}

/// How often a hub looks again for what a lost event did not tell.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// Files whose previews one browser may wait for: they are asked for in one statement.
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

/// Tells when the preview of a file is ready (WebSocket; the first frame carries a ticket)
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
        for answer in finished(&app, organization_id, &mut waiting).await {
            if !line.send(&answer).await {
                return;
            }
        }
    }
}

/// The awaited files whose preview is no longer being made.
async fn finished(app: &App, organization_id: Uuid, waiting: &mut HashSet<Uuid>) -> Vec<ProcessingAnswer> {
    if waiting.is_empty() {
        return Vec::new();
    }
    let rows = Tenant(organization_id)
        .attachments()
        .filter(attachment::Column::Id.is_in(waiting.iter().copied()))
        .filter(attachment::Column::PreviewState.is_in([PreviewState::Available, PreviewState::Failed]))
        .all(app.store.db())
        .await
        .unwrap_or_default();
    rows.into_iter()
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
    Features,
    Revoked,
}

#[derive(Deserialize)]
struct Nothing {}

/// Tells which messages of the organization came or changed, and that features were switched (WebSocket; the first
/// frame carries a ticket)
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
                ListFrame::Intake { message_id }
            }
            Ok(Event::Release { organization_id, message_id })
                if caller.organization_id == Some(organization_id) =>
            {
                ListFrame::Release { message_id }
            }
            Ok(Event::Features { organization_id: of }) if of.is_none() || of == caller.organization_id => {
                ListFrame::Features
            }
            Ok(Event::SessionEnded { session_id }) if session_id == caller.session_id => {
                line.send(&ListFrame::Revoked).await;
                return;
            }
            Ok(event) if event.ends(caller.session_id) => return,
            // Events were skipped: whoever connects again looks at everything.
            Ok(Event::Missed) | Err(RecvError::Lagged(_) | RecvError::Closed) => return,
            Ok(_) => continue,
        };
        if !line.send(&frame).await {
            return;
        }
    }
}

/// Whether a message is one of the organization's.
async fn is_own_message(app: &App, organization_id: Uuid, message_id: Uuid) -> bool {
    let found = store::entities::message::Entity::find_by_id(message_id)
        .filter(store::entities::message::Column::OrganizationId.eq(organization_id))
        .one(app.store.db())
        .await;
    matches!(found, Ok(Some(_)))
}
