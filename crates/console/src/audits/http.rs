//! `/api/admin/audits`

use super::{
    queries::{self, Entries},
    rules::{Span, label},
    types::{AuditEventType, AuditRecord, AuditSearch},
};
use axum::{Json, extract::State, response::Response};
use platform::{
    App, Caller, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, event},
    csv,
    http::{Body, Items, Page, Paged},
};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(search_audits))
        .route(SYSADMINS, routes!(audit_event_types))
        .route(SYSADMINS, routes!(download_audits))
}

/// Entries of the audit trail of all organizations, newest first
#[utoipa::path(post, path = "/api/admin/audits", operation_id = "searchAudits", tag = "audits",
    request_body = AuditSearch, responses((status = 200, body = Paged<AuditRecord>)))]
async fn search_audits(
    State(app): State<App>,
    Body(search): Body<AuditSearch>,
) -> Result<Json<Paged<AuditRecord>>> {
    let page = Page::new(search.page_number, search.page_size, 25, 100)?;
    Ok(Json(queries::page(&app, &Span::of(&search)?, page).await?))
}

/// The events of the audit trail with their labels
#[utoipa::path(get, path = "/api/admin/audits/eventtypes", operation_id = "auditEventTypes", tag = "audits",
    responses((status = 200, body = Items<AuditEventType>)))]
async fn audit_event_types() -> Json<Items<AuditEventType>> {
    let item = |name: &&str| AuditEventType { event_type: (*name).into(), label: label(name) };
    Json(Items { items: event::ALL.iter().map(item).collect() })
}

/// All entries of a search as CSV
#[utoipa::path(post, path = "/api/admin/audits/csv", operation_id = "downloadAudits", tag = "audits",
    request_body = AuditSearch, responses((status = 200, content_type = "text/csv", body = String)))]
async fn download_audits(
    State(app): State<App>,
    caller: Caller,
    Body(search): Body<AuditSearch>,
) -> Result<Response> {
    let span = Span::of(&search)?;
    let act = Act::new(event::DOWNLOADED, "report", "audits").detail(span.detail());
    audit::record_read(&app, &caller, act).await?;
    Ok(csv::download(app, &span.file_name(), Entries::new(span)))
}
