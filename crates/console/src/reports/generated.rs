//! `/api/admin/generated_reports`: long reports, which are made in the background and kept for a week.

use super::{
    events::{self, Events},
    queries::{DirectAddresses, Organizations, Users},
    usage::{Contacts, Devices},
};
use crate::organizations::types::SortDirection;
use axum::{
    Json,
    body::Body as Content,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Duration, Utc};
use futures::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream},
};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    chores, csv, download,
    http::{Body, Id, Page, Paged, Params},
    sql,
};
use sea_orm::{
    ActiveEnum, ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, Order, PaginatorTrait,
    QueryFilter,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io;
use store::{
    Transaction,
    entities::{
        generated_report::{self, Column, Entity, Model, ReportKind, ReportState},
        generated_report_piece as piece,
    },
};
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Policy, Registry, Step, StepContext, StepError, StepType};

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(generated_reports, generate_report))
        .route(SYSADMINS, routes!(generated_report, delete_generated_report))
}

const OBJECT: &str = "generatedreport";
/// Maximum duration of making a report.
const WORKFLOW: &str = "ReportWorkflow";
const MAKE: StepType = StepType::new("MakeReport", Lane::Chores);
/// Time for which a report is kept.
const KEPT: Duration = Duration::days(7);
/// Maximum number of reports kept at the same time.
const REPORTS_MAX: u64 = 100;
const TOO_MANY: &str = "There are already 100 reports. Please delete one that is no longer needed.";
const NOT_READY: &str = "This report is not ready.";

/// A requested report.
#[derive(Deserialize, ToSchema)]
pub struct ReportRequest {
    pub report: ReportKind,
    /// Required for the reports on messages and devices; the others have no dates.
    pub start: Option<DateTime<Utc>>,
    /// Included in the period. Required like `start`.
    pub end: Option<DateTime<Utc>>,
}

/// A finished or running report.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GeneratedReport {
    pub id: Uuid,
    /// Kind of the report, as on its tile.
    pub name: String,
    /// Period of the report, if it has one.
    pub start: Option<DateTime<Utc>>,
    pub end: Option<DateTime<Utc>>,
    /// Name of the file.
    pub file_name: String,
    pub state: ReportState,
    pub requested_by: String,
    pub size_bytes: u64,
    pub create_date: DateTime<Utc>,
    /// Time of its removal.
    pub expiration_date: DateTime<Utc>,
}

impl From<Model> for GeneratedReport {
    fn from(row: Model) -> Self {
        Self {
            name: name_of(row.kind).into(),
            file_name: file_name(&row),
            id: row.id,
            start: row.since,
            end: row.until,
            state: row.state,
            requested_by: row.requested_by,
            size_bytes: row.size_bytes.max(0) as u64,
            create_date: row.created_at,
            expiration_date: row.expires_at,
        }
    }
}

fn name_of(kind: ReportKind) -> &'static str {
    match kind {
        ReportKind::DirectAddresses => "Direct Addresses",
        ReportKind::Organizations => "Organizations",
        ReportKind::Users => "Users",
        ReportKind::Messages => "Messages",
        ReportKind::Devices => "Devices",
        ReportKind::ContactsStatistics => "Contacts Statistics",
    }
}

/// `messages-2026-11-19.csv`
fn file_name(row: &Model) -> String {
    let name = name_of(row.kind).to_lowercase().replace(' ', "-");
    format!("{name}-{}.csv", row.created_at.format("%Y-%m-%d"))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct GeneratedReportsQuery {
    #[param(inline)]
    pub sort_dir: Option<SortDirection>,
    pub page_number: Option<u64>,
    /// 10 by default, at most 100
    pub page_size: Option<u64>,
}

/// Reports made in the background, newest first by default
#[utoipa::path(get, path = "/api/admin/generated_reports", operation_id = "generatedReports", tag = "reports",
    params(GeneratedReportsQuery), responses((status = 200, body = Paged<GeneratedReport>)))]
async fn generated_reports(
    State(app): State<App>,
    Params(query): Params<GeneratedReportsQuery>,
) -> Result<Json<Paged<GeneratedReport>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let order = match query.sort_dir {
        Some(SortDirection::Asc) => Order::Asc,
        Some(SortDirection::Desc) | None => Order::Desc,
    };
    let rows = Entity::find().filter(Column::ExpiresAt.gt(app.clock.now()));
    let order = [(Column::CreatedAt, order.clone()), (Column::Id, order)];
    Ok(Json(sql::page(app.store.db(), rows, &order, page).await?.map(Into::into)))
}

/// Requests a report, which is made in the background
#[utoipa::path(post, path = "/api/admin/generated_reports", operation_id = "generateReport", tag = "reports",
    request_body = ReportRequest, responses((status = 202, body = GeneratedReport)))]
async fn generate_report(
    State(app): State<App>,
    caller: Caller,
    Body(request): Body<ReportRequest>,
) -> Result<(StatusCode, Json<GeneratedReport>)> {
    let now = app.clock.now();
    let span = match request.report {
        ReportKind::Messages | ReportKind::Devices => {
            Some(events::checked_dates(request.start, request.end, now, ["start", "end"])?)
        }
        _ => None,
    };
    let txn = app.store.begin().await?;
    if Entity::find().filter(Column::ExpiresAt.gt(now)).count(&txn).await? >= REPORTS_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let row = generated_report::ActiveModel {
        id: Set(Uuid::now_v7()),
        kind: Set(request.report),
        since: Set(span.map(|(since, _)| since)),
        until: Set(span.map(|(_, until)| until)),
        state: Set(ReportState::Processing),
        requested_by: Set(caller.user_name.clone()),
        pieces: Set(0),
        size_bytes: Set(0),
        created_at: Set(now),
        expires_at: Set(now + KEPT),
    };
    let created = row.insert(&txn).await?;
    let job = NewWorkflow {
        // A workflow of the platform.
        organization_id: Uuid::nil(),
        kind: WORKFLOW.into(),
        object_id: created.id,
        steps: vec![NewStep::new(0, MAKE, now)],
    };
    workflow::enqueue(&txn, now, job).await?;
    let act = Act::new(event::CREATED, OBJECT, created.id)
        .detail(json!({ "report": request.report.to_value(), "start": created.since, "end": created.until }));
    audit::record(&app, &txn, &Actor::platform(&caller), act).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok((StatusCode::ACCEPTED, Json(created.into())))
}

async fn find(app: &App, id: Uuid) -> Result<Model> {
    let found = Entity::find_by_id(id).filter(Column::ExpiresAt.gt(app.clock.now()));
    found.one(app.store.db()).await?.ok_or(Error::NotFound)
}

/// The file of a report
#[utoipa::path(get, path = "/api/admin/generated_reports/{id}", operation_id = "generatedReport", tag = "reports",
    params(("id" = Uuid, Path)), responses((status = 200, content_type = "text/csv", body = String),
        (status = 409, description = "The files are not ready")))]
async fn generated_report(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<Response> {
    let row = find(&app, id).await?;
    if row.state != ReportState::Ready {
        return Err(Error::Conflict(NOT_READY.into()));
    }
    audit::record_read(&app, &caller, Act::new(event::DOWNLOADED, OBJECT, id)).await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
        (header::CONTENT_DISPOSITION, download::attachment(&file_name(&row))),
        (header::CONTENT_LENGTH, HeaderValue::from(row.size_bytes)),
    ];
    let pieces = stream::iter(0..row.pieces).then(move |position| {
        let app = app.clone();
        async move { read(&app, id, position).await }
    });
    Ok((headers, Content::from_stream(pieces)).into_response())
}

async fn read(app: &App, report_id: Uuid, position: i32) -> io::Result<Vec<u8>> {
    let found = piece::Entity::find_by_id((report_id, position)).one(app.store.db()).await;
    let found = found.map_err(io::Error::other)?;
    found.map(|piece| piece.content).ok_or_else(|| io::Error::other("the report was removed"))
}

/// Removes a report before its retention time
#[utoipa::path(delete, path = "/api/admin/generated_reports/{id}", operation_id = "deleteGeneratedReport",
    tag = "reports", params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_generated_report(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    find(&app, id).await?;
    let txn = app.store.begin().await?;
    remove(&txn, id).await?;
    audit::record(&app, &txn, &Actor::platform(&caller), Act::new(event::DELETED, OBJECT, id)).await?;
    txn.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn remove(txn: &Transaction, id: Uuid) -> Result<()> {
    piece::Entity::delete_many().filter(piece::Column::ReportId.eq(id)).exec(txn).await?;
    Entity::delete_by_id(id).exec(txn).await?;
    Ok(())
}

const ROUND: std::time::Duration = std::time::Duration::from_secs(3600);

/// Removes expired reports until the node stops.
pub async fn expire_forever(app: App, cancel: CancellationToken) {
    chores::every(ROUND, std::time::Duration::ZERO, cancel, "expired reports", || expire(&app)).await;
}

/// Removes expired reports.
pub async fn expire(app: &App) -> Result<()> {
    let over = Entity::find().filter(Column::ExpiresAt.lte(app.clock.now())).all(app.store.db()).await?;
    for report in over {
        let txn = app.store.begin().await?;
        remove(&txn, report.id).await?;
        txn.commit().await?;
    }
    Ok(())
}

pub fn registry(app: &App) -> Registry {
    Registry::new().with(WORKFLOW, MAKE, MakeReport(app.clone()))
}

/// Writes a report in pieces. A repeated run starts over, also when an operator retries a failed one.
struct MakeReport(App);

fn again(error: impl std::fmt::Debug) -> StepError {
    StepError::again(format!("{error:?}"))
}

#[async_trait::async_trait]
impl Step for MakeReport {
    fn policy(&self) -> Policy {
        Policy { max_attempts: 4, deadline: std::time::Duration::from_secs(60 * 60), ..Policy::default() }
    }

    async fn run(&self, cx: &StepContext) -> std::result::Result<Done, StepError> {
        let (app, id) = (&self.0, cx.object_id());
        let found = Entity::find_by_id(id).one(app.store.db()).await?;
        let Some(row) = found.filter(|report| report.state != ReportState::Ready) else {
            return Ok(Done::skipped());
        };
        piece::Entity::delete_many().filter(piece::Column::ReportId.eq(id)).exec(app.store.db()).await?;
        let mut content = content_of(app, &row).map_err(again)?;
        let (mut pieces, mut size) = (0, 0);
        while let Some(bytes) = content.try_next().await.map_err(again)? {
            size += bytes.len() as i64;
            let next = piece::ActiveModel { report_id: Set(id), position: Set(pieces), content: Set(bytes) };
            piece::Entity::insert(next).exec_without_returning(app.store.db()).await?;
            pieces += 1;
        }
        Ok(Done::with(move |txn| {
            Box::pin(async move {
                Entity::update_many()
                    .set(generated_report::ActiveModel {
                        state: Set(ReportState::Ready),
                        pieces: Set(pieces),
                        size_bytes: Set(size),
                        ..Default::default()
                    })
                    .filter(Column::Id.eq(id))
                    .exec(txn)
                    .await?;
                Ok(())
            })
        }))
    }

    async fn failed(
        &self,
        cx: &StepContext,
        _: &str,
        txn: &Transaction,
    ) -> std::result::Result<(), sea_orm::DbErr> {
        piece::Entity::delete_many().filter(piece::Column::ReportId.eq(cx.object_id())).exec(txn).await?;
        let failed = generated_report::ActiveModel { state: Set(ReportState::Failed), ..Default::default() };
        Entity::update_many().set(failed).filter(Column::Id.eq(cx.object_id())).exec(txn).await.map(|_| ())
    }
}

/// The pieces of a report's file.
fn content_of(app: &App, row: &Model) -> Result<BoxStream<'static, io::Result<Vec<u8>>>> {
    let span = || match (row.since, row.until) {
        (Some(since), Some(until)) => Ok((since, until)),
        _ => Err(Error::internal("a report has no dates")),
    };
    let app = app.clone();
    Ok(match row.kind {
        ReportKind::DirectAddresses => csv::pieces(app, DirectAddresses::default()).boxed(),
        ReportKind::Organizations => csv::pieces(app, Organizations::default()).boxed(),
        ReportKind::Users => csv::pieces(app, Users::default()).boxed(),
        ReportKind::ContactsStatistics => csv::pieces(app, Contacts::default()).boxed(),
        ReportKind::Messages => csv::pieces(app, Events::all(span()?)).boxed(),
        ReportKind::Devices => {
            let (since, until) = span()?;
            csv::pieces(app, Devices::new(since, until)).boxed()
        }
    })
}
