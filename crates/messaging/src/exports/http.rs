//! `/api/tasks`: exports and prints in the background.

use super::{
    archive::{self, Entry},
    names,
    queries::{self, find_ready},
    types::{ExportRequest, RetryRequest, Task, TaskFiles},
};
use axum::{
    Json,
    body::Body as HttpBody,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    download,
    http::{Body, Id, Items},
};
use serde_json::json;
use store::entities::export_file;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(tasks, create_task, clear_tasks))
        .route(MEMBERS, routes!(task, discard_task))
        .route(MEMBERS, routes!(cancel_task))
        .route(MEMBERS, routes!(retry_task))
        .route(MEMBERS, routes!(task_files))
        .route(MEMBERS, routes!(task_file))
        .route(MEMBERS, routes!(task_content))
}

/// The caller's last 10 exports and prints, newest first
#[utoipa::path(get, path = "/api/tasks", operation_id = "tasks", tag = "tasks",
    responses((status = 200, body = Items<Task>)))]
async fn tasks(State(app): State<App>, member: Member) -> Result<Json<Items<Task>>> {
    let rows = queries::newest(&app, &member).await?;
    Ok(Json(Items { items: rows.into_iter().map(Into::into).collect() }))
}

/// Exports or prints Intake messages, in the background
#[utoipa::path(post, path = "/api/tasks", operation_id = "createTask", tag = "tasks", request_body = ExportRequest,
    responses((status = 202, body = Task)))]
async fn create_task(
    State(app): State<App>,
    member: Member,
    Body(body): Body<ExportRequest>,
) -> Result<(StatusCode, Json<Task>)> {
    Ok((StatusCode::ACCEPTED, Json(queries::create(&app, &member, body).await?.into())))
}

/// Removes the caller's finished tasks from the list
#[utoipa::path(delete, path = "/api/tasks", operation_id = "clearTasks", tag = "tasks", responses((status = 204)))]
async fn clear_tasks(State(app): State<App>, member: Member) -> Result<StatusCode> {
    queries::clear(&app, &member).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// One of the caller's tasks
#[utoipa::path(get, path = "/api/tasks/{id}", operation_id = "getTask", tag = "tasks", params(("id" = Uuid, Path)),
    responses((status = 200, body = Task)))]
async fn task(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<Task>> {
    Ok(Json(queries::find(&app, &member, id).await?.into()))
}

/// Removes a task from the list, with its files
#[utoipa::path(delete, path = "/api/tasks/{id}", operation_id = "discardTask", tag = "tasks",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn discard_task(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::discard(&app, &member, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stops a task; it can be continued later
#[utoipa::path(put, path = "/api/tasks/{id}/cancel", operation_id = "cancelTask", tag = "tasks",
    params(("id" = Uuid, Path)), responses((status = 200, body = Task)))]
async fn cancel_task(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<Task>> {
    Ok(Json(queries::cancel(&app, &member, id).await?.into()))
}

/// Continues a failed or cancelled task, and retries refused messages
#[utoipa::path(put, path = "/api/tasks/{id}/retry", operation_id = "retryTask", tag = "tasks",
    params(("id" = Uuid, Path)), request_body = RetryRequest, responses((status = 202, body = Task)))]
async fn retry_task(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(body): Body<RetryRequest>,
) -> Result<(StatusCode, Json<Task>)> {
    Ok((StatusCode::ACCEPTED, Json(queries::retry(&app, &member, id, body).await?.into())))
}

/// The files of a task, and the messages that could not be exported
#[utoipa::path(get, path = "/api/tasks/{id}/files", operation_id = "taskFiles", tag = "tasks",
    params(("id" = Uuid, Path)), responses((status = 200, body = TaskFiles)))]
async fn task_files(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<TaskFiles>> {
    let task = queries::find(&app, &member, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "task", id)).await?;
    Ok(Json(queries::listed(&app, &member, task.id).await?))
}

/// One file of a task
#[utoipa::path(get, path = "/api/tasks/{id}/files/{position}", operation_id = "taskFile", tag = "tasks",
    params(("id" = Uuid, Path), ("position" = i32, Path)),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>),
        (status = 409, description = "The files are not ready")))]
async fn task_file(
    State(app): State<App>,
    member: Member,
    Id((id, position)): Id<(Uuid, i32)>,
) -> Result<Response> {
    let task = find_ready(&app, &member, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let (file, path) = queries::file(&app, &member, &key, task.id, position).await?;
    let name = path.rsplit('/').next().unwrap_or_default();
    downloaded(&app, &member, id, json!({ "file": position })).await?;
    one(&app, &member, &file, name).await
}

/// The file of a task, or an archive of all its files
#[utoipa::path(get, path = "/api/tasks/{id}/content", operation_id = "taskContent", tag = "tasks",
    params(("id" = Uuid, Path)),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>),
        (status = 409, description = "The files are not ready")))]
async fn task_content(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Response> {
    let task = find_ready(&app, &member, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let files = queries::files(&app, &member, &key, task.id).await?;
    if files.is_empty() {
        return Err(Error::NotFound);
    }
    downloaded(&app, &member, id, json!({ "files": files.len() })).await?;
    let name = names::stamped(&task.brand, task.form, task.created_at);
    if let [(file, path)] = &files[..] {
        let extension = path.rsplit_once('.').map_or("bin", |(_, extension)| extension);
        return one(&app, &member, file, &format!("{name}.{extension}")).await;
    }
    let entry =
        |(file, path): (export_file::Model, String)| file.blob_id.map(|blob_id| Entry { path, blob_id });
    let entries = files.into_iter().filter_map(entry).collect();
    let content = archive::stream(app.blobs.clone(), key, member.organization_id, task.created_at, entries);
    let headers = AppendHeaders([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/zip")),
        (header::CONTENT_DISPOSITION, download::attachment(&format!("{name}.zip"))),
    ]);
    Ok((headers, HttpBody::from_stream(content)).into_response())
}

async fn downloaded(app: &App, member: &Member, id: Uuid, detail: serde_json::Value) -> Result<()> {
    audit::record_read(app, &member.caller, Act::new(event::DOWNLOADED, "task", id).detail(detail)).await
}

async fn one(app: &App, member: &Member, file: &export_file::Model, name: &str) -> Result<Response> {
    let blob_id = file.blob_id.ok_or(Error::NotFound)?;
    crate::attachments::answers::file_answer(
        app,
        member.organization_id,
        blob_id,
        &file.mime_type,
        file.size_bytes,
        name,
    )
    .await
}
