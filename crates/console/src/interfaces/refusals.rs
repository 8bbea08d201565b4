//! `/api/admin/interfacerefusals`

use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Result,
    access::SYSADMINS,
    api::Api,
    http::{Page, Paged, Params},
    sql,
};
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::entities::{
    inbound_connection::{self, ConnectionKind},
    interface_refusal::{Column, Entity, Model},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(interface_refusals))
}

/// A refused message, with the number of repetitions.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InterfaceRefusal {
    pub id: Uuid,
    pub kind: ConnectionKind,
    /// The connection, if the sender was recognized and the connection still exists.
    pub connection_name: Option<String>,
    pub source_ip: String,
    /// SHA-256 fingerprint of the sender's certificate.
    pub certificate: String,
    pub sending_application: String,
    pub sending_facility: String,
    pub receiving_facility: String,
    pub message_type: String,
    pub reason: String,
    pub times: i64,
    pub first_at: DateTime<Utc>,
    pub last_at: DateTime<Utc>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct RefusalQuery {
    /// Only refusals of this connection.
    pub connection_id: Option<Uuid>,
    pub page_number: Option<u64>,
    /// 25 by default, at most 100.
    pub page_size: Option<u64>,
}

/// Messages refused by interfaces within 30 days, newest first
#[utoipa::path(get, path = "/api/admin/interfacerefusals", operation_id = "interfaceRefusals", tag = "interfaces",
    params(RefusalQuery), responses((status = 200, body = Paged<InterfaceRefusal>)))]
async fn interface_refusals(
    State(app): State<App>,
    Params(query): Params<RefusalQuery>,
) -> Result<Json<Paged<InterfaceRefusal>>> {
    let page = Page::new(query.page_number, query.page_size, 25, 100)?;
    let db = app.store.db();
    let mut rows = Entity::find();
    if let Some(id) = query.connection_id {
        rows = rows.filter(Column::ConnectionId.eq(id));
    }
    let latest = [(Column::LastAt, Order::Desc), (Column::Id, Order::Desc)];
    let found = sql::page(db, rows, &latest, page).await?;
    let ids = found.items.iter().filter_map(|row| row.connection_id);
    let named = inbound_connection::Entity::find().filter(inbound_connection::Column::Id.is_in(ids));
    let named = named.all(db).await?.into_iter().map(|row| (row.id, row.name));
    let names: HashMap<Uuid, String> = named.collect();
    Ok(Json(found.map(|row| shown(row, &names))))
}

fn shown(row: Model, names: &HashMap<Uuid, String>) -> InterfaceRefusal {
    InterfaceRefusal {
        id: row.id,
        kind: row.kind,
        connection_name: row.connection_id.and_then(|id| names.get(&id).cloned()),
        source_ip: row.source_ip,
        certificate: row.certificate,
        sending_application: row.sending_application,
        sending_facility: row.sending_facility,
        receiving_facility: row.receiving_facility,
        message_type: row.message_type,
        reason: row.reason,
        times: row.times,
        first_at: row.first_at,
        last_at: row.last_at,
    }
}
