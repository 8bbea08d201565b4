//! `/api/setup`

use super::{
    operator::{self, NewOperator},
    steps::{self, SetupStep, SetupStepName},
};
use accounts::{
    peer::Peer,
    sign_in::http::{AccessToken, answer, browser},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use platform::{
    App, Caller, Error, Result,
    access::{PUBLIC, SYSADMINS},
    api::Api,
    audit::{self, Act, Actor, event},
    http::{Body, Id},
    secret::Secret,
    text::{EmailAddress, Format, Rule},
};
use sea_orm::EntityTrait;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::entities::app_user;
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(setup))
        .route(SYSADMINS, routes!(test_setup))
        .route(PUBLIC, routes!(check_setup_link))
        .route(PUBLIC, routes!(create_first_operator))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Setup {
    pub steps: Vec<SetupStep>,
    /// Location of the settings; empty if the server was started without a file.
    pub config_file: String,
}

/// The steps of setting up the installation, and their state
#[utoipa::path(get, path = "/api/setup", operation_id = "setup", tag = "setup",
    responses((status = 200, body = Setup)))]
async fn setup(State(app): State<App>) -> Result<Json<Setup>> {
    let steps = steps::all(&app).await.map_err(Error::internal)?;
    let config_file = app.config.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    Ok(Json(Setup { steps, config_file }))
}

/// Tests a step
///
/// A test of the mail server sends an e-mail to the caller.
#[utoipa::path(post, path = "/api/setup/{step}/test", operation_id = "testSetup", tag = "setup",
    params(("step" = SetupStepName, Path)), responses((status = 200, body = SetupStep)))]
async fn test_setup(
    State(app): State<App>,
    caller: Caller,
    Id(step): Id<SetupStepName>,
) -> Result<Json<SetupStep>> {
    let user =
        app_user::Entity::find_by_id(caller.user_id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    steps::test(&app, step, &user.email).await.map_err(Error::internal)?;
    let txn = app.store.begin().await?;
    let act = Act::new(event::CHANGED, "setup", format!("{step:?}")).detail(json!({ "tested": true }));
    audit::record(&app, &txn, &Actor::platform(&caller), act).await?;
    txn.commit().await?;
    Ok(Json(steps::step(&app, step).await.map_err(Error::internal)?))
}

platform::text! {
    /// The token from the fragment of the link.
    pub SetupToken = Rule::line(1, 100).format(Format::Secret);
    pub OperatorName = Rule::line(1, 100);
}

#[derive(Deserialize, ToSchema)]
pub struct SetupLink {
    pub token: SetupToken,
}

/// Checks the link of the first operator
#[utoipa::path(post, path = "/api/setup/link", operation_id = "checkSetupLink", tag = "setup",
    request_body = SetupLink,
    responses((status = 204), (status = 409, description = "Used, outdated, or there is already an operator")))]
async fn check_setup_link(State(app): State<App>, Body(link): Body<SetupLink>) -> Result<StatusCode> {
    operator::check(&app, &link.token).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FirstOperator {
    pub token: SetupToken,
    /// Also the user name.
    pub email: EmailAddress,
    pub first_name: OperatorName,
    pub last_name: OperatorName,
    /// At least 15 characters.
    pub password: Secret,
}

/// Creates the account of the first operator, and signs them in
#[utoipa::path(post, path = "/api/setup/operator", operation_id = "createFirstOperator", tag = "setup",
    request_body = FirstOperator,
    responses((status = 200, body = AccessToken), (status = 409, description = "The link does not work")))]
async fn create_first_operator(
    State(app): State<App>,
    peer: Peer,
    headers: HeaderMap,
    Body(form): Body<FirstOperator>,
) -> Result<Response> {
    let new = NewOperator {
        user_name: form.email.to_string(),
        email: form.email.into(),
        first_name: form.first_name.into(),
        last_name: form.last_name.into(),
        password: form.password.into(),
    };
    let tokens = operator::create_first(&app, &form.token, new, browser(&app, &peer, &headers)).await?;
    Ok(answer(&app, tokens))
}
