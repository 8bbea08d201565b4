//! `/api/messages/{id}/attachments/…`

use super::{
    preview,
    queries::{self, FILE_LIMIT},
    upload::{Upload, broken},
};
use crate::{
    messages::{
        patients, rules,
        view::{AttachmentView, attachment_view, kind_of},
    },
    model::{AttachmentMeta, Patient, PreviewState},
    sealed::open_name,
};
use axum::{
    Json,
    body::Body as HttpBody,
    extract::{DefaultBodyLimit, Multipart, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use bytes::Bytes;
use documents::{
    Kind,
    worker::{ConvertError, Converter, Input},
};
use platform::{
    App, Error, Member, Result,
    access::{MEMBERS, MEMBERS_AND_SYSTEMS},
    api::Api,
    audit::{self, Act, event},
    fields::FieldErrors,
    http::{Body, Id},
};
use serde::{Deserialize, Serialize};
use store::entities::attachment;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, {
            let (schemas, paths, methods) = routes!(upload);
            // Room for the largest file and its metadata.
            (schemas, paths, methods.route_layer(DefaultBodyLimit::max(FILE_LIMIT as usize + (1 << 20))))
        })
        .route(MEMBERS_AND_SYSTEMS, routes!(get_file))
        .route(MEMBERS, routes!(put_meta, delete_file))
        .route(MEMBERS, routes!(metadata))
        .route(MEMBERS, routes!(outline))
        .route(MEMBERS, routes!(read_event))
        .route(MEMBERS, routes!(generate_preview))
        .route(MEMBERS, routes!(request_extraction, extraction))
        .route(MEMBERS, routes!(file_patient))
}

type Ids = Id<(Uuid, Uuid)>;

/// The parts of an upload.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the multipart form")]
struct UploadForm {
    #[schema(format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
    /// JSON of an AttachmentMeta
    #[schema(value_type = AttachmentMeta)]
    attachment_meta: AttachmentMeta,
}

/// Adds a file to a draft
#[utoipa::path(post, path = "/api/messages/{id}/attachments", operation_id = "uploadAttachment", tag = "attachments",
    params(("id" = Uuid, Path)), request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses((status = 201, body = AttachmentView)))]
async fn upload(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    mut form: Multipart,
) -> Result<(StatusCode, Json<AttachmentView>)> {
    let message = crate::messages::queries::find(&app, &member, id).await?;
    if !message.is_draft {
        return Err(Error::Conflict("Files can be added to drafts only.".into()));
    }
    let mut file = None;
    let mut meta = AttachmentMeta::default();
    while let Some(field) = form.next_field().await.map_err(broken)? {
        match field.name() {
            Some("file") => file = Some(Upload::receive(&app, member.organization_id, field).await?),
            Some("attachmentMeta") => {
                let text = field.text().await.map_err(broken)?;
                meta = serde_json::from_str(&text)
                    .map_err(|_| Error::field("attachmentMeta", platform::fields::DEFAULT_FIELD_ERROR))?;
            }
            _ => {}
        }
    }
    let upload = file.ok_or_else(|| Error::field("file", "Please select a file."))?;
    let mut errors = FieldErrors::default();
    rules::check_meta(&meta, app.clock.now().date_naive(), &mut errors);
    errors.check()?;
    let (kind, described) = upload.judge().await?;
    let problem = upload.problem(kind).await?;
    if let Some(own) = described {
        meta.confidentiality = own.confidentiality;
        meta.document_type = meta.document_type.or(own.document_type);
        meta.document_date = meta.document_date.or(own.document_date);
    }
    let organization_id = member.organization_id;
    let row = upload.add_to_draft(member, id, kind, meta, problem).await?;
    let key = app.keys.data_key(organization_id).await?;
    Ok((StatusCode::CREATED, Json(attachment_view(&key, row)?)))
}

/// What a structured document says of itself and of its patient. Its confidentiality is Normal when it says nothing.
pub async fn described(converter: &Converter, kind: Kind, bytes: Bytes) -> (AttachmentMeta, Option<Patient>) {
    let Ok(outline) = converter.cda_outline(Input::bytes(kind, bytes)).await else {
        let meta = AttachmentMeta { confidentiality: Some("Normal".into()), ..AttachmentMeta::default() };
        return (meta, None);
    };
    let meta = AttachmentMeta {
        confidentiality: Some(format!("{:?}", outline.confidentiality)),
        document_type: Some(outline.title.chars().take(rules::DESCRIPTION_LIMIT).collect()),
        document_date: outline.effective_time.and_then(|time| time.date()),
        ..AttachmentMeta::default()
    };
    (meta, outline.patient.map(patients::of_document))
}

/// A file: its bytes, its PDF rendition (`Accept: application/pdf`) or, for C-CDA, its HTML (`Accept: text/html`)
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}", operation_id = "getAttachment",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>),
        (status = 202, description = "The rendition is being made; Retry-After says when to ask again")))]
async fn get_file(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
    headers: HeaderMap,
) -> Result<Response> {
    let row = queries::find(&app, &member, message_id, id).await?;
    let accept = headers.get(header::ACCEPT).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let answer = content(&app, &member, row, accept).await;
    let act =
        Act::new(event::DOWNLOADED, "attachment", id).detail(serde_json::json!({ "message": message_id }));
    match &answer {
        // Nobody has got anything yet.
        Ok(later) if later.status() == StatusCode::ACCEPTED => {}
        Ok(_) => audit::record_read(&app, &member.caller, act).await?,
        Err(_) => audit::record_read(&app, &member.caller, act.failed()).await?,
    }
    answer
}

/// A file in the form that is asked for.
async fn content(app: &App, member: &Member, row: attachment::Model, accept: &str) -> Result<Response> {
    if accept.starts_with("application/pdf") {
        return rendition(app, member, row).await;
    }
    if accept.starts_with("text/html") {
        let bytes = queries::read(app, member.organization_id, row.blob_id).await?;
        let html =
            app.converter.of(member.organization_id).cda_html(Input::bytes(kind_of(&row), bytes)).await;
        let html = html.map_err(unreadable)?;
        let csp = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";
        let headers = AppendHeaders([(header::CONTENT_SECURITY_POLICY, csp)]);
        return Ok((headers, axum::response::Html(html)).into_response());
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let name = open_name(&key, &row)?;
    file_answer(app, member, row.blob_id, &row.mime_type, row.size_bytes, &name).await
}

/// An unreadable or too complex file is not a server error.
fn unreadable(error: ConvertError) -> Error {
    match error {
        ConvertError::Io(_) => Error::internal(error),
        ConvertError::Busy => Error::TooMany(preview::sentence(&error).into()),
        error => Error::Conflict(preview::sentence(&error).into()),
    }
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
                (header::CONTENT_DISPOSITION, disposition("inline", &name)),
            ]);
            Ok((headers, HttpBody::from_stream(stream)).into_response())
        }
        (PreviewState::Failed, _) => {
            Err(Error::Conflict(row.preview_error.unwrap_or("The preview could not be made.".into()).into()))
        }
        (state, _) => {
            if state != PreviewState::Processing {
                start_preview(app, &row).await?;
            }
            Ok((StatusCode::ACCEPTED, AppendHeaders([(header::RETRY_AFTER, "1")])).into_response())
        }
    }
}

async fn start_preview(app: &App, row: &attachment::Model) -> Result<()> {
    let txn = app.store.begin().await?;
    preview::enqueue(app, &txn, row).await?;
    txn.commit().await?;
    app.bus.publish(platform::bus::Event::Work).await;
    Ok(())
}

async fn file_answer(
    app: &App,
    member: &Member,
    blob_id: Uuid,
    mime_type: &str,
    size: i64,
    name: &str,
) -> Result<Response> {
    let key = app.keys.data_key(member.organization_id).await?;
    let stream = app.blobs.reader(&key, member.organization_id, blob_id);
    let kind =
        HeaderValue::from_str(mime_type).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let headers = AppendHeaders([
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_LENGTH, HeaderValue::from(size)),
        (header::CONTENT_DISPOSITION, disposition("attachment", name)),
        // Files are data of strangers: never shown by the browser as a page of ours.
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox")),
    ]);
    Ok((headers, HttpBody::from_stream(stream)).into_response())
}

/// RFC 6266 with the name in UTF-8 (RFC 8187).
pub(crate) fn disposition(kind: &str, name: &str) -> HeaderValue {
    let encoded: String = name
        .bytes()
        .map(|b| match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(b).to_string(),
            _ => format!("%{b:02X}"),
        })
        .collect();
    HeaderValue::from_str(&format!("{kind}; filename*=UTF-8''{encoded}"))
        .unwrap_or(HeaderValue::from_static("attachment"))
}

/// What is known about a file, for polling
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}/metadata",
    operation_id = "getAttachmentMetadata", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 200, body = AttachmentView)))]
async fn metadata(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<AttachmentView>> {
    let row = queries::find(&app, &member, message_id, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    Ok(Json(attachment_view(&key, row)?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetaRequest {
    pub attachment_meta: AttachmentMeta,
    /// `attachmentMeta.version` that was read.
    pub version: Option<u32>,
}

/// Changes what is said about a file
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

/// Records that a file was read
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}/read", operation_id = "readAttachment",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 204)))]
async fn read_event(State(app): State<App>, member: Member, Id((message_id, id)): Ids) -> Result<StatusCode> {
    queries::find(&app, &member, message_id, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "attachment", id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Asks for the PDF rendition of a file
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}/generatePreview",
    operation_id = "generatePreview", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 200, body = AttachmentView)))]
async fn generate_preview(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<AttachmentView>> {
    let row = queries::find(&app, &member, message_id, id).await?;
    let waiting = [PreviewState::Processing, PreviewState::Available];
    if !waiting.contains(&row.preview_state) {
        start_preview(&app, &row).await?;
    }
    metadata(State(app), member, Id((message_id, id))).await
}

/// The parts of a C-CDA document, for the CDA Explorer
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}/outline", operation_id = "getOutline",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)),
    responses((status = 200, body = serde_json::Value)))]
async fn outline(State(app): State<App>, member: Member, Id((message_id, id)): Ids) -> Result<Response> {
    let row = queries::find(&app, &member, message_id, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "attachment", id)).await?;
    let bytes = queries::read(&app, member.organization_id, row.blob_id).await?;
    let converter = app.converter.of(member.organization_id);
    let outline = converter.cda_outline(Input::bytes(kind_of(&row), bytes)).await.map_err(unreadable)?;
    Ok(Json(outline).into_response())
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtractedPatientView {
    /// Processing or Completed.
    pub status: &'static str,
    pub patient: Option<Patient>,
}

/// Asks for the patient details in a file
#[utoipa::path(put, path = "/api/messages/{id}/attachments/{attachmentId}/patient/extract",
    operation_id = "requestExtraction", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 200, body = ExtractedPatientView)))]
async fn request_extraction(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<ExtractedPatientView>> {
    queries::find(&app, &member, message_id, id).await?;
    Ok(Json(ExtractedPatientView { status: "Processing", patient: None }))
}

/// The patient details read from a file
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}/patient/extract",
    operation_id = "getExtraction", tag = "attachments",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)), responses((status = 200, body = ExtractedPatientView)))]
async fn extraction(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<ExtractedPatientView>> {
    let patient = patient_in(&app, &member, message_id, id).await?;
    Ok(Json(ExtractedPatientView { status: "Completed", patient: Some(patient) }))
}

/// The patient named in a file
#[utoipa::path(get, path = "/api/messages/{id}/attachments/{attachmentId}/patient", operation_id = "getFilePatient",
    tag = "attachments", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)),
    responses((status = 200, body = Patient)))]
async fn file_patient(
    State(app): State<App>,
    member: Member,
    Id((message_id, id)): Ids,
) -> Result<Json<Patient>> {
    Ok(Json(patient_in(&app, &member, message_id, id).await?))
}

async fn patient_in(app: &App, member: &Member, message_id: Uuid, id: Uuid) -> Result<Patient> {
    let row = queries::find(app, member, message_id, id).await?;
    audit::record_read(app, &member.caller, Act::new(event::VIEWED, "attachment", id)).await?;
    let bytes = queries::read(app, member.organization_id, row.blob_id).await?;
    read_patient(&app.converter.of(member.organization_id), kind_of(&row), bytes).await.map_err(unreadable)
}

/// The patient of a file: all that a C-CDA says, or what the text of another file shows.
async fn read_patient(converter: &Converter, kind: Kind, bytes: Bytes) -> Result<Patient, ConvertError> {
    if kind == Kind::Cda {
        let outline = converter.cda_outline(Input::bytes(kind, bytes)).await?;
        return Ok(outline.patient.map(patients::of_document).unwrap_or_default());
    }
    let found = converter.patient(Input::bytes(kind, bytes)).await?;
    Ok(Patient {
        first_name: found.first_name,
        middle_name: found.middle_name,
        last_name: found.last_name,
        birth_date: found.birth_date,
        gender: found.gender.map(|g| g.code().to_owned()),
        ..Patient::default()
    })
}
