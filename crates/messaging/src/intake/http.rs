//! `POST /api/intake` and, answering alike, `POST /api/messages`

use super::queries;
use crate::{
    hubs::presence,
    messages::view::{PersonView, kind_of, people, status_word},
    model::{Conversion, MessageProperties, SourceType},
    sealed::{Content, Summary, open_name},
};
use axum::{Json, extract::State};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, DayOrMoment},
};
use sea_orm::{ColumnTrait, QueryFilter, QueryOrder};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::{
    entities::{attachment, message},
    keys::DataKey,
    search,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(intake))
        .route(MEMBERS, routes!(messages))
        .route(MEMBERS, routes!(counts))
}

/// A message counts as recent for so long after it came.
const RECENT: Duration = Duration::hours(1);

/// What to list. Empty lists do not filter.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListRequest {
    /// Counted from 1.
    pub page_start: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
    /// Goes on behind the page that answered with it, beyond row 10,000.
    pub cursor: Option<String>,
    /// createdDate, fromAddress or status. Subject and patient are sealed and have no order.
    pub order_by: Option<String>,
    /// asc or desc.
    pub order_dir: Option<String>,
    /// 30 days back when absent.
    pub start_date: Option<DayOrMoment>,
    /// Counts whole.
    pub end_date: Option<DayOrMoment>,
    pub rules: Vec<String>,
    pub statuses: Vec<String>,
    pub is_all: bool,
    pub is_unassigned: bool,
    pub is_assigned_to_self: bool,
    pub is_urgent: bool,
    pub source_types: Vec<String>,
    pub processed_types: Vec<String>,
    /// Own addresses to which the messages came.
    pub sources: Vec<String>,
    /// Words of subject, patient and sender, each by its beginning.
    pub filter: Option<String>,
}

impl ListRequest {
    /// Whether it looks for words.
    pub(super) fn is_search(&self) -> bool {
        self.filter.as_deref().is_some_and(|text| !search::words(&[text]).is_empty())
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeFile {
    pub id: Uuid,
    pub file_name: String,
    pub mime_type: String,
    pub size_in_bytes: i64,
    pub is_structured: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Opener {
    pub user_id: Uuid,
    pub name: String,
}

/// A row of the Intake.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeRow {
    pub id: Uuid,
    pub subject: String,
    pub created_date: DateTime<Utc>,
    pub from_address: String,
    pub from_name: String,
    pub to_address: String,
    pub patient_name: String,
    pub document_type: String,
    pub status: String,
    pub processed_type: Option<String>,
    pub process_types: Vec<String>,
    pub source_type: SourceType,
    pub attachment_count: i32,
    pub attachments: Vec<IntakeFile>,
    pub properties: MessageProperties,
    pub origin: Option<String>,
    pub conversion: Option<String>,
    #[serde(rename = "attachments2CDA")]
    pub attachments_to_cda: bool,
    /// Came within the last hour.
    pub recent: bool,
    pub is_read: bool,
    pub is_urgent: bool,
    pub assigned_to: Option<PersonView>,
    /// Who has it open at this moment.
    pub opened_by: Vec<Opener>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeList {
    pub items: Vec<IntakeRow>,
    /// Exact up to 10,000. Absent where a search would have to count, for frequent words or behind a cursor:
    /// `/api/intake/counts` does.
    pub total_count: Option<u64>,
    /// There are, or may be, more than `totalCount`.
    pub total_is_capped: bool,
    pub next_cursor: Option<String>,
}

/// How many messages each quick view holds, up to 10,000.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuickViews {
    pub all: u64,
    pub unassigned: u64,
    pub assigned_to_self: u64,
    pub urgent: u64,
    pub unread: u64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeCounts {
    /// Exact up to 10,000, unless a search of common words that rarely meet gave up.
    pub total_count: u64,
    /// There are, or may be, more than `totalCount`.
    pub total_is_capped: bool,
    /// Under the same filters. Absent while searching.
    pub quick_views: Option<QuickViews>,
}

/// The Intake
#[utoipa::path(post, path = "/api/intake", operation_id = "listIntake", tag = "intake",
    request_body = ListRequest, responses((status = 200, body = IntakeList)))]
async fn intake(
    State(app): State<App>,
    member: Member,
    Body(body): Body<ListRequest>,
) -> Result<Json<IntakeList>> {
    answer(&app, &member, &body).await
}

/// The Intake, under its older name
#[utoipa::path(post, path = "/api/messages", operation_id = "listMessages", tag = "intake",
    request_body = ListRequest, responses((status = 200, body = IntakeList)))]
async fn messages(
    State(app): State<App>,
    member: Member,
    Body(body): Body<ListRequest>,
) -> Result<Json<IntakeList>> {
    answer(&app, &member, &body).await
}

/// How many messages the Intake holds
///
/// Apart from the list, since counting may take longer than a page. Page and order of the request do not matter.
#[utoipa::path(post, path = "/api/intake/counts", operation_id = "countIntake", tag = "intake",
    request_body = ListRequest, responses((status = 200, body = IntakeCounts)))]
async fn counts(
    State(app): State<App>,
    member: Member,
    Body(body): Body<ListRequest>,
) -> Result<Json<IntakeCounts>> {
    let recorded = async {
        // Numbers alone say nothing about a patient; how many messages hold a name does.
        if body.is_search() { record(&app, &member, &body).await } else { Ok(()) }
    };
    let (counted, ()) = tokio::try_join!(queries::counts(&app, &member, &body), recorded)?;
    Ok(Json(IntakeCounts {
        total_count: counted.total.value,
        total_is_capped: !counted.total.exact,
        quick_views: counted.quick_views,
    }))
}

async fn answer(app: &App, member: &Member, request: &ListRequest) -> Result<Json<IntakeList>> {
    let (found, ()) = tokio::try_join!(queries::list(app, member, request), record(app, member, request))?;
    Ok(Json(IntakeList {
        items: items(app, member, found.rows).await?,
        total_count: found.total.map(|total| total.value),
        total_is_capped: found.total.is_none_or(|total| !total.exact),
        next_cursor: found.next_cursor,
    }))
}

async fn record(app: &App, member: &Member, request: &ListRequest) -> Result<()> {
    let what = if request.is_search() { event::SEARCHED } else { event::LISTED };
    audit::record_read(app, &member.caller, Act::new(what, "intake", "")).await
}

async fn items(app: &App, member: &Member, rows: Vec<message::Model>) -> Result<Vec<IntakeRow>> {
    let key = app.keys.data_key(member.organization_id).await?;
    let ids: Vec<Uuid> = rows.iter().map(|m| m.id).collect();
    let (mut files, mut openers, people) = tokio::try_join!(
        files(app, member, &key, &ids),
        presence::openers(app, member.organization_id, &ids),
        people(app, rows.iter().filter_map(|m| m.assigned_to)),
    )?;
    let now = app.clock.now();
    rows.into_iter()
        .map(|m| {
            let summary = Summary::open(&key, &m)?;
            let content = Content::open(&key, &m)?;
            Ok(IntakeRow {
                subject: summary.subject,
                patient_name: summary.patient_name,
                document_type: summary.document_type,
                status: status_word(&m),
                process_types: m.processed_type.iter().cloned().collect(),
                source_type: m.source_type,
                attachments: files.remove(&m.id).unwrap_or_default(),
                properties: MessageProperties { fax_page_count: m.fax_page_count, ..content.properties },
                origin: content.origin,
                attachments_to_cda: m.conversion == Some(Conversion::Cda),
                recent: now - m.received_at <= RECENT,
                assigned_to: m
                    .assigned_to
                    .and_then(|id| people.get(&id).map(|name| PersonView { id, name: name.clone() })),
                opened_by: openers.remove(&m.id).unwrap_or_default(),
                id: m.id,
                created_date: m.received_at,
                is_read: m.read_at.is_some(),
                is_urgent: m.is_urgent,
                from_address: m.from_address,
                from_name: m.from_name,
                to_address: m.to_address,
                processed_type: m.processed_type,
                attachment_count: m.attachment_count,
                conversion: m.conversion.map(|c| c.to_string()),
            })
        })
        .collect()
}

async fn files(
    app: &App,
    member: &Member,
    key: &DataKey,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, Vec<IntakeFile>>> {
    let rows = member
        .tenant()
        .attachments()
        .filter(attachment::Column::MessageId.is_in(ids.iter().copied()))
        .order_by_asc(attachment::Column::Position)
        .all(app.store.db())
        .await?;
    let mut files: HashMap<Uuid, Vec<IntakeFile>> = HashMap::new();
    for row in rows {
        files.entry(row.message_id).or_default().push(IntakeFile {
            id: row.id,
            file_name: open_name(key, &row)?,
            is_structured: kind_of(&row).structured(),
            mime_type: row.mime_type,
            size_in_bytes: row.size_bytes,
        });
    }
    Ok(files)
}
