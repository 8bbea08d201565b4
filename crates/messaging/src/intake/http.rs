//! `POST /api/intake` and, with the same answer, `POST /api/messages`: the list of the Intake.

use super::{
    queries, reading,
    types::{IntakeCounts, IntakeFile, IntakeList, IntakeRow, ListRequest},
};
use crate::{
    files::kind_of,
    hubs::presence,
    indexes::text,
    messages::notes,
    model::{Conversion, MessageProperties, status_word},
    people::{PersonView, names_of},
    sealed::{Content, Summary, open_name},
    search_terms,
};
use axum::{Json, extract::State};
use chrono::Duration;
use platform::{
    App, Member, Result,
    access::{MEMBERS, MEMBERS_AND_SYSTEMS},
    api::Api,
    audit::{self, Act, event},
    http::Body,
};
use sea_orm::{ColumnTrait, QueryFilter, QueryOrder};
use std::collections::HashMap;
use store::{
    entities::{attachment, message},
    keys::DataKey,
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS_AND_SYSTEMS, routes!(intake))
        .route(MEMBERS, routes!(messages))
        .route(MEMBERS, routes!(counts))
}

/// Time for which a message counts as recent after its arrival.
const RECENT: Duration = Duration::hours(1);

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

/// Number of messages in the Intake
///
/// Separate from the list, since counting may take longer than a page. It does not depend on page and order.
#[utoipa::path(post, path = "/api/intake/counts", operation_id = "countIntake", tag = "intake",
    request_body = ListRequest, responses((status = 200, body = IntakeCounts)))]
async fn counts(
    State(app): State<App>,
    member: Member,
    Body(body): Body<ListRequest>,
) -> Result<Json<IntakeCounts>> {
    crate::messages::list::asked(body.page_start, body.page_size, 30, body.cursor.as_deref())?;
    let recorded = async {
        // Numbers alone say nothing about a patient, but the number of messages with a name does.
        if body.is_search() { record(&app, &member, &body).await } else { Ok(()) }
    };
    let (counted, next_wake_at, mentions, ()) = tokio::try_join!(
        queries::counts(&app, &member, &body),
        queries::next_wake(&app, &member),
        notes::mentions(&app, &member),
        recorded,
    )?;
    Ok(Json(IntakeCounts {
        total_count: counted.total.value,
        total_is_capped: !counted.total.exact,
        quick_views: counted.quick_views,
        next_wake_at,
        mention_count: mentions.count,
        mentioned_in: mentions.newest,
    }))
}

async fn answer(app: &App, member: &Member, request: &ListRequest) -> Result<Json<IntakeList>> {
    let (found, ()) = tokio::try_join!(queries::list(app, member, request), record(app, member, request))?;
    Ok(Json(IntakeList {
        items: items(app, member, found.rows, request.filter.as_deref().unwrap_or_default()).await?,
        total_count: found.total.map(|total| total.value),
        total_is_capped: found.total.is_none_or(|total| !total.exact),
        next_cursor: found.next_cursor,
    }))
}

async fn record(app: &App, member: &Member, request: &ListRequest) -> Result<()> {
    let what = if request.is_search() { event::SEARCHED } else { event::LISTED };
    audit::record_read(app, &member.caller, Act::new(what, "intake", "")).await
}

async fn items(
    app: &App,
    member: &Member,
    rows: Vec<message::Model>,
    searched: &str,
) -> Result<Vec<IntakeRow>> {
    let key = app.keys.data_key(member.organization_id).await?;
    let ids: Vec<Uuid> = rows.iter().map(|m| m.id).collect();
    let stored = files(app, member, &ids).await?;
    let (mut proposals, mut openers, people, in_documents) = tokio::try_join!(
        reading::proposals(app, member, &key, &rows, &stored),
        presence::openers(app, member.organization_id, &ids),
        names_of(app, rows.iter().filter_map(|m| m.assigned_to)),
        text::holders(app, &key, &rows, searched),
    )?;
    let mut files = shown(&key, stored)?;
    let now = app.clock.now();
    rows.into_iter()
        .map(|m| {
            let summary = Summary::open(&key, &m)?;
            let content = Content::open(&key, &m)?;
            Ok(IntakeRow {
                found_in: search_terms::places(&m, &summary, searched, in_documents.contains(&m.id)),
                subject: summary.subject,
                patient_name: summary.patient_name,
                patient_doubt: m.patient_doubt,
                document_type: summary.document_type,
                proposal: proposals.remove(&m.id).unwrap_or_default(),
                tags: summary.tags,
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
                snoozed_until: m.snoozed_until,
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

/// The files of messages, in order.
async fn files(app: &App, member: &Member, ids: &[Uuid]) -> Result<Vec<attachment::Model>> {
    let rows = member
        .tenant()
        .attachments()
        .filter(attachment::Column::MessageId.is_in(ids.iter().copied()))
        .order_by_asc(attachment::Column::Position);
    Ok(rows.all(app.store.db()).await?)
}

fn shown(key: &DataKey, rows: Vec<attachment::Model>) -> Result<HashMap<Uuid, Vec<IntakeFile>>> {
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
