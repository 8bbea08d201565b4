//! `/api/admin/health`: whether the node that answers can store anything, who holds its connections and waits for its work,
//! and what is wrong with the audit trail.

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
    /// Work that waits for its turn: conversions, and what is asked of others outside.
    pub pools: Vec<PoolHealth>,
    /// What does not fit between the audit trail and what was kept of it outside the database, in plain words.
    pub audit_findings: Vec<String>,
    /// What goes over the wire unprotected because a setting allows it, in plain words.
    pub concessions: Vec<String>,
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

/// Work that is done in turns. What is refused is tried again by the workflow that needs it, or told to the caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PoolHealth {
    pub name: String,
    /// In units of its own, of `total`.
    pub used: u64,
    pub total: u64,
    pub waiting: usize,
    /// Since the node started, because too much waited already.
    pub refused: u64,
    pub busiest: Vec<PartyHealth>,
}

/// An organization, or a host outside, with much work at hand, waiting or refused.
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

/// The names of the organizations that hold something of a pool.
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

/// How the node that answers is
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
