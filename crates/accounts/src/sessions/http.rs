//! `/api/account/sessions`

use super::queries;
use crate::second_factor::PasswordOrCode;
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Result,
    access::SIGNED_IN,
    api::Api,
    http::{Body, Id, Items},
};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SIGNED_IN, routes!(own_sessions))
        .route(SIGNED_IN, routes!(end_sessions))
        .route(SIGNED_IN, routes!(end_session))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnSession {
    pub id: Uuid,
    pub created_at: DateTime<Utc>,
    pub last_used_at: DateTime<Utc>,
    pub source_ip: String,
    pub user_agent: String,
    /// Whether it is the caller's current session.
    pub is_current: bool,
}

/// The caller's open sessions
#[utoipa::path(get, path = "/api/account/sessions", operation_id = "ownSessions", tag = "account",
    responses((status = 200, body = Items<OwnSession>)))]
async fn own_sessions(State(app): State<App>, caller: Caller) -> Result<Json<Items<OwnSession>>> {
    let rows = queries::own(&app, &caller).await?;
    let item = |row: store::entities::session::Model| OwnSession {
        id: row.id,
        created_at: row.created_at,
        last_used_at: row.last_used_at,
        source_ip: row.source_ip,
        user_agent: row.user_agent,
        is_current: row.id == caller.session_id,
    };
    Ok(Json(Items { items: rows.into_iter().map(item).collect() }))
}

/// Ends all sessions of the caller, including this one
#[utoipa::path(post, path = "/api/account/sessions/end", operation_id = "endSessions", tag = "account",
    request_body = PasswordOrCode, responses((status = 204)))]
async fn end_sessions(
    State(app): State<App>,
    caller: Caller,
    Body(given): Body<PasswordOrCode>,
) -> Result<StatusCode> {
    queries::end_every(&app, &caller, given).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends one session of the caller
#[utoipa::path(post, path = "/api/account/sessions/{id}/end", operation_id = "endSession", tag = "account",
    params(("id" = Uuid, Path)), request_body = PasswordOrCode, responses((status = 204)))]
async fn end_session(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(given): Body<PasswordOrCode>,
) -> Result<StatusCode> {
    queries::end_one(&app, &caller, id, given).await?;
    Ok(StatusCode::NO_CONTENT)
}
