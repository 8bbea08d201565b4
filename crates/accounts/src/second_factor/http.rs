//! `/api/account/secondfactor…`, `/api/account/passkeys…`, and the second step under `/api/users`

use super::{
    by_mail,
    own::{self, IdentityProof},
};
use crate::factors::totp;
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SIGNED_IN,
    api::Api,
    http::{Body, Id, Params},
    secret::Secret,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SIGNED_IN, routes!(second_factor))
        .route(SIGNED_IN, routes!(start_authenticator))
        .route(SIGNED_IN, routes!(confirm_authenticator))
        .route(SIGNED_IN, routes!(remove_authenticator))
        .route(SIGNED_IN, routes!(set_email_codes))
        .route(SIGNED_IN, routes!(renew_recovery_codes))
        .route(SIGNED_IN, routes!(start_passkey))
        .route(SIGNED_IN, routes!(add_passkey))
        .route(SIGNED_IN, routes!(rename_passkey))
        .route(SIGNED_IN, routes!(remove_passkey))
        .route(SIGNED_IN, routes!(reset_authenticators))
        .route(SIGNED_IN, routes!(send_confirmation_code, request_confirmation_code))
        .route(SIGNED_IN, routes!(verify_confirmation_code))
        .route(SIGNED_IN, routes!(enable_email_codes))
        .route(SIGNED_IN, routes!(begin_token_authentication, enable_token_authentication))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyView {
    pub id: Uuid,
    pub name: String,
    pub created_at: DateTime<Utc>,
    pub last_used_at: Option<DateTime<Utc>>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondFactor {
    /// Whether the installation or an organization requires a second step.
    pub is_required: bool,
    pub has_authenticator: bool,
    pub authenticator_since: Option<DateTime<Utc>>,
    pub email_codes: bool,
    /// Address of e-mailed codes; none if no e-mail can be sent.
    pub email_address: Option<String>,
    pub passkeys: Vec<PasskeyView>,
    pub passkeys_available: bool,
    /// Number of unused codes.
    pub recovery_codes: u64,
}

/// The caller's second factors
#[utoipa::path(get, path = "/api/account/secondfactor", operation_id = "secondFactor", tag = "account",
    responses((status = 200, body = SecondFactor)))]
async fn second_factor(State(app): State<App>, caller: Caller) -> Result<Json<SecondFactor>> {
    let status = own::status(&app, &caller).await?;
    let factors = status.factors;
    let view = |key: store::entities::passkey::Model| PasskeyView {
        id: key.id,
        name: key.name,
        created_at: key.created_at,
        last_used_at: key.last_used_at,
    };
    Ok(Json(SecondFactor {
        is_required: status.is_required,
        has_authenticator: factors.app.is_some(),
        authenticator_since: factors.app.and_then(|a| a.confirmed_at),
        email_codes: factors.email_codes,
        email_address: status.email_address,
        passkeys: factors.passkeys.into_iter().map(view).collect(),
        passkeys_available: status.passkeys_available,
        recovery_codes: factors.recovery_codes,
    }))
}

/// The caller's password, asked for again.
#[derive(Deserialize, ToSchema)]
pub struct PasswordAgain {
    #[serde(default)]
    pub password: Secret,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthenticatorSetup {
    /// Send it back with the first code.
    pub challenge: Secret,
    /// For manual entry in the app.
    pub secret: Secret,
    pub uri: Secret,
    /// The same as a picture.
    pub qr_svg: Secret,
}

impl AuthenticatorSetup {
    fn new(challenge: String, setup: totp::Setup) -> Self {
        Self {
            challenge: challenge.into(),
            secret: setup.secret.into(),
            uri: setup.uri.into(),
            qr_svg: setup.qr_svg.into(),
        }
    }
}

/// Recovery codes, shown only this once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodes {
    /// Empty if the caller already has some.
    pub recovery_codes: Vec<Secret>,
}

impl From<Vec<String>> for RecoveryCodes {
    fn from(codes: Vec<String>) -> Self {
        Self { recovery_codes: codes.into_iter().map(Secret::from).collect() }
    }
}

/// Begins the setup of an authenticator app
#[utoipa::path(post, path = "/api/account/secondfactor/authenticator", operation_id = "startAuthenticator",
    tag = "account", request_body = PasswordAgain, responses((status = 200, body = AuthenticatorSetup)))]
async fn start_authenticator(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<PasswordAgain>,
) -> Result<Json<AuthenticatorSetup>> {
    let (challenge, setup) = own::start_app(&app, &caller, body.password.into()).await?;
    Ok(Json(AuthenticatorSetup::new(challenge, setup)))
}

#[derive(Deserialize, ToSchema)]
pub struct ConfirmAuthenticatorRequest {
    #[serde(default)]
    pub challenge: Secret,
    /// The first code of the app.
    #[serde(default)]
    pub code: Secret,
}

/// Activates an authenticator app with its first code
#[utoipa::path(post, path = "/api/account/secondfactor/authenticator/confirm", operation_id = "confirmAuthenticator",
    tag = "account", request_body = ConfirmAuthenticatorRequest, responses((status = 200, body = RecoveryCodes)))]
async fn confirm_authenticator(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<ConfirmAuthenticatorRequest>,
) -> Result<Json<RecoveryCodes>> {
    let recovery_codes = own::confirm_app(&app, &caller, &body.challenge, &body.code).await?;
    Ok(Json(recovery_codes.into()))
}

/// Removes the authenticator app
#[utoipa::path(post, path = "/api/account/secondfactor/authenticator/remove", operation_id = "removeAuthenticator",
    tag = "account", request_body = PasswordAgain, responses((status = 204)))]
async fn remove_authenticator(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<PasswordAgain>,
) -> Result<StatusCode> {
    own::remove_app(&app, &caller, body.password.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
pub struct EmailCodesRequest {
    #[serde(default)]
    pub password: Secret,
    pub on: bool,
}

/// Switches e-mailed codes on or off
#[utoipa::path(put, path = "/api/account/secondfactor/email", operation_id = "setEmailCodes", tag = "account",
    request_body = EmailCodesRequest,
    responses((status = 200, body = RecoveryCodes), (status = 409, description = "No e-mail can be sent")))]
async fn set_email_codes(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<EmailCodesRequest>,
) -> Result<Json<RecoveryCodes>> {
    let recovery_codes = own::set_email_codes(&app, &caller, body.password.into(), body.on).await?;
    Ok(Json(recovery_codes.into()))
}

/// Creates new recovery codes, which replace the old ones
#[utoipa::path(post, path = "/api/account/secondfactor/recoverycodes", operation_id = "renewRecoveryCodes",
    tag = "account", request_body = PasswordAgain, responses((status = 200, body = RecoveryCodes)))]
async fn renew_recovery_codes(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<PasswordAgain>,
) -> Result<Json<RecoveryCodes>> {
    let recovery_codes = own::renew_recovery_codes(&app, &caller, body.password.into()).await?;
    Ok(Json(recovery_codes.into()))
}

/// Options for the browser's passkey.
#[derive(Serialize, ToSchema)]
pub struct PasskeyQuestion {
    /// Send it back with the answer.
    pub challenge: Secret,
    /// Options of the standard (WebAuthn), in its JSON form.
    #[schema(value_type = Object)]
    pub options: Value,
}

/// Begins to add a passkey
#[utoipa::path(post, path = "/api/account/passkeys/options", operation_id = "startPasskey", tag = "account",
    request_body = PasswordAgain, responses((status = 200, body = PasskeyQuestion)))]
async fn start_passkey(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<PasswordAgain>,
) -> Result<Json<PasskeyQuestion>> {
    let (challenge, options) = own::start_passkey(&app, &caller, body.password.into()).await?;
    Ok(Json(PasskeyQuestion { challenge: challenge.into(), options }))
}

#[derive(Deserialize, ToSchema)]
pub struct AddPasskeyRequest {
    #[serde(default)]
    pub challenge: Secret,
    #[serde(default)]
    pub name: String,
    /// The browser's answer, in the standard's JSON form.
    #[schema(value_type = Object)]
    pub credential: Value,
}

/// Stores a passkey created by the browser
#[utoipa::path(post, path = "/api/account/passkeys", operation_id = "addPasskey", tag = "account",
    request_body = AddPasskeyRequest, responses((status = 200, body = RecoveryCodes)))]
async fn add_passkey(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<AddPasskeyRequest>,
) -> Result<Json<RecoveryCodes>> {
    let recovery_codes =
        own::add_passkey(&app, &caller, &body.challenge, &body.name, body.credential).await?;
    Ok(Json(recovery_codes.into()))
}

#[derive(Deserialize, ToSchema)]
pub struct RenamePasskeyRequest {
    #[serde(default)]
    pub password: Secret,
    #[serde(default)]
    pub name: String,
}

/// Renames a passkey
#[utoipa::path(put, path = "/api/account/passkeys/{id}", operation_id = "renamePasskey", tag = "account",
    params(("id" = Uuid, Path)), request_body = RenamePasskeyRequest, responses((status = 204)))]
async fn rename_passkey(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<RenamePasskeyRequest>,
) -> Result<StatusCode> {
    own::rename_passkey(&app, &caller, id, body.password.into(), &body.name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a passkey
#[utoipa::path(post, path = "/api/account/passkeys/{id}/remove", operation_id = "removePasskey", tag = "account",
    params(("id" = Uuid, Path)), request_body = PasswordAgain, responses((status = 204)))]
async fn remove_passkey(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<PasswordAgain>,
) -> Result<StatusCode> {
    own::remove_passkey(&app, &caller, id, body.password.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct ResetParams {
    /// How the caller made sure who is asking.
    #[param(inline)]
    pub identity_proof: Option<IdentityProof>,
}

/// Removes all second factors of a user, and ends their sessions
#[utoipa::path(delete, path = "/api/users/{id}/authenticators", operation_id = "resetAuthenticators", tag = "users",
    params(("id" = Uuid, Path), ResetParams), responses((status = 204)))]
async fn reset_authenticators(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(params): Params<ResetParams>,
) -> Result<StatusCode> {
    own::reset(&app, &caller, id, params.identity_proof).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delivery of a code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
pub enum CodeMethod {
    #[default]
    Email,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SendCodeParams {
    /// E-mail is the only method.
    #[param(inline)]
    #[serde(default)]
    method: CodeMethod,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct CodeParams {
    /// The e-mailed code.
    #[serde(default)]
    code: String,
}

#[derive(Deserialize, ToSchema)]
pub struct CodeRequest {
    #[serde(default)]
    pub code: Secret,
}

/// Refuses other users: everybody sets up their own second step.
fn only_oneself(caller: &Caller, id: Uuid) -> Result<()> {
    if id == caller.user_id { Ok(()) } else { Err(Error::NotFound) }
}

/// Sends the caller a code that confirms a change of the second step
///
/// Although a GET, it changes state, because other systems call it this way. The `POST` beside it does the same.
#[utoipa::path(get, path = "/api/users/{id}/sendcode", operation_id = "sendConfirmationCode", tag = "users",
    params(("id" = Uuid, Path), SendCodeParams),
    responses((status = 202), (status = 409, description = "No e-mail can be sent")))]
async fn send_confirmation_code(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(params): Params<SendCodeParams>,
) -> Result<StatusCode> {
    only_oneself(&caller, id)?;
    let CodeMethod::Email = params.method;
    by_mail::send(&app, &caller).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Sends the caller a code by e-mail that confirms a change of the second step
#[utoipa::path(post, path = "/api/users/{id}/sendcode", operation_id = "requestConfirmationCode", tag = "users",
    params(("id" = Uuid, Path)), responses((status = 202), (status = 409, description = "No e-mail can be sent")))]
async fn request_confirmation_code(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    only_oneself(&caller, id)?;
    by_mail::send(&app, &caller).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Checks a code. Five wrong ones end it
#[utoipa::path(post, path = "/api/users/{id}/verifycode", operation_id = "verifyConfirmationCode", tag = "users",
    params(("id" = Uuid, Path)), request_body = CodeRequest, responses((status = 204)))]
async fn verify_confirmation_code(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<CodeRequest>,
) -> Result<StatusCode> {
    only_oneself(&caller, id)?;
    by_mail::check(&app, &caller, &body.code).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Switches e-mailed codes on for the caller's sign-in
///
/// Although a GET, it changes state, because other systems call it this way: without the code, which works once, it
/// does nothing. `PUT /api/account/secondfactor/email` takes the password instead.
#[utoipa::path(get, path = "/api/users/{id}/enabletfa", operation_id = "enableEmailCodes", tag = "users",
    params(("id" = Uuid, Path), CodeParams), responses((status = 200, body = RecoveryCodes)))]
async fn enable_email_codes(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(params): Params<CodeParams>,
) -> Result<Json<RecoveryCodes>> {
    only_oneself(&caller, id)?;
    Ok(Json(by_mail::enable_codes(&app, &caller, &params.code).await?.into()))
}

/// Begins the setup of an authenticator app, confirmed by an e-mailed code
///
/// Although a GET, it changes state, because other systems call it this way: without the code, which works once, it
/// does nothing. `POST /api/account/secondfactor/authenticator` takes the password instead.
#[utoipa::path(get, path = "/api/users/enabletokenauth", operation_id = "beginTokenAuthentication", tag = "users",
    params(CodeParams), responses((status = 200, body = AuthenticatorSetup)))]
async fn begin_token_authentication(
    State(app): State<App>,
    caller: Caller,
    Params(params): Params<CodeParams>,
) -> Result<Json<AuthenticatorSetup>> {
    let (challenge, setup) = by_mail::start_app(&app, &caller, &params.code).await?;
    Ok(Json(AuthenticatorSetup::new(challenge, setup)))
}

/// Activates an authenticator app with its first code
#[utoipa::path(post, path = "/api/users/enabletokenauth", operation_id = "enableTokenAuthentication", tag = "users",
    request_body = ConfirmAuthenticatorRequest, responses((status = 200, body = RecoveryCodes)))]
async fn enable_token_authentication(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<ConfirmAuthenticatorRequest>,
) -> Result<Json<RecoveryCodes>> {
    let recovery_codes = own::confirm_app(&app, &caller, &body.challenge, &body.code).await?;
    Ok(Json(recovery_codes.into()))
}
