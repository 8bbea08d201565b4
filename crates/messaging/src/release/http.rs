//! `GET` and `PUT /api/messages`, `POST /api/messages/_search`, `PUT /api/messages/{id}`, and sending, forwarding and
//! replying.

use super::{
    drafts, list, sending, summary_workflow,
    types::{DeliveryCounts, DraftRequest, ReleaseList, ReleaseRow, SendAnswer},
    undo,
};
use crate::{
    indexes::text,
    messages::{
        list::{asked, next_cursor},
        queries as messages,
    },
    model::{Direction, Mode, Status, named, split_addresses, status_word},
    search_terms,
    view::{MessageView, delivery_summary as summary, message_view},
};
use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    download,
    http::{Body, DayOrMoment, Id, Params},
    interoperability::Interoperability,
    settings,
    text::SearchWords,
};
use sea_orm::{ColumnTrait, QueryFilter};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use store::entities::{delivery, message};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(list_release, create_draft))
        .route(MEMBERS, routes!(search_release))
        .route(MEMBERS, routes!(update_draft))
        .route(MEMBERS, routes!(send))
        .route(MEMBERS, routes!(forward))
        .route(MEMBERS, routes!(reply))
        .route(MEMBERS, routes!(take_back))
        .route(MEMBERS, routes!(delivery_summary))
        .route(MEMBERS, routes!(send_delivery_summary_to_intake))
}

/// Filter of the list; unsupported fields, such as a person, are refused.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct ReleaseSearch {
    page_start: Option<u64>,
    /// Default 30, maximum 100.
    page_size: Option<u64>,
    is_draft: Option<bool>,
    /// Status names, separated by commas.
    statuses: Option<String>,
    /// Words of subject, patient, sender and recipients, matched by their beginning; a word of the patient's name also
    /// by its sound. Also matches the patient's identifiers and birth date, in any common notation.
    filter: Option<SearchWords>,
    /// Instead of `pageStart`.
    cursor: Option<String>,
    /// createdDate (default) or status. Subject and patient are sealed and cannot be sorted.
    order_by: Option<String>,
    /// asc or desc (default). Search results are newest first.
    order_dir: Option<String>,
    start_date: Option<DayOrMoment>,
    /// Inclusive; a day counts completely.
    end_date: Option<DayOrMoment>,
}

impl ReleaseSearch {
    fn order(&self) -> Result<list::Order> {
        let by_status = match self.order_by.as_deref() {
            None | Some("createdDate") => false,
            Some("status") => true,
            Some(_) => return Err(Error::field("orderBy", platform::fields::DEFAULT_FIELD_ERROR)),
        };
        let oldest_first = match self.order_dir.as_deref() {
            None | Some("desc") => false,
            Some("asc") => true,
            Some(_) => return Err(Error::field("orderDir", platform::fields::DEFAULT_FIELD_ERROR)),
        };
        Ok(list::Order { by_status, ascending: oldest_first })
    }
}

/// Drafts and sent messages, by default newest first
///
/// Send words that may name a patient in the body of `POST /api/messages/_search`, which answers the same.
#[utoipa::path(get, path = "/api/messages", operation_id = "listRelease", tag = "release", params(ReleaseSearch),
    responses((status = 200, body = ReleaseList)))]
async fn list_release(
    State(app): State<App>,
    member: Member,
    Params(params): Params<ReleaseSearch>,
) -> Result<Json<ReleaseList>> {
    answer(&app, &member, params).await
}

/// Matching drafts and sent messages, by default newest first
#[utoipa::path(post, path = "/api/messages/_search", operation_id = "searchRelease", tag = "release",
    request_body = ReleaseSearch, responses((status = 200, body = ReleaseList)))]
async fn search_release(
    State(app): State<App>,
    member: Member,
    Body(search): Body<ReleaseSearch>,
) -> Result<Json<ReleaseList>> {
    answer(&app, &member, search).await
}

async fn answer(app: &App, member: &Member, params: ReleaseSearch) -> Result<Json<ReleaseList>> {
    let (page, behind) = asked(params.page_start, params.page_size, 30, params.cursor.as_deref())?;
    let order = params.order()?;
    let statuses = params.statuses.unwrap_or_default();
    let statuses = statuses.split(',').filter(|s| !s.is_empty()).map(|word| {
        let status = named::<Status>(word.trim());
        status.ok_or_else(|| Error::field("statuses", platform::fields::DEFAULT_FIELD_ERROR))
    });
    let filter = list::Filter {
        is_draft: params.is_draft,
        statuses: statuses.collect::<Result<_>>()?,
        text: params.filter.map(String::from).unwrap_or_default(),
        since: params.start_date.map(DayOrMoment::begin),
        until: params.end_date.and_then(DayOrMoment::behind),
        order,
        behind,
    };
    filter.check()?;
    let (rows, total) = list::page(app, member, &filter, page).await?;
    audit::record_read(app, &member.caller, Act::new(event::LISTED, "release", "")).await?;
    Ok(Json(ReleaseList {
        next_cursor: next_cursor(page, &rows).filter(|_| order == list::Order::default()),
        items: items(app, member, rows, &filter.text).await?,
        total_count: total.value,
        total_is_capped: !total.exact,
    }))
}

async fn items(
    app: &App,
    member: &Member,
    rows: Vec<message::Model>,
    searched: &str,
) -> Result<Vec<ReleaseRow>> {
    let deliveries = member
        .tenant()
        .deliveries()
        .filter(delivery::Column::MessageId.is_in(rows.iter().map(|m| m.id)))
        .all(app.store.db())
        .await?;
    let mut counts: HashMap<Uuid, DeliveryCounts> = HashMap::new();
    for d in &deliveries {
        counts.entry(d.message_id).or_default().add(d.state, d.corrected_by.is_some());
    }
    let names = list::known_names(app, &rows, deliveries).await?;
    let opened = list::summaries(app, member, &rows).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let in_documents = text::holders(app, &key, &rows, searched).await?;
    Ok(rows
        .into_iter()
        .zip(opened)
        .map(|(m, (summary, content))| ReleaseRow {
            id: m.id,
            found_in: search_terms::places(&m, &summary, searched, in_documents.contains(&m.id)),
            subject: summary.subject,
            patient_name: summary.patient_name,
            release_type: content.release_type,
            status: status_word(&m),
            created_date: m.received_at,
            message_date: m.message_date,
            to_names: names.of(&m),
            to_addresses: split_addresses(&m.to_address),
            is_draft: m.is_draft,
            attachment_count: m.attachment_count,
            original_object_id: m.original_message_id,
            delivery: counts.remove(&m.id).unwrap_or_default(),
            from_address: m.from_address,
            to_address: m.to_address,
        })
        .collect())
}

/// Creates a draft
#[utoipa::path(put, path = "/api/messages", operation_id = "createDraft", tag = "release",
    request_body = DraftRequest, responses((status = 200, body = MessageView)))]
async fn create_draft(
    State(app): State<App>,
    member: Member,
    Body(body): Body<DraftRequest>,
) -> Result<Json<MessageView>> {
    app.health.disk.room()?;
    let row = drafts::create(&app, &member, body).await?;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// Changes a draft
#[utoipa::path(put, path = "/api/messages/{id}", operation_id = "updateDraft", tag = "release",
    params(("id" = Uuid, Path)), request_body = DraftRequest, responses((status = 200, body = MessageView)))]
async fn update_draft(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(body): Body<DraftRequest>,
) -> Result<Json<MessageView>> {
    let row = drafts::update(&app, &member, id, body).await?;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// A call that sends a draft.
struct Sending {
    app: App,
    member: Member,
    id: Uuid,
    /// Repeated calls with the same key get the first one's answer.
    idempotency_key: Option<String>,
    body: DraftRequest,
}

impl FromRequest<App> for Sending {
    type Rejection = Error;

    async fn from_request(request: Request, app: &App) -> Result<Self> {
        let (mut parts, body) = request.into_parts();
        let member = Member::from_request_parts(&mut parts, app).await?;
        let Id(id) = Id::from_request_parts(&mut parts, app).await?;
        let key = parts.headers.get("idempotency-key").and_then(|v| v.to_str().ok());
        let idempotency_key = key.filter(|k| !k.is_empty()).map(Into::into);
        let Body(body) = Body::from_request(Request::from_parts(parts, body), app).await?;
        Ok(Self { app: app.clone(), member, id, idempotency_key, body })
    }
}

impl Sending {
    async fn run(self, mode: Mode) -> Result<Json<SendAnswer>> {
        self.app.health.disk.room()?;
        let Self { app, member, id, idempotency_key, body } = self;
        Ok(Json(sending::send(&app, &member, id, mode, body, idempotency_key.as_deref()).await?))
    }
}

/// Sends a draft
#[utoipa::path(post, path = "/api/messages/{id}/send", operation_id = "sendMessage", tag = "release",
    params(("id" = Uuid, Path), ("Idempotency-Key" = Option<String>, Header)), request_body = DraftRequest,
    responses((status = 200, body = SendAnswer)))]
async fn send(call: Sending) -> Result<Json<SendAnswer>> {
    call.run(Mode::Send).await
}

/// Sends a draft as a forward of another message
#[utoipa::path(post, path = "/api/messages/{id}/forward", operation_id = "forwardMessage", tag = "release",
    params(("id" = Uuid, Path), ("Idempotency-Key" = Option<String>, Header)), request_body = DraftRequest,
    responses((status = 200, body = SendAnswer)))]
async fn forward(call: Sending) -> Result<Json<SendAnswer>> {
    call.run(Mode::Forward).await
}

/// Sends a draft as a reply to another message
#[utoipa::path(post, path = "/api/messages/{id}/reply", operation_id = "replyMessage", tag = "release",
    params(("id" = Uuid, Path), ("Idempotency-Key" = Option<String>, Header)), request_body = DraftRequest,
    responses((status = 200, body = SendAnswer)))]
async fn reply(call: Sending) -> Result<Json<SendAnswer>> {
    call.run(Mode::Reply).await
}

/// Takes back a message that was just sent and has not left yet: it becomes a draft again
#[utoipa::path(post, path = "/api/messages/{id}/takeback", operation_id = "takeMessageBack", tag = "release",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = MessageView), (status = 409, description = "Already being sent")))]
async fn take_back(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<MessageView>> {
    let row = undo::take_back(&app, &member, id).await?;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// The delivery summary of a sent message, as PDF, if enabled in the organization's settings
#[utoipa::path(get, path = "/api/messages/{id}/deliverysummary", operation_id = "deliverySummary", tag = "release",
    params(("id" = Uuid, Path)), responses((status = 200, content_type = "application/pdf", body = Vec<u8>)))]
async fn delivery_summary(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Response> {
    let row = sent(&app, &member, id).await?;
    let settings: Interoperability = settings::find(&app, member.organization_id).await?;
    if !settings.delivery_summary_enable_download {
        return Err(Error::Conflict(
            "Your organization does not offer delivery summaries for download.".into(),
        ));
    }
    let pdf = summary::make(&app, &row).await?;
    let act = Act::new(event::DOWNLOADED, "message", id).detail(json!({ "what": "delivery summary" }));
    audit::record_read(&app, &member.caller, act).await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, download::attachment("Delivery summary.pdf")),
    ];
    Ok((headers, pdf).into_response())
}

/// Puts the delivery summary of a sent message in the Intake
#[utoipa::path(post, path = "/api/messages/{id}/deliverysummary/sendtointake",
    operation_id = "sendDeliverySummaryToIntake", tag = "release",
    params(("id" = Uuid, Path)), responses((status = 202)))]
async fn send_delivery_summary_to_intake(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    let row = sent(&app, &member, id).await?;
    let txn = app.store.begin().await?;
    summary_workflow::enqueue(&app, &txn, &row).await?;
    let act = Act::new(event::COPIED, "message", id).detail(json!({ "what": "delivery summary" }));
    audit::record(&app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(StatusCode::ACCEPTED)
}

/// A sent message with a delivery summary.
async fn sent(app: &App, member: &Member, id: Uuid) -> Result<message::Model> {
    let row = messages::find(app, member, id).await?;
    if row.direction != Direction::Release || row.is_draft {
        return Err(Error::NotFound);
    }
    if !summary::is_ready(&row, &summary::deliveries(app, id).await?) {
        return Err(Error::Conflict("The message is still being sent to some of its recipients.".into()));
    }
    Ok(row)
}
