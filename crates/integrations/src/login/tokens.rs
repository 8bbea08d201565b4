//! Sign-ins in the database: begun, completed, and their sealed tokens.

use crate::{
    ehr::{self, Failure},
    memory, network,
};
use chrono::{DateTime, TimeDelta, Utc};
use fhir::{
    problem::Problem,
    sign_in::{self, Authorization, Token},
};
use platform::{App, Error, Member, Result, secret::token_hash};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter, QueryOrder, QuerySelect, Select, sea_query::Expr,
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use store::{
    Transaction,
    entities::{
        integration,
        integration_login::{ActiveModel, Column, Entity, LoginState, Model},
    },
    keys::DataKey,
};
use url::Url;
use uuid::Uuid;

/// Time to sign in.
pub const LIFETIME: TimeDelta = TimeDelta::minutes(10);
/// How long before its end an access token is renewed.
const MARGIN: TimeDelta = TimeDelta::seconds(30);
/// Retention of a sign-in that can be renewed.
const RENEWABLE: TimeDelta = TimeDelta::days(30);

/// Stored tokens.
#[derive(Serialize, Deserialize)]
struct Stored {
    access: String,
    ends_at: DateTime<Utc>,
    refresh: Option<String>,
}

/// Address to which an EHR sends people back.
pub fn redirect_url(app: &App) -> Result<Url> {
    app.config.http.public_url.join("/integrations/callback").map_err(Error::internal)
}

fn verifier_context(id: Uuid) -> String {
    format!("integration_login.verifier:{id}")
}

fn tokens_context(id: Uuid) -> String {
    format!("integration_login.tokens:{id}")
}

/// The sign-ins of a person at a connection, newest first.
fn of(integration_id: Uuid, user_id: Uuid) -> Select<Entity> {
    Entity::find()
        .filter(Column::IntegrationId.eq(integration_id))
        .filter(Column::UserId.eq(user_id))
        .order_by_desc(Column::Id)
}

fn by_state(state: &str) -> Select<Entity> {
    Entity::find().filter(Column::StateHash.eq(token_hash(state)))
}

/// Notes a begun sign-in, in place of the person's earlier ones that are not completed.
pub async fn begin(
    app: &App,
    member: &Member,
    row: &integration::Model,
    begun: &Authorization,
) -> Result<()> {
    let key = app.keys.data_key(row.organization_id).await?;
    let (id, now) = (Uuid::now_v7(), app.clock.now());
    Entity::delete_many()
        .filter(Column::IntegrationId.eq(row.id))
        .filter(Column::UserId.eq(member.caller.user_id))
        .filter(Column::State.ne(LoginState::SignedIn))
        .exec(app.store.db())
        .await?;
    let login = ActiveModel {
        id: Set(id),
        organization_id: Set(row.organization_id),
        integration_id: Set(row.id),
        user_id: Set(member.caller.user_id),
        state_hash: Set(Some(token_hash(&begun.state))),
        sealed_verifier: Set(Some(key.seal(&verifier_context(id), begun.verifier.as_bytes()))),
        sealed_tokens: Set(None),
        state: Set(LoginState::Begun),
        ends_at: Set(now + LIFETIME),
        created_at: Set(now),
    };
    login.insert(app.store.db()).await?;
    Ok(())
}

/// A begun sign-in that the browser came back with, which cannot be used again.
pub struct Returned {
    pub login: Model,
    pub connection: integration::Model,
    pub verifier: String,
}

/// Takes a begun sign-in by its state, once.
pub async fn take(app: &App, state: &str) -> Result<Option<Returned>> {
    let found = by_state(state).filter(Column::State.eq(LoginState::Begun)).one(app.store.db()).await?;
    let Some(login) = found.filter(|login| login.ends_at > app.clock.now()) else { return Ok(None) };
    let taken = Entity::update_many()
        .col_expr(Column::SealedVerifier, Expr::value(None::<Vec<u8>>))
        .filter(Column::Id.eq(login.id))
        .filter(Column::SealedVerifier.is_not_null())
        .exec(app.store.db())
        .await?;
    let connection = integration::Entity::find_by_id(login.integration_id).one(app.store.db()).await?;
    let (Some(connection), Some(sealed), 1) = (connection, &login.sealed_verifier, taken.rows_affected)
    else {
        return Ok(None);
    };
    let key = app.keys.data_key(login.organization_id).await?;
    let verifier = key.open(&verifier_context(login.id), sealed)?;
    let verifier = String::from_utf8(verifier).map_err(|_| Error::internal("a verifier is not text"))?;
    Ok(Some(Returned { login, connection, verifier }))
}

/// Notes the outcome of a sign-in.
pub async fn complete(app: &App, login: Model, token: Option<Token>) -> Result<()> {
    let key = app.keys.data_key(login.organization_id).await?;
    let (integration_id, user_id, id) = (login.integration_id, login.user_id, login.id);
    let is_signed_in = token.is_some();
    match token {
        Some(token) => store(app, &key, login, token).await?,
        None => {
            let mut change = login.into_active_model();
            change.state = Set(LoginState::Failed);
            change.update(app.store.db()).await?;
        }
    }
    if is_signed_in {
        let others = Entity::delete_many()
            .filter(Column::IntegrationId.eq(integration_id))
            .filter(Column::UserId.eq(user_id))
            .filter(Column::Id.ne(id));
        others.exec(app.store.db()).await?;
    }
    Ok(())
}

async fn store(app: &App, key: &DataKey, login: Model, token: Token) -> Result<()> {
    let id = login.id;
    let ends_at = match token.refresh {
        Some(_) => app.clock.now() + RENEWABLE,
        None => token.expires_at,
    };
    let stored =
        Stored { access: token.value.expose().to_owned(), ends_at: token.expires_at, refresh: token.refresh };
    let stored = serde_json::to_vec(&stored).map_err(Error::internal)?;
    // The person may have signed out meanwhile.
    Entity::update_many()
        .col_expr(Column::State, Expr::value(LoginState::SignedIn))
        .col_expr(Column::SealedTokens, Expr::value(Some(key.seal(&tokens_context(id), &stored))))
        .col_expr(Column::EndsAt, Expr::value(ends_at))
        .filter(Column::Id.eq(id))
        .exec(app.store.db())
        .await?;
    Ok(())
}

/// State of the sign-in with this `state`, of this person.
pub async fn outcome(db: &impl ConnectionTrait, user_id: Uuid, state: &str) -> Result<Option<LoginState>> {
    let found = by_state(state).filter(Column::UserId.eq(user_id)).one(db).await?;
    Ok(found.map(|login| login.state))
}

/// The connections at which a person is signed in.
pub async fn signed_in(
    db: &impl ConnectionTrait,
    user_id: Uuid,
    connections: impl IntoIterator<Item = Uuid>,
    now: DateTime<Utc>,
) -> Result<HashSet<Uuid>> {
    let rows: Vec<Uuid> = Entity::find()
        .filter(Column::IntegrationId.is_in(connections))
        .filter(Column::UserId.eq(user_id))
        .filter(Column::State.eq(LoginState::SignedIn))
        .filter(Column::EndsAt.gt(now))
        .select_only()
        .column(Column::IntegrationId)
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().collect())
}

/// The completed sign-in of a person at a connection, unless it has ended.
async fn completed(app: &App, row: &integration::Model, user_id: Uuid) -> Result<Option<Model>> {
    let found =
        of(row.id, user_id).filter(Column::State.eq(LoginState::SignedIn)).one(app.store.db()).await?;
    Ok(found.filter(|login| login.ends_at > app.clock.now()))
}

/// The person's access token, renewed if it ends soon; none if the person has to sign in.
pub async fn current(app: &App, row: &integration::Model, user_id: Uuid) -> Result<Option<String>, Failure> {
    let key = app.keys.data_key(row.organization_id).await.map_err(Error::from)?;
    let Some(login) = completed(app, row, user_id).await? else { return Ok(None) };
    if let Some(access) = valid(app, &key, &login)? {
        return Ok(Some(access));
    }
    // A refresh token is often valid once: only one request renews it, and the others take what it got.
    let _renewing = memory::renewal(login.id).lock_owned().await;
    let Some(login) = completed(app, row, user_id).await? else { return Ok(None) };
    if let Some(access) = valid(app, &key, &login)? {
        return Ok(Some(access));
    }
    renew(app, row, &key, login).await
}

/// The stored access token, unless it ends soon.
fn valid(app: &App, key: &DataKey, login: &Model) -> Result<Option<String>> {
    let stored = open(key, login)?.filter(|stored| stored.ends_at > app.clock.now() + MARGIN);
    Ok(stored.map(|stored| stored.access))
}

async fn renew(
    app: &App,
    row: &integration::Model,
    key: &DataKey,
    login: Model,
) -> Result<Option<String>, Failure> {
    let Some(refresh) = open(key, &login)?.and_then(|stored| stored.refresh) else { return Ok(None) };
    match renewed(app, row, &refresh).await {
        Ok(token) => {
            let access = token.value.expose().to_owned();
            let token = Token { refresh: token.refresh.or(Some(refresh)), ..token };
            store(app, key, login, token).await?;
            Ok(Some(access))
        }
        Err(Problem::SignInRefused { .. }) => {
            // Unless another node has renewed it meanwhile.
            let refused = Entity::delete_many()
                .filter(Column::Id.eq(login.id))
                .filter(Column::SealedTokens.eq(login.sealed_tokens));
            refused.exec(app.store.db()).await?;
            Ok(None)
        }
        Err(problem) => Err(Failure::Problem(problem)),
    }
}

/// Ends the access token of a person, which the EHR refused. It is renewed with the next call.
pub async fn expire(app: &App, row: &integration::Model, user_id: Uuid) -> Result<()> {
    let key = app.keys.data_key(row.organization_id).await?;
    let Some(login) = completed(app, row, user_id).await? else { return Ok(()) };
    let Some(stored) = open(&key, &login)? else { return Ok(()) };
    let ended = Stored { ends_at: app.clock.now(), ..stored };
    let sealed = key.seal(&tokens_context(login.id), &serde_json::to_vec(&ended).map_err(Error::internal)?);
    Entity::update_many()
        .col_expr(Column::SealedTokens, Expr::value(Some(sealed)))
        .filter(Column::Id.eq(login.id))
        .filter(Column::SealedTokens.eq(login.sealed_tokens))
        .exec(app.store.db())
        .await?;
    Ok(())
}

/// Removes ended sign-ins of all organizations.
pub async fn sweep(app: &App) -> Result<()> {
    Entity::delete_many().filter(Column::EndsAt.lt(app.clock.now())).exec(app.store.db()).await?;
    Ok(())
}

/// Removes the sign-ins at a connection that leads elsewhere now: tokens are for the EHR that gave them.
pub async fn forget_all(txn: &Transaction, integration_id: Uuid) -> Result<()> {
    Entity::delete_many().filter(Column::IntegrationId.eq(integration_id)).exec(txn).await?;
    Ok(())
}

async fn renewed(app: &App, row: &integration::Model, refresh: &str) -> Result<Token, Problem> {
    let http = network::client(app, row.organization_id).map_err(|_| Problem::Unreachable)?;
    let discovered = sign_in::discover(&http, &row.settings.base_url).await?;
    sign_in::refresh(&http, &discovered, &row.settings.client_id, refresh, app.clock.now()).await
}

fn open(key: &DataKey, login: &Model) -> Result<Option<Stored>> {
    let Some(sealed) = &login.sealed_tokens else { return Ok(None) };
    let stored = key.open(&tokens_context(login.id), sealed)?;
    serde_json::from_slice(&stored).map(Some).map_err(Error::internal)
}

/// Forgets a person's sign-ins at a connection; returns their tokens, to be revoked at the EHR.
pub async fn forget(app: &App, row: &integration::Model, user_id: Uuid) -> Result<Vec<String>> {
    let key = app.keys.data_key(row.organization_id).await?;
    let logins = of(row.id, user_id).all(app.store.db()).await?;
    let mut tokens = Vec::new();
    for login in &logins {
        if let Some(stored) = open(&key, login)? {
            tokens.push(stored.refresh.unwrap_or(stored.access));
        }
    }
    Entity::delete_many()
        .filter(Column::IntegrationId.eq(row.id))
        .filter(Column::UserId.eq(user_id))
        .exec(app.store.db())
        .await?;
    Ok(tokens)
}

/// The scopes, and the address to sign in.
pub async fn authorization(app: &App, row: &integration::Model) -> Result<Authorization, Failure> {
    let http =
        network::client(app, row.organization_id).map_err(|_| Failure::Problem(Problem::Unreachable))?;
    let base = &row.settings.base_url;
    let discovered = sign_in::discover(&http, base).await.map_err(Failure::Problem)?;
    let redirect = redirect_url(app)?;
    sign_in::authorization(&discovered, &row.settings.client_id, redirect.as_str(), &ehr::scopes(row), base)
        .map_err(Failure::Problem)
}
