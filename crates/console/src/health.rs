//! `/api/admin/health`: whether the answering node can store data, the owners of its connections and waiting work,
//! and problems of the audit trail.

use admission::{GateState, Party, PoolState};
use axum::{Json, extract::State};
use platform::{App, Result, access::OPERATORS, api::Api};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use serde::Serialize;
use std::collections::HashMap;
use store::entities::organization;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(OPERATORS, routes!(health))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    pub disk: DiskHealth,
    pub listeners: Vec<ListenerHealth>,
    /// Work that waits for its turn: conversions and calls of outside services.
    pub pools: Vec<PoolHealth>,
    /// Differences between the audit trail and its heads that are kept outside the database, in plain words.
    pub audit_findings: Vec<String>,
    /// Settings that allow unprotected connections, in plain words.
    pub concessions: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiskHealth {
    /// None if files are stored on other machines.
    pub free_bytes: Option<u64>,
    /// Below this, nothing is accepted.
    pub floor_bytes: u64,
    /// Whether mails, files and messages are refused.
    pub is_full: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListenerHealth {
    pub name: String,
    pub open: usize,
    pub total: usize,
    /// Of the total, reserved for addresses with a recent sign-in or a valid token.
    pub reserve: usize,
    /// Connections refused since the node started.
    pub refused: u64,
    pub busiest: Vec<NetworkHealth>,
}

/// A network with many connections or refusals.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkHealth {
    /// For example `192.0.2.0/24`.
    pub network: String,
    pub open: usize,
    pub refused: u64,
}

/// A pool of work that is done in turns. Refused work is tried again by its workflow, or reported to the caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PoolHealth {
    pub name: String,
    /// In the pool's own units; a part of `total`.
    pub used: u64,
    pub total: u64,
    pub waiting: usize,
    /// Refusals since the node started, because too much work was waiting.
    pub refused: u64,
    pub busiest: Vec<PartyHealth>,
}

/// An organization, or an outside host, with much work running, waiting or refused.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartyHealth {
    pub name: String,
    pub used: u64,
    pub waiting: usize,
    pub refused: u64,
}

fn pool_health(state: PoolState, names: &HashMap<Uuid, String>) -> PoolHealth {
    let party = |busy: admission::BusyParty| PartyHealth {
        name: match &busy.party {
            Party::Organization(id) => names.get(id).cloned().unwrap_or_else(|| busy.party.to_string()),
            other => other.to_string(),
        },
        used: busy.used,
        waiting: busy.waiting,
        refused: busy.refused,
    };
    PoolHealth {
        name: state.name.into(),
        used: state.used,
        total: state.total,
        waiting: state.waiting,
        refused: state.refused,
        busiest: state.busiest.into_iter().map(party).collect(),
    }
}

/// The names of the organizations that use a pool.
async fn names(app: &App, pools: &[PoolState]) -> Result<HashMap<Uuid, String>> {
    let parties = pools.iter().flat_map(|pool| &pool.busiest).map(|busy| &busy.party);
    let ids: Vec<Uuid> = parties
        .filter_map(|party| if let Party::Organization(id) = party { Some(*id) } else { None })
        .collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let named = organization::Entity::find()
        .select_only()
        .columns([organization::Column::Id, organization::Column::Name])
        .filter(organization::Column::Id.is_in(ids))
        .into_tuple::<(Uuid, String)>()
        .all(app.store.db())
        .await?;
    Ok(named.into_iter().collect())
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

/// The state of the answering node
#[utoipa::path(get, path = "/api/admin/health", operation_id = "health", tag = "admin",
    responses((status = 200, body = Health)))]
async fn health(State(app): State<App>) -> Result<Json<Health>> {
    let (disk, pools) = (&app.health.disk, app.pools());
    let names = names(&app, &pools).await?;
    Ok(Json(Health {
        disk: DiskHealth { free_bytes: disk.free(), floor_bytes: disk.floor(), is_full: disk.is_full() },
        listeners: app.health.gates().into_iter().map(Into::into).collect(),
        pools: pools.into_iter().map(|pool| pool_health(pool, &names)).collect(),
        audit_findings: app.health.audit_findings(),
        concessions: app.config.concessions().into_iter().map(Into::into).collect(),
    }))
}
