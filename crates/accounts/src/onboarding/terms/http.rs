//! `/api/account/terms`

use super::{paper, queries};
use axum::{Json, extract::State, response::Response};
use chrono::{DateTime, Utc};
use platform::{App, Member, Result, access::MEMBERS, api::Api, http::Body};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::before_terms()
        .route(MEMBERS, routes!(current_terms, accept_terms))
        .route(MEMBERS, routes!(current_terms_pdf))
}

/// Presentation of the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TermsType {
    Standard,
    /// The brand has its own terms, which are only acknowledged here.
    Brand,
    /// The agreement was made with the partner who sells the product; these terms are additional.
    Reseller,
}

#[derive(Serialize, ToSchema)]
pub struct PrivacyTerms {
    pub version: String,
    /// Sanitized.
    pub html: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    pub r#type: TermsType,
    pub version: String,
    /// Sanitized.
    pub html: String,
    /// Accepted together with the terms, if there are any.
    pub privacy: Option<PrivacyTerms>,
    /// The name of the brand.
    pub brand_name: String,
    /// Accepted for the organization.
    pub is_accepted: bool,
    /// Time at which an administrator of the organization first accepted this version.
    pub accepted_at: Option<DateTime<Utc>>,
}

/// The terms that apply to the caller's organization
#[utoipa::path(get, path = "/api/account/terms", operation_id = "currentTerms", tag = "onboarding",
    responses((status = 200, body = Terms)))]
async fn current_terms(State(app): State<App>, member: Member) -> Result<Json<Terms>> {
    Ok(Json(queries::shown(app.store.db(), member.organization_id).await?))
}

/// The terms that apply to the caller's organization, with the privacy terms, as a document for download
#[utoipa::path(get, path = "/api/account/terms/pdf", operation_id = "currentTermsPdf", tag = "onboarding",
    responses((status = 200, content_type = "application/pdf", body = Vec<u8>)))]
async fn current_terms_pdf(State(app): State<App>, member: Member) -> Result<Response> {
    let terms = queries::to_keep(app.store.db(), member.organization_id).await?;
    paper::download(terms, "Terms of service.pdf").await
}

/// Versions that the caller has read.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Acceptance {
    pub r#type: TermsType,
    pub version: String,
    /// Version of the privacy terms, if there are any.
    #[serde(default)]
    pub privacy_version: Option<String>,
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
    Ok(Json(queries::shown(app.store.db(), member.organization_id).await?))
}
