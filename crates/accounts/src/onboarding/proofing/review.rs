//! `/api/admin/users/idproof`: operators' review of photo IDs.

use super::{
    desk, identity,
    mail::{self, News},
    queries,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use email::Prepared;
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    download,
    http::{Body, Id, Items, Params},
    session::{ROLE_ADMINISTRATOR, full_name},
    text::Rule,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter, QueryOrder, QuerySelect, sea_query::Expr,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        app_user, membership, organization,
        proofing_document::{self, Decision},
        proofing_quiz,
    },
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .merge(desk::api())
        .route(SYSADMINS, routes!(documents_to_review, decide_proofing))
        .route(SYSADMINS, routes!(identity_document))
        .route(SYSADMINS, routes!(reset_proofing))
}

const NO_ADMINISTRATOR: &str = "This user does not administer an organization.";
const NONE_WAITS: &str = "This document is no longer waiting for a decision. Please reload the list.";
const SEVERAL_WAIT: &str = "This user has waiting documents for several organizations. Please choose one.";

/// Maximum length of the list; those that have waited longest come first.
const LIST_MAX: u64 = 200;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentToReview {
    pub user_id: Uuid,
    pub user_name: String,
    pub full_name: String,
    pub organization_id: Uuid,
    pub organization_name: String,
    pub file_name: String,
    pub size_in_bytes: i64,
    pub uploaded_at: DateTime<Utc>,
}

/// The photo IDs that wait for a decision, oldest first
#[utoipa::path(get, path = "/api/admin/users/idproof", operation_id = "documentsToReview", tag = "onboarding",
    responses((status = 200, body = Items<DocumentToReview>)))]
async fn documents_to_review(State(app): State<App>) -> Result<Json<Items<DocumentToReview>>> {
    let db = app.store.db();
    let waiting = proofing_document::Entity::find()
        .filter(proofing_document::Column::Decision.is_null())
        .order_by_asc(proofing_document::Column::UploadedAt)
        .limit(LIST_MAX)
        .all(db)
        .await?;
    let mut items = Vec::new();
    for document in waiting {
        let user = app_user::Entity::find_by_id(document.user_id).one(db).await?.ok_or(Error::NotFound)?;
        let organization = organization::Entity::find_by_id(document.organization_id).one(db).await?;
        let key = app.keys.data_key(document.organization_id).await?;
        items.push(DocumentToReview {
            user_id: user.id,
            full_name: full_name(&user),
            user_name: user.user_name,
            organization_id: document.organization_id,
            organization_name: organization.ok_or(Error::NotFound)?.name,
            file_name: queries::open_name(&key, &document)?,
            size_in_bytes: document.size_bytes,
            uploaded_at: document.uploaded_at,
        });
    }
    Ok(Json(Items { items }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProofingDecision {
    pub user_id: Uuid,
    /// The organization of the reviewed document; required if documents for several are waiting.
    pub organization_id: Option<Uuid>,
    pub passed: bool,
    /// The reviewed document; a newer one is not decided by it.
    pub document_id: Option<Uuid>,
    /// Reason of a refusal, for the applicant.
    #[serde(default)]
    pub reason: ProofingReason,
    /// Sends the applicant an e-mail.
    #[serde(default)]
    pub send_email: bool,
}

platform::text! {
    /// A reason of refusal for the applicant.
    pub ProofingReason = Rule::lines(0, 500);
}

/// Decides on a user's identity
#[utoipa::path(post, path = "/api/admin/users/idproof", operation_id = "decideProofing", tag = "onboarding",
    request_body = ProofingDecision,
    responses((status = 204), (status = 409, description = "No such document is waiting, several are, or the user does not administer an organization")))]
async fn decide_proofing(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<ProofingDecision>,
) -> Result<StatusCode> {
    if body.send_email && !email::is_available(&app) {
        let text = "An e-mail cannot be sent, because this installation has no mail server configured.";
        return Err(Error::field("sendEmail", text));
    }
    let db = app.store.db();
    app_user::Entity::find_by_id(body.user_id).one(db).await?.ok_or(Error::NotFound)?;
    let (places, waits) = decided(db, &body).await?;
    let mut letters = Vec::new();
    for id in &places {
        letters.push(news(&app, *id, &body).await?);
    }
    let txn = app.store.begin().await?;
    let removed = decide_all(&app, &txn, &caller, (places, waits), &body).await?;
    for mail in letters.into_iter().flatten() {
        mail.enqueue(&txn).await?;
    }
    txn.commit().await?;
    delete(&app, removed).await?;
    app.bus.publish(Event::Work).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets the status of a user within a larger transaction, without an e-mail to them. Returns the contents to remove
/// with [`delete`] after the commit.
pub async fn decide_in(
    app: &App,
    txn: &Transaction,
    caller: &Caller,
    user_id: Uuid,
    passed: bool,
) -> Result<Vec<(Uuid, Uuid)>> {
    let body = ProofingDecision {
        user_id,
        organization_id: None,
        passed,
        document_id: None,
        reason: ProofingReason::default(),
        send_email: false,
    };
    let decided = decided(txn, &body).await?;
    decide_all(app, txn, caller, decided, &body).await
}

/// Stores a decision for its organizations.
async fn decide_all(
    app: &App,
    txn: &Transaction,
    caller: &Caller,
    (places, waits): (Vec<Uuid>, bool),
    body: &ProofingDecision,
) -> Result<Vec<(Uuid, Uuid)>> {
    let mut removed = Vec::new();
    for id in places {
        let blob = decide(app, txn, caller, id, body, waits).await?;
        removed.extend(blob.map(|blob| (id, blob)));
    }
    Ok(removed)
}

/// Removes the contents of documents, each in its organization.
pub async fn delete(app: &App, blobs: Vec<(Uuid, Uuid)>) -> Result<()> {
    for (organization_id, blob) in blobs {
        app.blobs.delete(organization_id, blob).await?;
    }
    Ok(())
}

async fn news(app: &App, organization_id: Uuid, body: &ProofingDecision) -> Result<Option<Prepared>> {
    if !body.send_email {
        return Ok(None);
    }
    let news = if body.passed { News::Verified } else { News::NotVerified(&body.reason) };
    mail::prepare(app, organization_id, body.user_id, news).await
}

/// The organizations of a decision, and whether it is about a document. Without a document, the status is set in all
/// organizations that the user administers.
async fn decided(db: &impl ConnectionTrait, body: &ProofingDecision) -> Result<(Vec<Uuid>, bool)> {
    let waiting = waiting(db, body.user_id).await?;
    match (body.organization_id, waiting.len()) {
        (Some(id), _) if waiting.contains(&id) => Ok((vec![id], true)),
        (Some(_), _) => Err(Error::Conflict(NONE_WAITS.into())),
        (None, 1) => Ok((waiting, true)),
        (None, 0) => match administered(db, body.user_id).await? {
            none if none.is_empty() => Err(Error::Conflict(NO_ADMINISTRATOR.into())),
            places => Ok((places, false)),
        },
        (None, _) => Err(Error::Conflict(SEVERAL_WAIT.into())),
    }
}

/// The organizations for which a user's document waits, in lock order.
async fn waiting(db: &impl ConnectionTrait, user_id: Uuid) -> Result<Vec<Uuid>> {
    let documents = proofing_document::Entity::find()
        .filter(proofing_document::Column::UserId.eq(user_id))
        .filter(proofing_document::Column::Decision.is_null())
        .order_by_asc(proofing_document::Column::OrganizationId)
        .all(db)
        .await?;
    Ok(documents.into_iter().map(|d| d.organization_id).collect())
}

/// The organizations that a user administers, in lock order.
async fn administered(db: &impl ConnectionTrait, user_id: Uuid) -> Result<Vec<Uuid>> {
    let places = membership::Entity::find()
        .filter(membership::Column::UserId.eq(user_id))
        .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR))
        .order_by_asc(membership::Column::OrganizationId)
        .all(db)
        .await?;
    Ok(places.into_iter().map(|m| m.organization_id).collect())
}

/// Stores the decision for one organization. Returns the blob that is no longer needed.
async fn decide(
    app: &App,
    txn: &Transaction,
    caller: &Caller,
    organization_id: Uuid,
    body: &ProofingDecision,
    waits: bool,
) -> Result<Option<Uuid>> {
    let organization = queries::locked(txn, organization_id).await?;
    let waiting = queries::pending(txn, organization_id).await?.filter(|d| d.user_id == body.user_id);
    // Another operator may have decided meanwhile, or a new document was uploaded.
    let is_other = |document: &proofing_document::Model| body.document_id.is_some_and(|id| id != document.id);
    if waiting.is_some() != waits || waiting.as_ref().is_some_and(is_other) {
        return Err(Error::Conflict(NONE_WAITS.into()));
    }
    let mut removed = None;
    if let Some(document) = waiting {
        removed = document.blob_id.filter(|_| !body.passed);
        let decision = if body.passed { Decision::Passed } else { Decision::NotPassed };
        let reason = &*body.reason;
        let sealed_reason = match reason {
            "" => None,
            _ => Some(queries::seal_reason(&app.keys.data_key(organization_id).await?, document.id, reason)),
        };
        settle(app, txn, caller, document, decision, sealed_reason).await?;
    }
    let actor = Actor::from(caller);
    if body.passed && organization.id_proofed_at.is_none() {
        queries::prove(app, txn, &organization, &actor, "operator").await?;
    } else if !body.passed {
        let mut row = organization.clone().into_active_model();
        row.id_proofed_at = Set(None);
        row.id_proof_attempt_at = Set(organization.id_proof_attempt_at.or(Some(app.clock.now())));
        row.update(txn).await?;
        queries::decided(app, txn, &actor, organization_id, false, "operator").await?;
    }
    Ok(removed)
}

/// Marks a document as reviewed. A refused one is not kept.
async fn settle(
    app: &App,
    txn: &Transaction,
    caller: &Caller,
    document: proofing_document::Model,
    decision: Decision,
    sealed_reason: Option<Vec<u8>>,
) -> Result<()> {
    let mut row = document.into_active_model();
    row.sealed_reason = Set(sealed_reason);
    row.decision = Set(Some(decision));
    row.decided_at = Set(Some(app.clock.now()));
    row.decided_by = Set(Some(caller.user_id));
    if decision != Decision::Passed {
        row.blob_id = Set(None);
    }
    row.update(txn).await?;
    Ok(())
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ForOrganization {
    /// The organization of the document.
    pub organization_id: Option<Uuid>,
}

/// The photo ID that a user uploaded last
#[utoipa::path(get, path = "/api/admin/users/{id}/idproof", operation_id = "identityDocument", tag = "onboarding",
    params(("id" = Uuid, Path), ForOrganization),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>)))]
async fn identity_document(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(wanted): Params<ForOrganization>,
) -> Result<Response> {
    let document = desk::document(&app, id, &wanted).await?;
    let organization_id = document.organization_id;
    let bytes = desk::bytes(&app, &document).await?;
    // Opening an ID is audited in the trail of its organization.
    let actor = Actor { organization_id: Some(organization_id), ..Actor::from(&caller) };
    let act = Act::new(event::DOWNLOADED, "organization", organization_id)
        .detail(json!({ "identityDocumentOf": id }));
    let txn = app.store.begin().await?;
    audit::record(&app, &txn, &actor, act).await?;
    txn.commit().await?;
    let kind = HeaderValue::from_str(&document.mime_type).map_err(Error::internal)?;
    let extension = document.mime_type.rsplit('/').next().unwrap_or("bin");
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, download::attachment(&format!("photo-id.{extension}"))),
    ];
    Ok((headers, bytes).into_response())
}

/// Lets a user start over: documents are removed, and attempts no longer count
#[utoipa::path(post, path = "/api/admin/users/{id}/idproof/reset", operation_id = "resetProofing",
    tag = "onboarding", params(("id" = Uuid, Path), ForOrganization), responses((status = 204)))]
async fn reset_proofing(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(wanted): Params<ForOrganization>,
) -> Result<StatusCode> {
    let db = app.store.db();
    app_user::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    let mut removed = Vec::new();
    let places = begun(db, id, wanted.organization_id).await?;
    let txn = app.store.begin().await?;
    for organization_id in places {
        let blobs = reset(&app, &txn, &caller, organization_id, id).await?;
        removed.extend(blobs.into_iter().map(|blob| (organization_id, blob)));
    }
    txn.commit().await?;
    delete(&app, removed).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The organizations in which a user starts over: the given one, else those with a waiting document, else all that
/// they administer.
async fn begun(db: &impl ConnectionTrait, user_id: Uuid, wanted: Option<Uuid>) -> Result<Vec<Uuid>> {
    let (waiting, administered) = (waiting(db, user_id).await?, administered(db, user_id).await?);
    match wanted {
        Some(id) if waiting.contains(&id) || administered.contains(&id) => Ok(vec![id]),
        Some(_) => Err(Error::NotFound),
        None if waiting.is_empty() => Ok(administered),
        None => Ok(waiting),
    }
}

async fn reset(
    app: &App,
    txn: &Transaction,
    caller: &Caller,
    organization_id: Uuid,
    user_id: Uuid,
) -> Result<Vec<Uuid>> {
    let organization = queries::locked(txn, organization_id).await?;
    let documents = proofing_document::Entity::find()
        .filter(proofing_document::Column::OrganizationId.eq(organization_id))
        .filter(proofing_document::Column::UserId.eq(user_id))
        .filter(proofing_document::Column::BlobId.is_not_null())
        .all(txn)
        .await?;
    let mut removed = Vec::new();
    for document in documents {
        removed.extend(document.blob_id);
        settle(app, txn, caller, document, Decision::Reset, None).await?;
    }
    proofing_quiz::Entity::update_many()
        .col_expr(proofing_quiz::Column::Counts, Expr::value(false))
        .filter(proofing_quiz::Column::OrganizationId.eq(organization_id))
        .filter(proofing_quiz::Column::Counts.eq(true))
        .exec(txn)
        .await?;
    queries::forget_questions(txn, organization_id).await?;
    identity::forget(txn, organization_id).await?;
    if organization.id_proofed_at.is_none() {
        let mut row = organization.into_active_model();
        row.id_proof_attempt_at = Set(None);
        row.update(txn).await?;
    }
    let actor = Actor { organization_id: Some(organization_id), ..Actor::from(caller) };
    let act =
        Act::new(event::PROOFING_DECIDED, "organization", organization_id).detail(json!({ "reset": true }));
    audit::record(app, txn, &actor, act).await?;
    Ok(removed)
}
