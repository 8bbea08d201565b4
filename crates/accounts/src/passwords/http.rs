//! `/api/account/password…`, `/api/users/resetpassword`, `/api/users/resendinvitation`

use super::{queries, rules::ANSWER_AFTER};
use crate::{
    links::{self, Purpose},
    peer::{Peer, ip},
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result, Role,
    access::{PUBLIC, SIGNED_IN},
    api::Api,
    http::{Body, Message},
    secret::Secret,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Roles that manage users: of their organization, or of all.
pub const MANAGERS: &[Role] = &[Role::Admin, Role::SysAdmin];

pub fn api() -> Api {
    Api::new()
        .route(PUBLIC, routes!(forgot_password))
        .route(PUBLIC, routes!(check_link))
        .route(PUBLIC, routes!(set_password))
        .route(SIGNED_IN, routes!(change_password))
        .route(MANAGERS, routes!(reset_password))
        .route(MANAGERS, routes!(resend_invitation))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForgotRequest {
    #[serde(default)]
    pub user_name: String,
}

/// Sends a link to a new password, if the account exists
#[utoipa::path(post, path = "/api/account/password/forgot", operation_id = "forgotPassword", tag = "account",
    request_body = ForgotRequest, responses((status = 200, body = Message)))]
async fn forgot_password(
    State(app): State<App>,
    peer: Peer,
    Body(body): Body<ForgotRequest>,
) -> Result<Json<Message>> {
    if body.user_name.trim().is_empty() || body.user_name.len() > 1024 {
        return Err(Error::field("userName", "User name is required."));
    }
    let answer_at = tokio::time::Instant::now() + ANSWER_AFTER;
    let sent = queries::forgot(&app, &body.user_name, &ip(&peer)).await;
    tokio::time::sleep_until(answer_at).await;
    sent?;
    let message = "If there is an account with this user name, an e-mail is on its way to it.";
    Ok(Json(Message { message: message.into() }))
}

#[derive(Deserialize, ToSchema)]
pub struct LinkRequest {
    /// The token from the fragment of the link.
    #[serde(default)]
    pub token: Secret,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkState {
    pub purpose: Purpose,
    pub user_name: String,
    /// Minimum length of the password, in characters.
    pub shortest: usize,
}

/// Describes a link
#[utoipa::path(post, path = "/api/account/password/link", operation_id = "checkPasswordLink", tag = "account",
    request_body = LinkRequest,
    responses((status = 200, body = LinkState), (status = 409, description = "Already used, or expired")))]
async fn check_link(State(app): State<App>, Body(body): Body<LinkRequest>) -> Result<Json<LinkState>> {
    let (_, purpose, user) = links::find(&app, app.store.db(), &body.token).await?;
    let shortest = queries::owner(&app, &user).await?.shortest();
    Ok(Json(LinkState { purpose, user_name: user.user_name, shortest }))
}

#[derive(Deserialize, ToSchema)]
pub struct SetPasswordRequest {
    #[serde(default)]
    pub token: Secret,
    /// Not limited by the type: the rules allow 1,024 characters and return a clear error.
    #[serde(default)]
    pub password: Secret,
}

/// Sets the password with an e-mailed link, and ends all sessions
#[utoipa::path(post, path = "/api/account/password/set", operation_id = "setPassword", tag = "account",
    request_body = SetPasswordRequest,
    responses((status = 204), (status = 409, description = "The link was used or has expired")))]
async fn set_password(
    State(app): State<App>,
    peer: Peer,
    Body(body): Body<SetPasswordRequest>,
) -> Result<StatusCode> {
    queries::set_by_link(&app, &body.token, body.password.into(), &ip(&peer)).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangePasswordRequest {
    #[serde(default)]
    pub old_password: Secret,
    /// Not limited by the type: the rules allow 1,024 characters and return a clear error.
    #[serde(default)]
    pub password: Secret,
}

/// Changes the caller's own password and ends their other sessions
#[utoipa::path(post, path = "/api/account/password", operation_id = "changePassword", tag = "account",
    request_body = ChangePasswordRequest, responses((status = 204)))]
async fn change_password(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<ChangePasswordRequest>,
) -> Result<StatusCode> {
    queries::change_own(&app, &caller, body.old_password.into(), body.password.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
pub struct ResetPasswordRequest {
    pub id: Uuid,
}

/// Sends a user the link to a new password
#[utoipa::path(post, path = "/api/users/resetpassword", operation_id = "resetPassword", tag = "users",
    request_body = ResetPasswordRequest,
    responses((status = 200, body = Message), (status = 409, description = "No e-mail can be sent")))]
async fn reset_password(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<ResetPasswordRequest>,
) -> Result<Json<Message>> {
    queries::send_reset(&app, &caller, body.id).await?;
    Ok(Json(Message { message: "A link to a new password has been sent.".into() }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResendInvitationRequest {
    pub id: Uuid,
    #[serde(default)]
    pub user_name: String,
}

/// Sends a user the invitation again
#[utoipa::path(post, path = "/api/users/resendinvitation", operation_id = "resendInvitation", tag = "users",
    request_body = ResendInvitationRequest,
    responses((status = 200, body = Message), (status = 409, description = "Already accepted, or no e-mail can be sent")))]
async fn resend_invitation(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<ResendInvitationRequest>,
) -> Result<Json<Message>> {
    queries::resend_invitation(&app, &caller, body.id, &body.user_name).await?;
    Ok(Json(Message { message: "The invitation has been sent again.".into() }))
}
