//! `/api/fax/log`: the fax log of an organization.

use super::{
    queries::{self, FaxLog, Filter},
    types::{FaxDirection, FaxLogEntry, LoggedOutcome},
};
use axum::{Json, extract::State, response::Response};
use chrono::{DateTime, Utc};
use platform::{
    App, Manager, Result,
    access::MANAGERS,
    api::Api,
    audit::{self, Act, event},
    csv,
    http::{Body, Page, Paged, Params},
    text::SearchWords,
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(MANAGERS, routes!(fax_log, search_fax_log))
        .route(MANAGERS, routes!(fax_log_csv, searched_fax_log_csv))
}

#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct FaxLogSearch {
    /// Default: both.
    #[param(inline)]
    pub direction: Option<FaxDirection>,
    #[param(inline)]
    pub outcome: Option<LoggedOutcome>,
    /// Part of a number; only digits count.
    pub number: Option<SearchWords>,
    pub start: Option<DateTime<Utc>>,
    pub end: Option<DateTime<Utc>>,
    pub page_number: Option<u64>,
    /// Default 25, maximum 100.
    pub page_size: Option<u64>,
}

impl FaxLogSearch {
    fn filter(&self, organization_id: Uuid) -> Result<Filter> {
        let digits = |text: &SearchWords| text.chars().filter(char::is_ascii_digit).collect::<String>();
        Ok(Filter {
            organization_id,
            direction: self.direction,
            outcome: self.outcome,
            number: self.number.as_ref().map(digits).filter(|n| !n.is_empty()),
            start: self.start,
            end: self.end,
        })
    }
}

/// The fax log, newest first
///
/// Send a number that somebody typed in the body of the `POST`, which answers the same.
#[utoipa::path(get, path = "/api/fax/log", operation_id = "faxLog", tag = "fax", params(Manager, FaxLogSearch),
    responses((status = 200, body = Paged<FaxLogEntry>)))]
async fn fax_log(
    State(app): State<App>,
    manager: Manager,
    Params(params): Params<FaxLogSearch>,
) -> Result<Json<Paged<FaxLogEntry>>> {
    listed(&app, &manager, &params).await
}

/// Matching entries of the fax log, newest first
#[utoipa::path(post, path = "/api/fax/log", operation_id = "searchFaxLog", tag = "fax", params(Manager),
    request_body = FaxLogSearch, responses((status = 200, body = Paged<FaxLogEntry>)))]
async fn search_fax_log(
    State(app): State<App>,
    manager: Manager,
    Body(search): Body<FaxLogSearch>,
) -> Result<Json<Paged<FaxLogEntry>>> {
    listed(&app, &manager, &search).await
}

async fn listed(app: &App, manager: &Manager, params: &FaxLogSearch) -> Result<Json<Paged<FaxLogEntry>>> {
    let page = Page::new(params.page_number, params.page_size, 25, 100)?;
    let filter = params.filter(manager.organization_id)?;
    let (items, counted) = queries::page(app.store.db(), &filter, page).await?;
    looked(app, manager, event::LISTED).await?;
    Ok(Json(Paged::capped(items, counted)))
}

/// The whole filtered fax log as CSV
///
/// Send a number that somebody typed in the body of the `POST`, which answers the same.
#[utoipa::path(get, path = "/api/fax/log/csv", operation_id = "faxLogCsv", tag = "fax", params(Manager, FaxLogSearch),
    responses((status = 200, body = String, content_type = "text/csv")))]
async fn fax_log_csv(
    State(app): State<App>,
    manager: Manager,
    Params(params): Params<FaxLogSearch>,
) -> Result<Response> {
    file(app, &manager, &params).await
}

/// All matching entries of the fax log as CSV
#[utoipa::path(post, path = "/api/fax/log/csv", operation_id = "searchedFaxLogCsv", tag = "fax", params(Manager),
    request_body = FaxLogSearch, responses((status = 200, body = String, content_type = "text/csv")))]
async fn searched_fax_log_csv(
    State(app): State<App>,
    manager: Manager,
    Body(search): Body<FaxLogSearch>,
) -> Result<Response> {
    file(app, &manager, &search).await
}

async fn file(app: App, manager: &Manager, params: &FaxLogSearch) -> Result<Response> {
    // The file has no pages, but an invalid page is still an error of the caller.
    Page::new(params.page_number, params.page_size, 25, 100)?;
    let filter = params.filter(manager.organization_id)?;
    looked(&app, manager, event::DOWNLOADED).await?;
    Ok(csv::download(app, "fax-log.csv", FaxLog::new(filter)))
}

/// Records in the organization's audit trail who viewed the log.
async fn looked(app: &App, manager: &Manager, what: &'static str) -> Result<()> {
    let txn = app.store.begin().await?;
    let act = Act::new(what, "faxlog", "");
    audit::record(app, &txn, &manager.actor(), act).await?;
    txn.commit().await?;
    Ok(())
}
