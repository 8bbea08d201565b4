//! `/api/account/register`

use super::{
    queries, rules,
    types::{
        Availability, ConfirmRegistrationRequest, Registered, RegistrationForm, RegistrationLink,
        RegistrationLinkRequest, RegistrationOptions, SubDomainQuestion,
    },
};
use crate::organizations::rules::SUB_DOMAIN_REFUSED;
use accounts::peer::{Peer, ip};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Error, Result,
    access::PUBLIC,
    api::Api,
    http::{Body, Message},
};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new()
        .route(PUBLIC, routes!(registration_options))
        .route(PUBLIC, routes!(register_sub_domain))
        .route(PUBLIC, routes!(register))
        .route(PUBLIC, routes!(registration_link))
        .route(PUBLIC, routes!(confirm_registration))
}

/// Answers 404 if practices cannot register themselves.
fn open(app: &App) -> Result<()> {
    if app.config.registers_practices() { Ok(()) } else { Err(Error::NotFound) }
}

/// The choices of the registration form
#[utoipa::path(get, path = "/api/account/register/options", operation_id = "registrationOptions", tag = "account",
    responses((status = 200, body = RegistrationOptions), (status = 404, description = "Registration is not available")))]
async fn registration_options(State(app): State<App>) -> Result<Json<RegistrationOptions>> {
    open(&app)?;
    Ok(Json(queries::options(&app).await?))
}

/// Whether a practice may have a subdomain
#[utoipa::path(post, path = "/api/account/register/subdomain", operation_id = "registerSubDomain", tag = "account",
    request_body = SubDomainQuestion, responses((status = 200, body = Availability)))]
async fn register_sub_domain(
    State(app): State<App>,
    Body(body): Body<SubDomainQuestion>,
) -> Result<Json<Availability>> {
    open(&app)?;
    let is_available = queries::is_sub_domain_free(&app, app.store.db(), &body.sub_domain, "").await?;
    Ok(Json(Availability { is_available, message: (!is_available).then_some(SUB_DOMAIN_REFUSED) }))
}

/// Registers a practice; the link in an e-mail opens the account. Only the mailbox learns whether the user name
/// already has an account
#[utoipa::path(post, path = "/api/account/register", operation_id = "register", tag = "account",
    request_body = RegistrationForm, responses((status = 202, body = Message)))]
async fn register(
    State(app): State<App>,
    Body(form): Body<RegistrationForm>,
) -> Result<(StatusCode, Json<Message>)> {
    open(&app)?;
    queries::register(&app, form).await?;
    let message = "An e-mail is on its way to you. Please open the link in it within 7 days.";
    Ok((StatusCode::ACCEPTED, Json(Message { message: message.into() })))
}

/// The registration of a link
#[utoipa::path(post, path = "/api/account/register/link", operation_id = "registrationLink", tag = "account",
    request_body = RegistrationLinkRequest,
    responses((status = 200, body = RegistrationLink), (status = 409, description = "Already used, or expired")))]
async fn registration_link(
    State(app): State<App>,
    Body(body): Body<RegistrationLinkRequest>,
) -> Result<Json<RegistrationLink>> {
    open(&app)?;
    let (_, form) = queries::find(&app, &body.token).await?;
    let shortest = rules::owner(&form, app.config.requires_second_factor()).shortest();
    let organization = form.name.to_string();
    Ok(Json(RegistrationLink { organization, user_name: form.user_name.to_string(), shortest }))
}

/// Opens the account of a practice that registered, with the password of its administrator
#[utoipa::path(post, path = "/api/account/register/confirm", operation_id = "confirmRegistration", tag = "account",
    request_body = ConfirmRegistrationRequest,
    responses((status = 200, body = Registered), (status = 409, description = "Already used, or expired")))]
async fn confirm_registration(
    State(app): State<App>,
    peer: Peer,
    Body(body): Body<ConfirmRegistrationRequest>,
) -> Result<Json<Registered>> {
    open(&app)?;
    let user_name = queries::confirm(&app, &body.token, body.password.into(), &ip(&peer)).await?;
    Ok(Json(Registered { user_name }))
}
