//! Documents inside files: attachments of a mail, documents of a package, an HL7 message or a FHIR resource. An opened
//! document is extracted and cached for a day, and may itself contain documents.
//!
//! `/api/messages/{id}/attachments/{attachmentId}/parts`, `/api/Preview/Document/{cacheId}`

use super::{
    answers::{file_answer, unreadable},
    opening, scan,
};
use crate::{
    files::{self, kind_of, kind_text, plain_name},
    sealed::{open_name_of, seal_name},
};
use axum::{
    Json,
    body::Body as HttpBody,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use bytes::Bytes;
use chrono::Duration;
use documents::{
    Kind,
    reading::PartInfo,
    worker::{ConvertError, Input},
};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    download,
    http::Id,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter,
    sea_query::OnConflict,
};
use serde::Serialize;
use serde_json::json;
use store::entities::{attachment, cached_document};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum depth of nested documents.
const MAX_DEPTH: i32 = 4;
/// How long an unused extracted document is kept.
const KEPT: Duration = Duration::days(1);

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(file_parts))
        .route(MEMBERS, routes!(open_file_part))
        .route(MEMBERS, routes!(cached))
        .route(MEMBERS, routes!(cached_parts))
        .route(MEMBERS, routes!(open_cached_part))
}

/// A document inside a file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilePart {
    /// Number for opening it.
    pub part: u32,
    pub file_name: String,
    /// Its name in the surrounding file.
    pub title: String,
    pub mime_type: String,
    pub size_in_bytes: u64,
    pub is_previewable: bool,
    /// Whether it may contain documents.
    pub has_parts: bool,
}

#[derive(Serialize, ToSchema)]
pub struct FileParts {
    #[schema(max_items = 500)]
    pub parts: Vec<FilePart>,
}

/// A document extracted from a file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CachedDocument {
    /// Its id below `/api/Preview/Document`, valid until a day after the last use.
    pub cache_id: Uuid,
    pub file_name: String,
    pub mime_type: String,
    pub size_in_bytes: i64,
    pub is_previewable: bool,
    pub has_parts: bool,
}

/// A file that contains documents.
struct Source {
    /// The message of the outermost file.
    message_id: Uuid,
    blob_id: Uuid,
    kind: Kind,
    /// Number of documents around it.
    depth: i32,
}

impl Source {
    fn of_file(row: &attachment::Model) -> Self {
        Self { message_id: row.message_id, blob_id: row.blob_id, kind: kind_of(row), depth: 0 }
    }

    fn of(row: &cached_document::Model) -> Self {
        let kind = kind_named(&row.kind);
        Self { message_id: row.message_id, blob_id: row.blob_id, kind, depth: row.depth }
    }
}

fn kind_named(name: &str) -> Kind {
    serde_json::from_value(json!(name)).unwrap_or(Kind::Unknown)
}

/// The documents inside a file: attachments of a mail, documents of a package, an HL7 message or a FHIR resource
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}/parts", operation_id = "listAttachmentParts",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)),
    responses((status = 200, body = FileParts)))]
async fn file_parts(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Id<(Uuid, Uuid)>,
) -> Result<Json<FileParts>> {
    let row = files::find(&app, &member, message_id, id).await?;
    opening::require(&app, &member, &row).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "attachment", id)).await?;
    list(&app, &member, Source::of_file(&row)).await
}

/// Extracts a document from a file, for viewing or download
#[utoipa::path(post, path = "/api/messages/{id}/attachments/{attachmentId}/parts/{part}",
    operation_id = "openAttachmentPart", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path), ("part" = u32, Path)),
    responses((status = 200, body = CachedDocument)))]
async fn open_file_part(
    State(app): State<App>,
    member: Member,
    Id((message_id, id, part)): Id<(Uuid, Uuid, u32)>,
) -> Result<Json<CachedDocument>> {
    let row = files::find(&app, &member, message_id, id).await?;
    opening::require(&app, &member, &row).await?;
    let act = Act::new(event::VIEWED, "attachment", id).detail(json!({ "part": part }));
    audit::record_read(&app, &member.caller, act).await?;
    open(&app, &member, Source::of_file(&row), part).await
}

/// An extracted document as PDF, or unchanged with `Accept: application/octet-stream`
#[utoipa::path(get, path = "/api/Preview/Document/{cacheId}", operation_id = "previewDocument", tag = "attachments",
    params(("cacheId" = Uuid, Path)),
    responses((status = 200, content_type = "application/pdf", body = Vec<u8>)))]
async fn cached(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    headers: HeaderMap,
) -> Result<Response> {
    let row = find(&app, &member, id).await?;
    let is_download = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.starts_with("application/octet-stream"));
    let answer = if is_download { original(&app, row).await } else { preview(&app, &member, row).await };
    let act = Act::new(if is_download { event::DOWNLOADED } else { event::VIEWED }, "cacheddocument", id);
    let act = if answer.is_ok() { act } else { act.failed() };
    audit::record_read(&app, &member.caller, act).await?;
    answer
}

/// The documents inside an extracted document
#[utoipa::path(get, path = "/api/Preview/Document/{cacheId}/parts", operation_id = "listDocumentParts",
    tag = "attachments", params(("cacheId" = Uuid, Path)), responses((status = 200, body = FileParts)))]
async fn cached_parts(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<FileParts>> {
    let row = find(&app, &member, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "cacheddocument", id)).await?;
    list(&app, &member, Source::of(&row)).await
}

/// Extracts a document from an extracted document
#[utoipa::path(post, path = "/api/Preview/Document/{cacheId}/parts/{part}", operation_id = "openDocumentPart",
    tag = "attachments", params(("cacheId" = Uuid, Path), ("part" = u32, Path)),
    responses((status = 200, body = CachedDocument)))]
async fn open_cached_part(
    State(app): State<App>,
    member: Member,
    Id((id, part)): Id<(Uuid, u32)>,
) -> Result<Json<CachedDocument>> {
    let row = find(&app, &member, id).await?;
    let act = Act::new(event::VIEWED, "cacheddocument", id).detail(json!({ "part": part }));
    audit::record_read(&app, &member.caller, act).await?;
    open(&app, &member, Source::of(&row), part).await
}

async fn find(app: &App, member: &Member, id: Uuid) -> Result<cached_document::Model> {
    let found = member.tenant().cached_documents().filter(cached_document::Column::Id.eq(id));
    let row = found.one(app.store.db()).await?.ok_or(Error::NotFound)?;
    opening::permit_taken_out(app, member, &row).await?;
    Ok(row)
}

async fn list(app: &App, member: &Member, source: Source) -> Result<Json<FileParts>> {
    if !source.kind.has_parts() || source.depth >= MAX_DEPTH {
        return Ok(Json(FileParts { parts: Vec::new() }));
    }
    let bytes = files::read(app, member.organization_id, source.blob_id).await?;
    let converter = app.converter.of(member.organization_id);
    let parts = match converter.parts(Input::bytes(source.kind, bytes)).await {
        Ok(parts) => parts,
        // The preview shows that the file is damaged.
        Err(error) if error.is_permanent() => Vec::new(),
        Err(error) => return Err(unreadable(error)),
    };
    let view = |(part, info): (u32, PartInfo)| FilePart {
        part,
        file_name: plain_name(&info.name),
        title: info.title,
        mime_type: info.kind.mime_type().into(),
        size_in_bytes: info.size,
        is_previewable: info.kind.previewable(),
        has_parts: info.has_parts,
    };
    Ok(Json(FileParts { parts: (1..).zip(parts).map(view).collect() }))
}

/// The document in the cache. A document is extracted once, and found by its source from then on.
async fn open(app: &App, member: &Member, source: Source, part: u32) -> Result<Json<CachedDocument>> {
    let number = i32::try_from(part).ok().filter(|part| *part > 0).ok_or(Error::NotFound)?;
    if let Some(row) = found(app, member, &source, number).await? {
        let mut used = row.clone().into_active_model();
        used.used_at = Set(app.clock.now());
        used.update(app.store.db()).await?;
        return view(app, row).await;
    }
    if source.depth >= MAX_DEPTH {
        return Err(Error::Conflict("This document is nested too deeply to be opened here.".into()));
    }
    let organization_id = member.organization_id;
    let bytes = files::read(app, organization_id, source.blob_id).await?;
    let converter = app.converter.of(organization_id);
    let taken = converter.part(Input::bytes(source.kind, bytes), part as usize - 1).await;
    let (info, content) = match taken {
        Ok(taken) => taken,
        Err(ConvertError::NoSuchPart) => return Err(Error::NotFound),
        Err(error) => return Err(unreadable(error)),
    };
    let content = Bytes::from(content);
    scan::require_clean(app, organization_id, content.clone()).await?;
    let key = app.keys.data_key(organization_id).await?;
    let blob = files::store_bytes(app, organization_id, content).await?;
    let id = Uuid::now_v7();
    let row = cached_document::Model {
        id,
        organization_id,
        message_id: source.message_id,
        source_blob_id: source.blob_id,
        part: number,
        depth: source.depth + 1,
        sealed_name: seal_name(&key, id, &plain_name(&info.name)),
        kind: kind_text(info.kind),
        size_bytes: blob.size as i64,
        blob_id: blob.id,
        pdf_blob_id: (info.kind == Kind::Pdf).then_some(blob.id),
        used_at: app.clock.now(),
    };
    let columns = [
        cached_document::Column::MessageId,
        cached_document::Column::SourceBlobId,
        cached_document::Column::Part,
    ];
    // Somebody else may have opened it meanwhile.
    let insert = cached_document::Entity::insert(row.into_active_model())
        .on_conflict(OnConflict::columns(columns).do_nothing().to_owned());
    insert.exec_without_returning(app.store.db()).await?;
    let row = found(app, member, &source, number).await?.ok_or(Error::NotFound)?;
    view(app, row).await
}

async fn found(
    app: &App,
    member: &Member,
    source: &Source,
    part: i32,
) -> Result<Option<cached_document::Model>> {
    let found = member
        .tenant()
        .cached_documents()
        .filter(cached_document::Column::MessageId.eq(source.message_id))
        .filter(cached_document::Column::SourceBlobId.eq(source.blob_id))
        .filter(cached_document::Column::Part.eq(part));
    Ok(found.one(app.store.db()).await?)
}

async fn view(app: &App, row: cached_document::Model) -> Result<Json<CachedDocument>> {
    let key = app.keys.data_key(row.organization_id).await?;
    let kind = kind_named(&row.kind);
    Ok(Json(CachedDocument {
        cache_id: row.id,
        file_name: open_name_of(&key, row.id, &row.sealed_name)?,
        mime_type: kind.mime_type().into(),
        size_in_bytes: row.size_bytes,
        is_previewable: kind.previewable(),
        has_parts: kind.has_parts() && row.depth < MAX_DEPTH,
    }))
}

/// The PDF rendition, created on the first request.
async fn preview(app: &App, member: &Member, row: cached_document::Model) -> Result<Response> {
    let key = app.keys.data_key(row.organization_id).await?;
    let name = open_name_of(&key, row.id, &row.sealed_name)?;
    let blob_id = match row.pdf_blob_id {
        Some(blob_id) => blob_id,
        None => {
            let bytes = files::read(app, row.organization_id, row.blob_id).await?;
            let converter = app.converter.of(member.organization_id);
            let pdf =
                converter.to_pdf(Input::bytes(kind_named(&row.kind), bytes)).await.map_err(unreadable)?;
            let blob = files::store_bytes(app, row.organization_id, Bytes::from(pdf)).await?;
            let mut made = row.clone().into_active_model();
            made.pdf_blob_id = Set(Some(blob.id));
            made.update(app.store.db()).await?;
            blob.id
        }
    };
    let name = if name.to_lowercase().ends_with(".pdf") { name } else { format!("{name}.pdf") };
    let headers = AppendHeaders([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, download::inline(&name)),
    ]);
    let stream = app.blobs.reader(&key, row.organization_id, blob_id);
    Ok((StatusCode::OK, headers, HttpBody::from_stream(stream)).into_response())
}

async fn original(app: &App, row: cached_document::Model) -> Result<Response> {
    let key = app.keys.data_key(row.organization_id).await?;
    let name = open_name_of(&key, row.id, &row.sealed_name)?;
    let kind = kind_named(&row.kind).mime_type();
    file_answer(app, row.organization_id, row.blob_id, kind, row.size_bytes, &name).await
}

/// Removes rows unused for a day; the storage sweep removes their bytes.
pub async fn forget(app: &App) -> Result<()> {
    cached_document::Entity::delete_many()
        .filter(cached_document::Column::UsedAt.lt(app.clock.now() - KEPT))
        .exec(app.store.db())
        .await?;
    Ok(())
}
