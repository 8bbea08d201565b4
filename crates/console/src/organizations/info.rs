//! `/api/organizations/{id}/info`: creation, last change and usage of an organization.

use accounts::organization::find_open;
use accounts::people::{queries::number_with, types::UserStatus};
use axum::{Json, extract::State};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Result,
    access::SYSADMINS,
    api::Api,
    http::{COUNT_CAP, Id},
    sql::capped_count,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde::Serialize;
use store::{
    entities::{
        document_source::{self, SourceKind, SourceStatus},
        message_event::{self, EventType},
    },
    tenant::Tenant,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(organization_info))
}

const DAYS: i64 = 30;

/// Messages are counted over the last 30 days, up to 10,000.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationInfo {
    pub created_by: String,
    pub create_date: DateTime<Utc>,
    pub modified_by: String,
    pub modified_date: DateTime<Utc>,
    pub terms_accepted_date: Option<DateTime<Utc>>,
    pub id_proofed_date: Option<DateTime<Utc>>,
    pub active_users: u64,
    pub invited_users: u64,
    pub disabled_users: u64,
    pub direct_addresses: u64,
    pub fax_numbers: u64,
    pub messages_received: u64,
    pub deliveries: u64,
    pub failed_messages: u64,
}

/// Creation, last change and usage of an organization
#[utoipa::path(get, path = "/api/organizations/{id}/info", operation_id = "organizationInfo", tag = "organizations",
    params(("id" = Uuid, Path)), responses((status = 200, body = OrganizationInfo)))]
async fn organization_info(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<OrganizationInfo>> {
    let (db, tenant) = (app.store.db(), Tenant::whole(id));
    let row = find_open(db, id).await?;
    let since = app.clock.now() - Duration::days(DAYS);
    Ok(Json(OrganizationInfo {
        created_by: row.created_by,
        create_date: row.created_at,
        modified_by: row.modified_by,
        modified_date: row.modified_at,
        terms_accepted_date: row.eula_accepted_at,
        id_proofed_date: row.id_proofed_at,
        active_users: number_with(db, &tenant, UserStatus::Active).await?,
        invited_users: number_with(db, &tenant, UserStatus::Invited).await?,
        disabled_users: number_with(db, &tenant, UserStatus::Disabled).await?,
        direct_addresses: sources(db, &tenant, SourceKind::Direct).await?,
        fax_numbers: sources(db, &tenant, SourceKind::Fax).await?,
        messages_received: events(db, id, EventType::Received, since).await?,
        deliveries: events(db, id, EventType::Delivered, since).await?,
        failed_messages: events(db, id, EventType::Failed, since).await?,
    }))
}

async fn sources(db: &impl ConnectionTrait, tenant: &Tenant, kind: SourceKind) -> Result<u64> {
    let rows = tenant
        .document_sources()
        .filter(document_source::Column::Kind.eq(kind))
        .filter(document_source::Column::Status.ne(SourceStatus::Deleted));
    Ok(rows.count(db).await?)
}

async fn events(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    kind: EventType,
    since: DateTime<Utc>,
) -> Result<u64> {
    let rows = message_event::Entity::find()
        .filter(message_event::Column::OrganizationId.eq(organization_id))
        .filter(message_event::Column::EventType.eq(kind))
        .filter(message_event::Column::At.gte(since));
    Ok(capped_count(db, rows).await?.min(COUNT_CAP))
}
