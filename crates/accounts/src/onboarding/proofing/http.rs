//! `/api/identityproofing`

use super::{
    port::{Answers, Question},
    queries, rules,
    upload::{self, DOCUMENT_LIMIT},
};
use axum::{
    Json,
    extract::{DefaultBodyLimit, State},
};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    http::{Body, Id},
    secret::Secret,
    upload::FileForm,
};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;
use zeroize::Zeroizing;

pub fn api() -> Api {
    Api::new()
        .route(ADMINS, routes!(submit_identity))
        .route(ADMINS, routes!(get_quiz, answer_quiz))
        .route(ADMINS, routes!(proofing_decision))
        .route(ADMINS, {
            let (schemas, paths, methods) = routes!(upload_document);
            // Room for the largest file and its form.
            (schemas, paths, methods.route_layer(DefaultBodyLimit::max(DOCUMENT_LIMIT + (64 << 10))))
        })
}

/// An applicant's description. Missing fields are empty.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdentityForm {
    #[serde(default, deserialize_with = "text")]
    pub first_name: String,
    #[serde(default, deserialize_with = "text")]
    pub last_name: String,
    /// MM/DD/YYYY, MM/DD/YY or YYYY-MM-DD
    #[serde(default, deserialize_with = "text")]
    pub date_of_birth: String,
    /// Used for the verification and not stored.
    #[serde(default)]
    #[schema(value_type = Option<Secret>)]
    pub ssn: Ssn,
    #[serde(default, deserialize_with = "text")]
    pub phone_number: String,
    #[serde(default)]
    pub current_address: AddressForm,
    pub former_address: Option<AddressForm>,
}

/// A social security number as typed; wiped from memory when dropped.
#[derive(Default)]
pub struct Ssn(pub Zeroizing<String>);

impl<'de> Deserialize<'de> for Ssn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let typed = Zeroizing::new(Option::<String>::deserialize(deserializer)?.unwrap_or_default());
        Ok(Self(Zeroizing::new(typed.trim().to_owned())))
    }
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddressForm {
    #[serde(default, deserialize_with = "text")]
    pub address_line: String,
    #[serde(default, deserialize_with = "text")]
    pub address_unit: String,
    #[serde(default, deserialize_with = "text")]
    pub city: String,
    /// Two letters.
    #[serde(default, deserialize_with = "text")]
    pub state: String,
    #[serde(default, deserialize_with = "text")]
    pub zip: String,
}

impl AddressForm {
    pub fn is_empty(&self) -> bool {
        [&self.address_line, &self.address_unit, &self.city, &self.state, &self.zip]
            .iter()
            .all(|t| t.is_empty())
    }
}

/// A trimmed text; null is empty.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.unwrap_or_default().trim().to_owned())
}

/// Status of an identity check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum Decision {
    Passed,
    /// An operator reviews the document.
    UnderReview,
    /// A photo ID is needed.
    Failed,
}

/// Status of the proof of identity.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// None before the description is entered, and while there are questions to answer.
    pub decision: Option<Decision>,
    /// Open questions for the caller.
    pub quiz_id: Option<Uuid>,
    /// Whether this installation asks questions. Otherwise, a photo ID is requested after the description.
    pub asks_questions: bool,
    /// A photo ID was refused.
    pub document_refused: bool,
    /// The operator's reason.
    pub refusal_reason: Option<String>,
    /// Number of further quizzes allowed for the organization today.
    pub attempts_left: u32,
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

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quiz {
    pub quiz_id: Uuid,
    pub questions: Vec<QuizQuestion>,
    pub expires_at: DateTime<Utc>,
    /// Seconds left to answer; 0 if the time is over.
    pub seconds_left: i64,
    /// Number of further quizzes allowed today.
    pub attempts_left: u32,
}

#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct QuizQuestion {
    pub question_id: String,
    pub question_text: String,
    pub answer_choice: Vec<AnswerChoice>,
}

#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct AnswerChoice {
    pub value: String,
    pub selected: bool,
}

impl From<Question> for QuizQuestion {
    fn from(question: Question) -> Self {
        let choice = |value| AnswerChoice { value, selected: false };
        Self {
            question_id: question.id,
            question_text: question.text,
            answer_choice: question.choices.into_iter().map(choice).collect(),
        }
    }
}

/// The open questions for the caller
#[utoipa::path(get, path = "/api/identityproofing/quizzes/{quizId}", operation_id = "getQuiz", tag = "onboarding",
    params(("quizId" = Uuid, Path)), responses((status = 200, body = Quiz)))]
async fn get_quiz(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<Quiz>> {
    Ok(Json(queries::quiz(&app, &member, id).await?))
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct QuizAnswers {
    /// The questions with the chosen answers marked.
    pub questions: Vec<QuizQuestion>,
}

impl QuizAnswers {
    /// A question with two answers counts as unanswered.
    fn chosen(self) -> Answers {
        let one = |q: QuizQuestion| {
            let mut chosen = q.answer_choice.into_iter().filter(|c| c.selected);
            match (chosen.next(), chosen.next()) {
                (Some(choice), None) => Some((q.question_id, choice.value)),
                _ => None,
            }
        };
        self.questions.into_iter().filter_map(one).collect()
    }
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
