//! `/api/messages/signatures`, `/api/messages/{id}/signers`: requests for signatures.

use super::{
    certificate, documents, queries, settle,
    types::{DeclineForm, SignForm, SignatureForm, SignatureParams, SignatureRow, Signers},
};
use crate::messages::queries as messages;
use axum::{
    Json,
    extract::State,
    http::{HeaderValue, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use platform::{
    App, Member, Result,
    access::{ADMINS, MEMBERS},
    api::Api,
    audit::{self, Act, event},
    download,
    http::{Body, Id, Page, Paged, Params},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(list_signatures))
        .route(MEMBERS, routes!(signers, request_signatures))
        .route(MEMBERS, routes!(cancel_signature))
        .route(MEMBERS, routes!(sign_message))
        .route(MEMBERS, routes!(decline_signature))
        .route(MEMBERS, routes!(signed_pdf))
        .route(MEMBERS, routes!(retry_signed_pdf))
        .route(ADMINS, routes!(signing_certificates))
}

/// Requests for the caller's signature, the caller's signatures, or the caller's requests to others, newest first
#[utoipa::path(get, path = "/api/messages/signatures", operation_id = "listSignatures", tag = "messages",
    params(SignatureParams), responses((status = 200, body = Paged<SignatureRow>)))]
async fn list_signatures(
    State(app): State<App>,
    member: Member,
    Params(params): Params<SignatureParams>,
) -> Result<Json<Paged<SignatureRow>>> {
    let page = Page::new(params.page_start, params.page_size, 30, 100)?;
    let found = queries::list(&app, &member, params.view.unwrap_or_default(), page).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "signature", "")).await?;
    Ok(Json(found))
}

/// The requested and given signatures of a message
#[utoipa::path(get, path = "/api/messages/{id}/signers", operation_id = "messageSigners", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = Signers)))]
async fn signers(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<Signers>> {
    let message = messages::find(&app, &member, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "signature", id)).await?;
    Ok(Json(queries::of_message(&app, &member, &message).await?))
}

/// Asks colleagues to sign the documents of a message
///
/// They get an e-mail that names neither the message nor the patient.
#[utoipa::path(post, path = "/api/messages/{id}/signers", operation_id = "requestSignatures", tag = "messages",
    params(("id" = Uuid, Path)), request_body = SignatureForm,
    responses((status = 200, body = Signers), (status = 409, description = "There is no document to sign")))]
async fn request_signatures(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<SignatureForm>,
) -> Result<Json<Signers>> {
    let message = queries::request(&app, &member, id, form).await?;
    Ok(Json(queries::of_message(&app, &member, &message).await?))
}

/// Withdraws a request for a signature, by its requester or an administrator
#[utoipa::path(delete, path = "/api/messages/{id}/signers/{signatureId}", operation_id = "cancelSignature",
    tag = "messages", params(("id" = Uuid, Path), ("signatureId" = Uuid, Path)),
    responses((status = 200, body = Signers), (status = 403, description = "Requested by somebody else"),
        (status = 409, description = "Already answered")))]
async fn cancel_signature(
    State(app): State<App>,
    member: Member,
    Id((id, signature_id)): Id<(Uuid, Uuid)>,
) -> Result<Json<Signers>> {
    let message = settle::cancel(&app, &member, id, signature_id).await?;
    Ok(Json(queries::of_message(&app, &member, &message).await?))
}

/// Signs the documents of a message in the version that the caller saw
///
/// The caller has to enter the password again; without a password, a code by e-mail (`/api/users/{id}/sendcode`).
#[utoipa::path(post, path = "/api/messages/{id}/signers/sign", operation_id = "signMessage", tag = "messages",
    params(("id" = Uuid, Path)), request_body = SignForm,
    responses((status = 200, body = Signers),
        (status = 409, description = "Not requested, or the documents have changed")))]
async fn sign_message(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<SignForm>,
) -> Result<Json<Signers>> {
    let message = settle::sign(&app, &member, id, form).await?;
    Ok(Json(queries::of_message(&app, &member, &message).await?))
}

/// Declines to sign, with a reason for the requester
#[utoipa::path(post, path = "/api/messages/{id}/signers/decline", operation_id = "declineSignature", tag = "messages",
    params(("id" = Uuid, Path)), request_body = DeclineForm,
    responses((status = 200, body = Signers), (status = 409, description = "Not requested")))]
async fn decline_signature(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<DeclineForm>,
) -> Result<Json<Signers>> {
    let message = settle::decline(&app, &member, id, &form.reason).await?;
    Ok(Json(queries::of_message(&app, &member, &message).await?))
}

/// Downloads the signed PDF of a document
///
/// While signatures are being put into it, it has those that are finished.
#[utoipa::path(get, path = "/api/messages/{id}/signers/documents/{attachmentId}", operation_id = "signedPdf",
    tag = "messages", params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)),
    responses((status = 200, content_type = "application/pdf", body = Vec<u8>),
        (status = 409, description = "It is not ready yet")))]
async fn signed_pdf(
    State(app): State<App>,
    member: Member,
    Id((id, attachment_id)): Id<(Uuid, Uuid)>,
) -> Result<Response> {
    documents::download(&app, &member, id, attachment_id).await
}

/// Tries again to make a signed PDF that could not be made
#[utoipa::path(post, path = "/api/messages/{id}/signers/documents/{attachmentId}/retry",
    operation_id = "retrySignedPdf", tag = "messages",
    params(("id" = Uuid, Path), ("attachmentId" = Uuid, Path)),
    responses((status = 200, body = Signers), (status = 409, description = "It did not fail")))]
async fn retry_signed_pdf(
    State(app): State<App>,
    member: Member,
    Id((id, attachment_id)): Id<(Uuid, Uuid)>,
) -> Result<Json<Signers>> {
    let message = documents::retry(&app, &member, id, attachment_id).await?;
    Ok(Json(queries::of_message(&app, &member, &message).await?))
}

/// The certificate with which the organization signs documents, and that of its authority
///
/// One file (`.p7c`), which PDF readers import as trusted.
#[utoipa::path(get, path = "/api/settings/signingcertificates", operation_id = "signingCertificates",
    tag = "messages",
    responses((status = 200, content_type = "application/pkcs7-mime", body = Vec<u8>)))]
async fn signing_certificates(State(app): State<App>, member: Member) -> Result<Response> {
    let file = certificate::bundle(&app, member.organization_id).await?;
    let headers = AppendHeaders([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pkcs7-mime")),
        (header::CONTENT_DISPOSITION, download::attachment("Signing certificates.p7c")),
    ]);
    Ok((headers, file).into_response())
}
