//! `/api/triage/…`: batches of uploaded files, and their pages.

use super::{
    filing,
    original::{__path_message_original, message_original},
    plan::Plan,
    queries::{self, file_kind, open_file_name, require_intake, require_triage},
    reading::SHEET_PAGES,
    types::{BatchForm, BatchRow, BatchView, FilingForm, SheetForm},
};
use crate::{
    attachments::{
        answers::{file_answer, page as clinical_page},
        held,
        upload::{TOO_LARGE, Upload},
    },
    files::{self, FILE_LIMIT},
    model::AttachmentMeta,
};
use axum::{
    Json,
    body::Body as HttpBody,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use documents::{Kind, paging, worker::Input};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    download,
    http::{Body, Id, Items},
    upload::FileForm,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use store::entities::{triage_file::FileState, triage_sheet};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Resolution of a displayed page, in pixels per inch.
const PAGE_DPI: u32 = 110;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(batches, create_batch))
        .route(MEMBERS, routes!(separator_sheet))
        .route(MEMBERS, routes!(batch, save_batch, discard_batch))
        .upload(MEMBERS, routes!(add_file), FILE_LIMIT as usize)
        .route(MEMBERS, routes!(original_file))
        .route(MEMBERS, routes!(sheet))
        .route(MEMBERS, routes!(page))
        .route(MEMBERS, routes!(file_batch))
        .route(MEMBERS, routes!(message_original))
}

/// Unfiled batches, newest first
#[utoipa::path(get, path = "/api/triage", operation_id = "triageBatches", tag = "triage",
    responses((status = 200, body = Items<BatchRow>)))]
async fn batches(State(app): State<App>, member: Member) -> Result<Json<Items<BatchRow>>> {
    require_triage(&app, &member).await?;
    let items = queries::open_batches(&app, &member).await?;
    // Names of files may name patients.
    if !items.is_empty() {
        audit::record_read(&app, &member.caller, Act::new(event::LISTED, "triagebatch", "")).await?;
    }
    Ok(Json(Items { items }))
}

/// Starts a batch; its files are added one by one
#[utoipa::path(post, path = "/api/triage", operation_id = "createTriageBatch", tag = "triage",
    responses((status = 201, body = BatchView)))]
async fn create_batch(State(app): State<App>, member: Member) -> Result<(StatusCode, Json<BatchView>)> {
    require_intake(&app, &member).await?;
    let row = queries::create(&app, &member).await?;
    Ok((StatusCode::CREATED, Json(queries::view(&app, row).await?)))
}

/// A separator sheet to print and to insert between documents before scanning
#[utoipa::path(post, path = "/api/triage/separatorsheet", operation_id = "separatorSheet", tag = "triage",
    request_body = SheetForm, responses((status = 200, content_type = "application/pdf", body = Vec<u8>)))]
async fn separator_sheet(
    State(app): State<App>,
    member: Member,
    Body(form): Body<SheetForm>,
) -> Result<Response> {
    require_triage(&app, &member).await?;
    let pdf = paging::separator_sheet(&form.label)
        .ok_or_else(|| Error::field("label", "This label cannot be printed as a code."))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, download::attachment("Separator sheet.pdf")),
    ];
    Ok((headers, pdf).into_response())
}

/// A batch with its files, pages and plan
#[utoipa::path(get, path = "/api/triage/{id}", operation_id = "triageBatch", tag = "triage",
    params(("id" = Uuid, Path)), responses((status = 200, body = BatchView)))]
async fn batch(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<BatchView>> {
    let row = queries::find(&app, &member, id).await?;
    require_triage(&app, &member).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "triagebatch", id)).await?;
    Ok(Json(queries::view(&app, row).await?))
}

/// Saves the pages of each document
///
/// In a batch with failed documents, `parts` are those; saving opens the batch again.
#[utoipa::path(put, path = "/api/triage/{id}", operation_id = "saveTriageBatch", tag = "triage",
    params(("id" = Uuid, Path)), request_body = BatchForm, responses((status = 200, body = BatchView)))]
async fn save_batch(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<BatchForm>,
) -> Result<Json<BatchView>> {
    queries::find(&app, &member, id).await?;
    require_triage(&app, &member).await?;
    let plan = Plan { parts: form.parts, left_out: form.left_out };
    let row = queries::save_plan(&app, &member, id, plan, form.version).await?;
    Ok(Json(queries::view(&app, row).await?))
}

/// Removes a batch; in a partly filed one, drops the documents that are not in the Intake
#[utoipa::path(delete, path = "/api/triage/{id}", operation_id = "discardTriageBatch", tag = "triage",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn discard_batch(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::discard(&app, &member, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The fields of an upload form.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the multipart form")]
struct BatchUpload {
    #[schema(format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
}

/// Adds a file to a batch
#[utoipa::path(post, path = "/api/triage/{id}/files", operation_id = "addTriageFile", tag = "triage",
    params(("id" = Uuid, Path)), request_body(content = BatchUpload, content_type = "multipart/form-data"),
    responses((status = 201, body = BatchView)))]
async fn add_file(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    mut form: FileForm,
) -> Result<(StatusCode, Json<BatchView>)> {
    queries::require_open(&queries::find(&app, &member, id).await?)?;
    require_intake(&app, &member).await?;
    let mut file = None;
    while let Some(part) = form.next(TOO_LARGE).await? {
        if part.name() == "file" {
            file = Some(Upload::receive(&app, member.organization_id, part).await?);
        }
    }
    let upload = file.ok_or_else(|| Error::field("file", "Please select a file."))?;
    let kind = upload.kind().await?;
    let by = member.clone();
    let add = move |app, file| async move { queries::add_file(&app, &by, id, file).await };
    upload.keep(kind, AttachmentMeta::default(), None, add).await?;
    let row = queries::find(&app, &member, id).await?;
    Ok((StatusCode::CREATED, Json(queries::view(&app, row).await?)))
}

/// An uploaded file, unchanged; a clinical document as a page with Accept: text/html
#[utoipa::path(get, path = "/api/triage/{id}/files/{fileId}", operation_id = "triageFile", tag = "triage",
    params(("id" = Uuid, Path), ("fileId" = Uuid, Path)),
    responses((status = 200, content((Vec<u8> = "application/octet-stream"), (String = "text/html")))))]
async fn original_file(
    State(app): State<App>,
    member: Member,
    Id((batch, id)): Id<(Uuid, Uuid)>,
    headers: HeaderMap,
) -> Result<Response> {
    let file = queries::find_file(&app, &member, batch, id).await?;
    if let Some(words) = held::words(file.scan_state, None) {
        return Err(Error::Conflict(words.into()));
    }
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_shown = accept.starts_with("text/html");
    let what = if is_shown { event::VIEWED } else { event::DOWNLOADED };
    let act = Act::new(what, "triagebatch", batch).detail(serde_json::json!({ "file": id }));
    audit::record_read(&app, &member.caller, act).await?;
    if is_shown {
        return clinical_page(&app, &member, file_kind(&file), file.blob_id).await;
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let name = open_file_name(&key, &file)?;
    let kind = file_kind(&file).mime_type();
    file_answer(&app, member.organization_id, file.blob_id, kind, file.size_bytes, &name).await
}

/// Thumbnails of 20 pages, five in a row, each 180 by 234 pixels; sheets count from 0
#[utoipa::path(get, path = "/api/triage/{id}/files/{fileId}/sheets/{sheet}", operation_id = "triageSheet",
    tag = "triage", params(("id" = Uuid, Path), ("fileId" = Uuid, Path), ("sheet" = i32, Path)),
    responses((status = 200, content_type = "image/png", body = Vec<u8>),
        (status = 202, description = "The pages are still being rendered; Retry-After says when to try again")))]
async fn sheet(
    State(app): State<App>,
    member: Member,
    Id((batch, id, number)): Id<(Uuid, Uuid, i32)>,
) -> Result<Response> {
    let file = queries::find_file(&app, &member, batch, id).await?;
    let found = triage_sheet::Entity::find()
        .filter(triage_sheet::Column::FileId.eq(id))
        .filter(triage_sheet::Column::Number.eq(number))
        .one(app.store.db())
        .await?;
    let Some(sheet) = found else {
        return if file.state == FileState::Reading { Ok(later()) } else { Err(Error::NotFound) };
    };
    let first = number * SHEET_PAGES as i32 + 1;
    record_view(&app, &member, batch, id, first).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let stream = app.blobs.reader(&key, member.organization_id, sheet.blob_id);
    let kind = [(header::CONTENT_TYPE, "image/png")];
    Ok((kind, HttpBody::from_stream(stream)).into_response())
}

/// A page in readable size; pages count from 1
#[utoipa::path(get, path = "/api/triage/{id}/files/{fileId}/pages/{page}", operation_id = "triagePage",
    tag = "triage", params(("id" = Uuid, Path), ("fileId" = Uuid, Path), ("page" = i32, Path)),
    responses((status = 200, content_type = "image/png", body = Vec<u8>),
        (status = 202, description = "The pages are still being read; Retry-After says when to try again")))]
async fn page(
    State(app): State<App>,
    member: Member,
    Id((batch, id, number)): Id<(Uuid, Uuid, i32)>,
) -> Result<Response> {
    let file = queries::find_file(&app, &member, batch, id).await?;
    let Some(pdf) = file.pdf_blob_id else {
        return if file.state == FileState::Reading { Ok(later()) } else { Err(Error::NotFound) };
    };
    if !(1..=file.page_count).contains(&number) {
        return Err(Error::NotFound);
    }
    record_view(&app, &member, batch, id, number).await?;
    let content = files::read(&app, member.organization_id, pdf).await?;
    let converter = app.converter.of(member.organization_id);
    let drawn = converter.render_page(Input::bytes(Kind::Pdf, content), number as u32, PAGE_DPI).await;
    let page =
        drawn.map_err(|error| Error::Conflict(crate::attachments::preview::sentence(&error).into()))?;
    Ok(([(header::CONTENT_TYPE, "image/png")], page.png).into_response())
}

fn later() -> Response {
    (StatusCode::ACCEPTED, AppendHeaders([(header::RETRY_AFTER, "1")])).into_response()
}

async fn record_view(app: &App, member: &Member, batch: Uuid, file: Uuid, page: i32) -> Result<()> {
    let detail = serde_json::json!({ "file": file, "page": page });
    audit::record_read(app, &member.caller, Act::new(event::VIEWED, "triagebatch", batch).detail(detail))
        .await
}

/// Creates Intake messages from the documents; retries failed ones
#[utoipa::path(post, path = "/api/triage/{id}/file", operation_id = "fileTriageBatch", tag = "triage",
    params(("id" = Uuid, Path)), request_body = FilingForm, responses((status = 202, body = BatchView)))]
async fn file_batch(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<FilingForm>,
) -> Result<(StatusCode, Json<BatchView>)> {
    queries::find(&app, &member, id).await?;
    require_intake(&app, &member).await?;
    let row = filing::start(&app, &member, id, form.version).await?;
    Ok((StatusCode::ACCEPTED, Json(queries::view(&app, row).await?)))
}
