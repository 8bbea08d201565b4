//! `/api/identityproofing`

use super::{
    queries, rules,
    types::{IdentityForm, Quiz, QuizAnswers, Standing},
    upload::{self, DOCUMENT_LIMIT},
};
use axum::{Json, extract::State};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    http::{Body, Id},
    upload::FileForm,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(ADMINS, routes!(submit_identity))
        .route(ADMINS, routes!(get_quiz, answer_quiz))
        .route(ADMINS, routes!(proofing_decision))
        .upload(ADMINS, routes!(upload_document), DOCUMENT_LIMIT)
}

/// Describes the administrator; if the answer has a quiz id, questions follow
#[utoipa::path(post, path = "/api/identityproofing", operation_id = "submitIdentity", tag = "onboarding",
    request_body = IdentityForm,
    responses((status = 200, body = Standing), (status = 409, description = "The identity is already verified"),
        (status = 429, description = "Too many quizzes today")))]
async fn submit_identity(
    State(app): State<App>,
    member: Member,
    Body(form): Body<IdentityForm>,
) -> Result<Json<Standing>> {
    let identity = rules::identity(form, app.clock.now().date_naive()).map_err(Error::Invalid)?;
    Ok(Json(queries::submit(&app, &member, &identity).await?))
}

/// The open questions for the caller
#[utoipa::path(get, path = "/api/identityproofing/quizzes/{quizId}", operation_id = "getQuiz", tag = "onboarding",
    params(("quizId" = Uuid, Path)), responses((status = 200, body = Quiz)))]
async fn get_quiz(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<Quiz>> {
    Ok(Json(queries::quiz(&app, &member, id).await?))
}

/// Answers the questions, once and within their time; if the answer has a quiz id, further ones follow
#[utoipa::path(post, path = "/api/identityproofing/quizzes/{quizId}", operation_id = "answerQuiz", tag = "onboarding",
    params(("quizId" = Uuid, Path)), request_body = QuizAnswers,
    responses((status = 200, body = Standing), (status = 409, description = "They were already answered")))]
async fn answer_quiz(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(answers): Body<QuizAnswers>,
) -> Result<Json<Standing>> {
    Ok(Json(queries::answer(&app, &member, id, &answers.chosen()).await?))
}

/// Status of the proof of identity of the caller's organization
#[utoipa::path(get, path = "/api/identityproofing/decision", operation_id = "proofingDecision", tag = "onboarding",
    responses((status = 200, body = Standing)))]
async fn proofing_decision(State(app): State<App>, member: Member) -> Result<Json<Standing>> {
    Ok(Json(queries::standing(&app, &member).await?))
}

/// The part of an upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the multipart form")]
struct DocumentForm {
    #[schema(format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
}

/// Uploads a scan of a government photo ID for review by an operator
#[utoipa::path(post, path = "/api/identityproofing/document", operation_id = "uploadIdentityDocument",
    tag = "onboarding", request_body(content = DocumentForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Standing), (status = 409, description = "One is under review")))]
async fn upload_document(
    State(app): State<App>,
    member: Member,
    mut form: FileForm,
) -> Result<Json<Standing>> {
    queries::require_open(&app, &member).await?;
    let mut file = None;
    while let Some(part) = form.next(upload::TOO_LARGE).await? {
        if part.name() == "file" {
            file = Some(upload::receive(&app, &member, part).await?);
        }
    }
    let file = file.ok_or_else(|| Error::field("file", "Please select a file."))?;
    Ok(Json(queries::hand_in(&app, &member, file).await?))
}
