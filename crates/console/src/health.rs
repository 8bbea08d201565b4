//! `/api/admin/health`: whether the node that answers can store anything, who holds its connections, and what is wrong with
//! the audit trail.

use admission::GateState;
use axum::{Json, extract::State};
use platform::{App, access::OPERATORS, api::Api};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(OPERATORS, routes!(health))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    pub disk: DiskHealth,
    pub listeners: Vec<ListenerHealth>,
    /// What does not fit between the audit trail and what was kept of it outside the database, in plain words.
    pub audit_findings: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiskHealth {
    /// None where storage is on other machines.
    pub free_bytes: Option<u64>,
    /// Below this nothing is taken in.
    pub floor_bytes: u64,
    /// No mail, file or message is taken in.
    pub is_full: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListenerHealth {
    pub name: String,
    pub open: usize,
    pub total: usize,
    /// Of the total, kept for addresses from which somebody showed who they are.
    pub reserve: usize,
    /// Connections refused since the node started.
    pub refused: u64,
    pub busiest: Vec<NetworkHealth>,
}

/// A network with many connections or refusals.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkHealth {
    /// Such as `192.0.2.0/24`.
    pub network: String,
    pub open: usize,
    pub refused: u64,
}

impl From<GateState> for ListenerHealth {
    fn from(state: GateState) -> Self {
        let network = |busy: admission::Busiest| NetworkHealth {
            network: busy.network,
            open: busy.open,
            refused: busy.refused,
        };
        Self {
            name: state.name.into(),
            open: state.open,
            total: state.total,
            reserve: state.reserve,
            refused: state.refused,
            busiest: state.busiest.into_iter().map(network).collect(),
        }
    }
}

/// How the node that answers is
#[utoipa::path(get, path = "/api/admin/health", operation_id = "health", tag = "admin",
    responses((status = 200, body = Health)))]
async fn health(State(app): State<App>) -> Json<Health> {
    let disk = &app.health.disk;
    Json(Health {
        disk: DiskHealth { free_bytes: disk.free(), floor_bytes: disk.floor(), is_full: disk.is_full() },
        listeners: app.health.gates().into_iter().map(Into::into).collect(),
        audit_findings: app.health.audit_findings(),
    })
}
