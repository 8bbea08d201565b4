//! `/api/messages/{id}/attachments/…`: upload, download, metadata, conversions and patients of files.

use super::{
    answers::{file_answer, page, unreadable},
    convert, explorer,
    extract::{self, ExtractedPatientView, read_patient},
    held, opening, preview,
    queries::{self, Wishes},
    upload::{TOO_LARGE, Upload},
};
use crate::{
    attachments::view::{AttachmentView, attachment_view},
    files::{self, FILE_LIMIT, kind_of},
    messages::{patients::of_organization, rules},
    model::{AttachmentMeta, Conversion, Patient, PreviewState, named},
    sealed::{open_meta, open_name},
};
use axum::{
    Json,
    body::Body as HttpBody,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use documents::worker::Input;
use platform::{
    App, Error, Member, Result,
    access::{MEMBERS, MEMBERS_AND_SYSTEMS},
    api::Api,
    audit::{self, Act, event},
    download,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::{Body, Id, Params, part},
    upload::FileForm,
};
use serde::{Deserialize, Serialize};
use store::entities::attachment::{self, ScanState};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

/// Longest description of an uploaded file, in bytes.
const META_LIMIT: usize = 64 << 10;

pub fn api() -> Api {
    Api::for_subscribers()
        .upload(MEMBERS, routes!(upload), FILE_LIMIT as usize)
        .route(MEMBERS, routes!(arrange))
        .route(MEMBERS_AND_SYSTEMS, routes!(get_file))
        .route(MEMBERS, routes!(put_meta, delete_file))
        .route(MEMBERS, routes!(metadata))
        .route(MEMBERS, routes!(outline))
        .route(MEMBERS, routes!(read_event))
        .route(MEMBERS, routes!(generate_preview))
        .route(MEMBERS, routes!(request_extraction, extraction))
        .route(MEMBERS, routes!(file_patient, put_file_patient))
        .route(MEMBERS, routes!(convert_file))
        .route(MEMBERS, routes!(transform_file))
        .route(MEMBERS, routes!(restore_file))
}

type Ids = Id<(Uuid, Uuid)>;

/// The fields of an upload form.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the multipart form")]
struct UploadForm {
    #[schema(format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
    /// JSON of an UploadMeta
    #[schema(value_type = UploadMeta)]
    attachment_meta: UploadMeta,
}

/// Metadata and options of an uploaded file.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadMeta {
    #[serde(flatten)]
    pub meta: AttachmentMeta,
    /// Create the preview now; true when absent.
    pub convert: Option<bool>,
    /// Create the preview before those that nobody waits for; true when absent.
    pub use_priority_queue: Option<bool>,
}

impl UploadMeta {
    fn parse(text: &str) -> Result<Self> {
        // Parsed separately, because errors of the whole would not name the wrong field.
        let meta = part::<AttachmentMeta>(text).and_then(|_| part(text));
        meta.map_err(|error| match error {
            Error::Invalid(_) => error,
            _ => Error::field("attachmentMeta", DEFAULT_FIELD_ERROR),
        })
    }

    fn wishes(&self) -> Wishes {
        let Self { convert, use_priority_queue, .. } = self;
        Wishes { convert: convert.unwrap_or(true), has_priority: use_priority_queue.unwrap_or(true) }
    }
}

/// Adds a file to a draft
#[utoipa::path(post, path = "/api/messages/{id}/attachments", operation_id = "uploadAttachment", tag = "attachments",
    params(("id" = Uuid, Path)), request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses((status = 201, body = AttachmentView,
        description = "With Retry-After while the preview is being created")))]
async fn upload(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    mut form: FileForm,
) -> Result<Response> {
    let message = crate::messages::queries::find(&app, &member, id).await?;
    if !message.is_draft {
        return Err(Error::Conflict("Files can only be added to drafts.".into()));
    }
    let mut file = None;
    let mut said = UploadMeta::default();
    while let Some(part) = form.next(TOO_LARGE).await? {
        match part.name() {
            "file" => file = Some(Upload::receive(&app, member.organization_id, part).await?),
            "attachmentMeta" => said = UploadMeta::parse(&part.text(META_LIMIT).await?)?,
            _ => {}
        }
    }
    let (wishes, mut meta) = (said.wishes(), said.meta);
    let upload = file.ok_or_else(|| Error::field("file", "Please select a file."))?;
    let mut errors = FieldErrors::default();
    rules::check_meta(&meta, app.clock.now().date_naive(), &mut errors);
    errors.check()?;
    let kind = upload.kind().await?;
    let described = upload.described(kind).await?;
    let problem = upload.problem(kind).await?;
    if let Some(own) = described {
        meta = rules::described_by_itself(meta, own);
    }
    let organization_id = member.organization_id;
    let row = upload.add_to_draft(member, id, kind, meta, problem, wishes).await?;
    let key = app.keys.data_key(organization_id).await?;
    let is_later = row.preview_state == PreviewState::Processing || row.scan_state.is_held();
    let later = is_later.then_some([(header::RETRY_AFTER, "1")]);
    let view = Json(attachment_view(&key, row)?);
    Ok((StatusCode::CREATED, later.map(AppendHeaders), view).into_response())
}

/// A file: its bytes, its PDF rendition (`Accept: application/pdf`) or, for C-CDA, its HTML (`Accept: text/html`)
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}", operation_id = "getAttachment",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>),
        (status = 202, description = "The PDF is being created; Retry-After says when to try again")))]
async fn get_file(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
    headers: HeaderMap,
) -> Result<Response> {
    let row = files::find(&app, &member, message_id, id).await?;
    let accept = headers.get(header::ACCEPT).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let answer = content(&app, &member, row, accept).await;
    let act =
        Act::new(event::DOWNLOADED, "attachment", id).detail(serde_json::json!({ "message": message_id }));
    match &answer {
        // Nothing was delivered yet.
        Ok(later) if later.status() == StatusCode::ACCEPTED => {}
        Ok(_) => audit::record_read(&app, &member.caller, act).await?,
        Err(_) => audit::record_read(&app, &member.caller, act.failed()).await?,
    }
    answer
}

/// A file in the requested form.
async fn content(app: &App, member: &Member, row: attachment::Model, accept: &str) -> Result<Response> {
    let is_pdf = accept.starts_with("application/pdf");
    opening::permit_all(app, member, std::slice::from_ref(&row)).await?;
    if is_pdf && row.scan_state == ScanState::Waiting {
        return Ok(later());
    }
    held::require_open(&row)?;
    if is_pdf {
        return rendition(app, member, row).await;
    }
    if accept.starts_with("text/html") {
        return page(app, member, kind_of(&row), row.blob_id).await;
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let name = open_name(&key, &row)?;
    file_answer(app, row.organization_id, row.blob_id, &row.mime_type, row.size_bytes, &name).await
}

async fn rendition(app: &App, member: &Member, row: attachment::Model) -> Result<Response> {
    let key = app.keys.data_key(member.organization_id).await?;
    match (row.preview_state, row.pdf_blob_id) {
        (PreviewState::Available, Some(blob_id)) => {
            let name = open_name(&key, &row)?;
            let name = if name.to_lowercase().ends_with(".pdf") { name } else { format!("{name}.pdf") };
            let stream = app.blobs.reader(&key, member.organization_id, blob_id);
            let headers = AppendHeaders([
                (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
                (header::CONTENT_DISPOSITION, download::inline(&name)),
            ]);
            Ok((headers, HttpBody::from_stream(stream)).into_response())
        }
        (PreviewState::Failed, _) => Err(Error::Conflict(
            row.preview_error.unwrap_or("The preview could not be created.".into()).into(),
        )),
        (state, _) => {
            if state != PreviewState::Processing {
                preview::start(app, &row).await?;
            }
            Ok(later())
        }
    }
}

fn later() -> Response {
    (StatusCode::ACCEPTED, AppendHeaders([(header::RETRY_AFTER, "1")])).into_response()
}

/// Metadata of a file, for polling
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}/metadata",
    operation_id = "getAttachmentMetadata", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 200, body = AttachmentView)))]
async fn metadata(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<AttachmentView>> {
    let row = files::find(&app, &member, message_id, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let view = attachment_view(&key, row)?;
    record_patient(&app, &member, id, view.attachment_meta.patient.is_some()).await?;
    Ok(Json(view))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetaRequest {
    pub attachment_meta: AttachmentMeta,
    /// `attachmentMeta.version` that was read.
    pub version: Option<u32>,
}

/// Changes the metadata of a file
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}", operation_id = "putAttachment",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), request_body = MetaRequest,
    responses((status = 200, body = AttachmentView)))]
async fn put_meta(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
    Body(body): Body<MetaRequest>,
) -> Result<Json<AttachmentView>> {
    let mut errors = FieldErrors::default();
    rules::check_meta(&body.attachment_meta, app.clock.now().date_naive(), &mut errors);
    errors.check()?;
    let key = app.keys.data_key(member.organization_id).await?;
    let changed =
        queries::change(&app, &member, message_id, id, Some((body.attachment_meta, body.version))).await?;
    let row = changed.ok_or(Error::NotFound)?;
    Ok(Json(attachment_view(&key, row)?))
}

/// Deletes a file
#[utoipa::path(delete, path = "/api/messages/{id}/attachments/{attachmentId}", operation_id = "deleteAttachment",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 204)))]
async fn delete_file(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<StatusCode> {
    queries::change(&app, &member, message_id, id, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Records that the caller read a file
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}/read", operation_id = "readAttachment",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 204)))]
async fn read_event(State(app): State<App>, member: Member, Id((message_id, id)): Ids) -> Result<StatusCode> {
    files::find(&app, &member, message_id, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "attachment", id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Requests the PDF rendition of a file
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}/generatePreview",
    operation_id = "generatePreview", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 200, body = AttachmentView)))]
async fn generate_preview(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<AttachmentView>> {
    let row = files::find(&app, &member, message_id, id).await?;
    opening::require(&app, &member, &row).await?;
    let waiting = [PreviewState::Processing, PreviewState::Available];
    if !waiting.contains(&row.preview_state) {
        preview::start(&app, &row).await?;
    }
    metadata(State(app), member, Id((message_id, id))).await
}

/// The parts of a C-CDA document for the CDA Explorer, with what is new since the patient's last document
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}/outline", operation_id = "getOutline",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)),
    responses((status = 200, body = serde_json::Value)))]
async fn outline(State(app): State<App>, member: Member, Id((message_id, id)): Ids) -> Result<Response> {
    let row = files::find(&app, &member, message_id, id).await?;
    let bytes = opening::read(&app, &member, &row).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "attachment", id)).await?;
    let converter = app.converter.of(member.organization_id);
    let outline = converter.cda_outline(Input::bytes(kind_of(&row), bytes)).await.map_err(unreadable)?;
    Ok(Json(explorer::explored(&app, &member, &row, outline).await?).into_response())
}

/// Requests the patient details in a file, which are read once per content of the file
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}/patient/extract",
    operation_id = "requestExtraction", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 200, body = ExtractedPatientView)))]
async fn request_extraction(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<ExtractedPatientView>> {
    let view = extract::request(&app, &member, message_id, id).await?;
    record_patient(&app, &member, id, view.patient.is_some()).await?;
    Ok(Json(view))
}

/// The patient details read from a file; not found unless they were requested
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}/patient/extract",
    operation_id = "getExtraction", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 200, body = ExtractedPatientView)))]
async fn extraction(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<ExtractedPatientView>> {
    let view = extract::state(&app, &member, message_id, id).await?;
    record_patient(&app, &member, id, view.patient.is_some()).await?;
    Ok(Json(view))
}

/// Records that the caller saw the patient of a file, if one was shown.
async fn record_patient(app: &App, member: &Member, id: Uuid, is_shown: bool) -> Result<()> {
    if is_shown {
        audit::record_read(app, &member.caller, Act::new(event::VIEWED, "attachment", id)).await?;
    }
    Ok(())
}

/// The patient of a file: set by a person, or else named by the file
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}/patient", operation_id = "getFilePatient",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)),
    responses((status = 200, body = Patient)))]
async fn file_patient(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<Patient>> {
    let row = files::find(&app, &member, message_id, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "attachment", id)).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    if let Some(patient) = open_meta(&key, &row)?.patient {
        return Ok(Json(patient));
    }
    let bytes = opening::read(&app, &member, &row).await?;
    let converter = app.converter.of(member.organization_id);
    let (read, _) = read_patient(&converter, kind_of(&row), bytes).await.map_err(unreadable)?;
    Ok(Json(of_organization(&app, member.organization_id, read.patient).await?))
}

/// The patient of a file, and the version on which the change is based.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilePatientForm {
    #[serde(flatten)]
    pub patient: Patient,
    /// `attachmentMeta.version` that was read.
    pub version: Option<u32>,
}

/// Sets the patient of a file, except a structured document, which names its own
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}/patient", operation_id = "putFilePatient",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), request_body = FilePatientForm,
    responses((status = 200, body = AttachmentView)))]
async fn put_file_patient(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
    Body(FilePatientForm { patient, version }): Body<FilePatientForm>,
) -> Result<Json<AttachmentView>> {
    let mut errors = FieldErrors::default();
    patients::rules::check(&patient, app.clock.now().date_naive(), &mut errors);
    errors.check()?;
    let row = files::find(&app, &member, message_id, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let meta = AttachmentMeta { patient: Some(patients::rules::tidy(patient)), ..open_meta(&key, &row)? };
    let changed = queries::change(&app, &member, message_id, id, Some((meta, version))).await?;
    Ok(Json(attachment_view(&key, changed.ok_or(Error::NotFound)?)?))
}

/// A file at its position in the message.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArrangedFile {
    pub id: Uuid,
    /// Absent: the metadata is unchanged.
    pub attachment_meta: Option<AttachmentMeta>,
    /// `attachmentMeta.version` that was read; required with `attachmentMeta`.
    pub version: Option<u32>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArrangeRequest {
    /// Every file of the message exactly once.
    #[schema(max_items = 1000)]
    pub attachments: Vec<ArrangedFile>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArrangedFiles {
    pub attachments: Vec<AttachmentView>,
}

/// Sets the order of the files of a message, and changes their metadata
#[utoipa::path(put, path = "/api/messages/{id}/attachments", operation_id = "putAttachments", tag = "attachments",
    params(("id" = Uuid, Path)), request_body = ArrangeRequest, responses((status = 200, body = ArrangedFiles)))]
async fn arrange(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(body): Body<ArrangeRequest>,
) -> Result<Json<ArrangedFiles>> {
    let mut errors = FieldErrors::default();
    for meta in body.attachments.iter().filter_map(|file| file.attachment_meta.as_ref()) {
        rules::check_meta(meta, app.clock.now().date_naive(), &mut errors);
    }
    errors.check()?;
    let files =
        body.attachments.into_iter().map(|file| (file.id, file.attachment_meta, file.version)).collect();
    let rows = queries::arrange(&app, &member, id, files).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let attachments = rows.into_iter().map(|row| attachment_view(&key, row)).collect::<Result<_>>()?;
    Ok(Json(ArrangedFiles { attachments }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ConvertQuery {
    /// Pdf or Cda.
    r#type: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransformRequest {
    /// Conversions of the file, in order: Pdf or Cda.
    #[schema(min_items = 1, max_items = 2)]
    pub transforms: Vec<String>,
}

/// Converts a file in place. The original is kept, and can be restored
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}/convert",
    operation_id = "convertAttachment", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path), ConvertQuery),
    responses((status = 202, body = AttachmentView,
        description = "`transformStatus` is Pending; Retry-After says when to get the metadata")))]
async fn convert_file(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
    Params(query): Params<ConvertQuery>,
) -> Result<Response> {
    transformed(&app, &member, message_id, id, "type", &[query.r#type]).await
}

/// Converts a file in place, in several steps
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}/transforms",
    operation_id = "transformAttachment", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), request_body = TransformRequest,
    responses((status = 202, body = AttachmentView,
        description = "`transformStatus` is Pending; Retry-After says when to get the metadata")))]
async fn transform_file(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
    Body(body): Body<TransformRequest>,
) -> Result<Response> {
    transformed(&app, &member, message_id, id, "transforms", &body.transforms).await
}

async fn transformed(
    app: &App,
    member: &Member,
    message_id: Uuid,
    id: Uuid,
    field: &str,
    names: &[String],
) -> Result<Response> {
    let to: Option<Vec<Conversion>> = names.iter().map(|name| named(name)).collect();
    let to = to.filter(|to| (1..=2).contains(&to.len()));
    let to = to.ok_or_else(|| Error::field(field, "Choose Pdf or Cda."))?;
    let row = convert::request(app, member, message_id, id, to).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let view = Json(attachment_view(&key, row)?);
    Ok((StatusCode::ACCEPTED, AppendHeaders([(header::RETRY_AFTER, "1")]), view).into_response())
}

/// Replaces a converted file with its original
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}/restore",
    operation_id = "restoreAttachment", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 200, body = AttachmentView)))]
async fn restore_file(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<AttachmentView>> {
    let row = convert::restore(&app, &member, message_id, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    Ok(Json(attachment_view(&key, row)?))
}
