//! `/api/admin/lanes`: running and waiting work of the workers.

use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{App, Result, access::OPERATORS, api::Api, http::Items};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::routes;
use workflow::{LaneState, lane_states};

pub fn api() -> Api {
    Api::new().route(OPERATORS, routes!(lanes))
}

/// A kind of work with its own workers.
#[derive(Debug, Serialize, ToSchema)]
pub struct LaneView {
    /// Receiving, Delivering, Notices, Conversion, Reading, Anonymous, Webhooks or Chores.
    lane: String,
    /// Number of steps that run on any node.
    busy: i64,
    /// Number of due steps without a worker.
    waiting: i64,
    /// Time since which the oldest of them has waited.
    oldest: Option<DateTime<Utc>>,
}

impl From<LaneState> for LaneView {
    fn from(LaneState { lane, busy, waiting, oldest }: LaneState) -> Self {
        Self { lane: lane.to_string(), busy, waiting, oldest }
    }
}

/// Running and waiting work, by kind
#[utoipa::path(get, path = "/api/admin/lanes", operation_id = "lanes", tag = "operation",
    responses((status = 200, body = Items<LaneView>)))]
async fn lanes(State(app): State<App>) -> Result<Json<Items<LaneView>>> {
    Ok(Json(Items { items: lane_views(&app).await? }))
}

/// Every lane, in the shape of the API.
pub async fn lane_views(app: &App) -> Result<Vec<LaneView>> {
    let states = lane_states(app.store.db(), app.clock.now()).await?;
    Ok(states.into_iter().map(LaneView::from).collect())
}
