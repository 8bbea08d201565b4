//! `/api/account/terms`

use super::{
    paper, queries,
    types::{Acceptance, Terms},
};
use axum::{Json, extract::State, response::Response};
use platform::{App, Member, Result, access::MEMBERS, api::Api, http::Body};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::before_terms()
        .route(MEMBERS, routes!(current_terms, accept_terms))
        .route(MEMBERS, routes!(current_terms_pdf))
}

/// The terms that apply to the caller's organization
#[utoipa::path(get, path = "/api/account/terms", operation_id = "currentTerms", tag = "onboarding",
    responses((status = 200, body = Terms)))]
async fn current_terms(State(app): State<App>, member: Member) -> Result<Json<Terms>> {
    Ok(Json(queries::current_terms(app.store.db(), member.organization_id).await?))
}

/// The terms that apply to the caller's organization, with the privacy terms, as a document for download
#[utoipa::path(get, path = "/api/account/terms/pdf", operation_id = "currentTermsPdf", tag = "onboarding",
    responses((status = 200, content_type = "application/pdf", body = Vec<u8>)))]
async fn current_terms_pdf(State(app): State<App>, member: Member) -> Result<Response> {
    let terms = queries::to_keep(app.store.db(), member.organization_id).await?;
    paper::download(terms, "Terms of service.pdf").await
}

/// Accepts the terms; a version that is no longer current is refused
#[utoipa::path(post, path = "/api/account/terms", operation_id = "acceptTerms", tag = "onboarding",
    request_body = Acceptance,
    responses((status = 200, body = Terms), (status = 409, description = "There is a newer version")))]
async fn accept_terms(
    State(app): State<App>,
    member: Member,
    Body(read): Body<Acceptance>,
) -> Result<Json<Terms>> {
    queries::accept(&app, &member, &read).await?;
    Ok(Json(queries::current_terms(app.store.db(), member.organization_id).await?))
}
