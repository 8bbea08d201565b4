//! Database access during sign-in by single sign-on.

use super::{
    connections,
    provider::{Failure, Person, Provider},
    rules,
};
use crate::{
    challenges::{self, ENDED, Purpose},
    factors, person,
    sign_in::{
        connection::is_unchanged,
        queries::{Browser, FirstFactor, Shown, SignIn, finish, go_on},
    },
};
use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
    secret::token_hash,
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait, SelectExt,
    sea_query::{Expr, ExprTrait, Func},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    Transaction,
    entities::{app_user, membership, sso_connection, sso_identity},
};
use url::Url;
use uuid::Uuid;

const NO_CONNECTION: &str =
    "There is no single sign-on with this name. Please check the address, or sign in with your password.";
const NO_ANSWER: &str = "The sign-in provider of your organization does not answer. Please try again.";
const UNBELIEVABLE: &str = "The answer of the sign-in provider could not be verified. Please try again.";
const DECLINED: &str = "The sign-in provider did not sign you in.";
const NO_ADDRESS: &str = "The sign-in provider has not confirmed your e-mail address, so your account could not be found. Please ask an administrator of your organization.";
const NO_ACCOUNT: &str =
    "There is no account for you in this organization. Please ask one of its administrators.";
const MANY_ACCOUNTS: &str = "More than one account of this organization has your e-mail address. Please ask one of its administrators.";
const TOO_OLD: &str = "Your sign-in at the provider is too old. Please sign out there and sign in again.";
const OTHER_PERSON: &str = "At the sign-in provider, your e-mail address belongs to a different person than the account here. Please ask one of the administrators of your organization.";

/// The provider's answer, from the browser.
pub struct Returned {
    /// The organization of the redirect address.
    pub organization: String,
    pub state: String,
    pub code: Option<String>,
    pub issuer: Option<String>,
}

/// State stored while the user is at the provider.
#[derive(Serialize, Deserialize)]
struct Waiting {
    connection_id: Uuid,
    nonce: String,
    /// PKCE verifier.
    verifier: String,
    /// Hash of the cookie of the browser that began the sign-in.
    browser: Vec<u8>,
}

/// The connection with a name, if users may sign in by it.
async fn open_connection(app: &App, name: &str) -> Result<sso_connection::Model> {
    let refused = || Error::SignInRefused(NO_CONNECTION.into());
    let name = rules::connection_name(name).ok_or_else(refused)?;
    let db = app.store.db();
    let named = sso_connection::Entity::find().filter(sso_connection::Column::Name.eq(name));
    let found = named.one(db).await?.filter(|c| c.is_enabled).ok_or_else(refused)?;
    match connections::require_feature(db, found.organization_id).await {
        Err(Error::Forbidden) => Err(refused()),
        other => other.map(|()| found),
    }
}

/// The address at the provider to which the browser with this cookie is sent.
pub async fn begin(app: &App, name: &str, browser: &str) -> Result<Url> {
    let connection = open_connection(app, name).await?;
    let registered = connections::registered(app, &connection).await?;
    let provider = Provider::discover(app, &registered).await?;
    let provider = provider.map_err(|_| Error::SignInRefused(NO_ANSWER.into()))?;
    let state = platform::secret::random_token();
    let question = provider.ask(&state, &connection);
    let waiting = Waiting {
        connection_id: connection.id,
        nonce: question.nonce,
        verifier: question.verifier,
        browser: token_hash(browser),
    };
    let waiting = serde_json::to_string(&waiting).map_err(Error::internal)?;
    challenges::begin_as(app, app.store.db(), &state, Purpose::SingleSignOn, None, Some(waiting)).await?;
    Ok(question.address)
}

/// Opens a session for the user named by the provider, or asks for the second step. An answer is accepted once, only
/// from the browser that asked.
pub async fn complete(app: &App, back: Returned, cookie: Option<&str>, browser: Browser) -> Result<SignIn> {
    let ended = || Error::SignInRefused(ENDED.into());
    let db = app.store.db();
    let challenge = challenges::find(app, db, &back.state, Purpose::SingleSignOn).await?;
    let waiting: Waiting = serde_json::from_str(challenge.state.as_deref().unwrap_or_default())
        .map_err(|_| Error::internal("a single sign-on without state"))?;
    if cookie.map(token_hash).as_deref() != Some(&waiting.browser) {
        return Err(ended());
    }
    if !challenges::end(db, challenge.id).await? {
        return Err(ended());
    }
    let connection = sso_connection::Entity::find_by_id(waiting.connection_id).one(db).await?;
    let connection = connection.ok_or_else(ended)?;
    if Uuid::parse_str(&back.organization) != Ok(connection.organization_id) {
        tracing::warn!(
            connection = connection.name,
            "an answer arrived at the redirect address of another provider"
        );
        return refuse(app, &connection, &browser, UNBELIEVABLE).await;
    }
    // It may have been switched off meanwhile.
    let connection = open_connection(app, &connection.name).await?;
    let Some(code) = back.code else { return refuse(app, &connection, &browser, DECLINED).await };
    let registered = connections::registered(app, &connection).await?;
    let person = match Provider::discover(app, &registered).await? {
        Err(failure) => Err(failure),
        Ok(provider) => provider.person(code, back.issuer.as_deref(), waiting.nonce, waiting.verifier).await,
    };
    match person {
        Ok(person) if rules::is_subject(&person.subject) => enter(app, &connection, &person, browser).await,
        Ok(_) => refuse(app, &connection, &browser, UNBELIEVABLE).await,
        Err(Failure::Unreachable) => Err(Error::SignInRefused(NO_ANSWER.into())),
        Err(Failure::Unbelievable(why)) => {
            tracing::warn!(connection = connection.name, why, "a sign-in provider's answer was refused");
            refuse(app, &connection, &browser, UNBELIEVABLE).await
        }
    }
}

async fn enter(
    app: &App,
    connection: &sso_connection::Model,
    person: &Person,
    browser: Browser,
) -> Result<SignIn> {
    let txn = app.store.begin().await?;
    let found = if is_unchanged(&txn, connection).await? {
        account(app, &txn, connection, person, &browser).await?
    } else {
        Err(ENDED)
    };
    // Locks by wrong passwords do not apply to single sign-on.
    let user = match found {
        Ok(user) => user,
        Err(why) => {
            drop(txn);
            return refuse(app, connection, &browser, why).await;
        }
    };
    admit(app, txn, connection, person, &user, browser).await
}

/// Skips the second step if the provider recently checked several factors. If that was too long ago and no second
/// step is needed, the user has to sign in at the provider again.
async fn admit(
    app: &App,
    txn: Transaction,
    connection: &sso_connection::Model,
    person: &Person,
    user: &app_user::Model,
    browser: Browser,
) -> Result<SignIn> {
    let first = FirstFactor::Provider(connection);
    let is_recent = person.evidence.is_recent(connection);
    if is_recent && person.evidence.is_strong(connection) {
        return Ok(SignIn::Done(finish(app, txn, user, browser, Shown::only(first)).await?));
    }
    if !is_recent && !factors::is_asked_for(app, &txn, user).await? {
        drop(txn);
        return refuse(app, connection, &browser, TOO_OLD).await;
    }
    go_on(app, txn, user, browser, first).await
}

/// The account of a person: the linked one, else the one in the connection's organization with their verified
/// address, which is linked now. An account has one link per connection.
async fn account(
    app: &App,
    txn: &Transaction,
    connection: &sso_connection::Model,
    person: &Person,
    browser: &Browser,
) -> Result<Result<app_user::Model, &'static str>> {
    let (now, subject) = (app.clock.now(), person.subject.clone());
    let known = sso_identity::Entity::find_by_id((connection.id, subject.clone())).one(txn).await?;
    if let Some(known) = known {
        let row = sso_identity::ActiveModel { last_used_at: Set(now), ..known.clone().into() };
        row.update(txn).await?;
        let user = person::locked(txn, known.user_id).await?.filter(|u| !u.is_disabled);
        let place =
            membership::Entity::find_by_id((known.user_id, connection.organization_id)).one(txn).await?;
        return Ok(user.filter(|_| place.is_some_and(|p| !p.is_disabled)).ok_or(NO_ACCOUNT));
    }
    let Some(address) = rules::verified_address(person) else { return Ok(Err(NO_ADDRESS)) };
    let mut found = people_with(txn, connection.organization_id, &address).await?.into_iter();
    let user = match (found.next(), found.next()) {
        (Some(id), None) => person::locked(txn, id).await?,
        (None, _) => None,
        (Some(_), Some(_)) => return Ok(Err(MANY_ACCOUNTS)),
    };
    let Some(user) = user.filter(|u| !u.is_disabled) else { return Ok(Err(NO_ACCOUNT)) };
    // Addresses are given to other people when somebody leaves.
    let of_user = sso_identity::Column::UserId.eq(user.id);
    let linked = sso_identity::Entity::find().filter(sso_identity::Column::ConnectionId.eq(connection.id));
    if linked.filter(of_user).exists(txn).await? {
        return Ok(Err(OTHER_PERSON));
    }
    let row = sso_identity::ActiveModel {
        connection_id: Set(connection.id),
        subject: Set(subject),
        user_id: Set(user.id),
        created_at: Set(now),
        last_used_at: Set(now),
    };
    sso_identity::Entity::insert(row).exec_without_returning(txn).await?;
    let actor = person::actor(&user, Some(connection.organization_id), &browser.source_ip);
    let act = Act::new(event::SSO_LINKED, "user", user.id).detail(json!({ "connection": connection.name }));
    audit::record(app, txn, &actor, act).await?;
    Ok(Ok(user))
}

/// The members of an organization with an e-mail address; at most two.
async fn people_with(db: &impl ConnectionTrait, organization_id: Uuid, address: &str) -> Result<Vec<Uuid>> {
    let members = membership::Entity::find()
        .select_only()
        .column(membership::Column::UserId)
        .filter(membership::Column::OrganizationId.eq(organization_id))
        .filter(membership::Column::IsDisabled.eq(false))
        .into_query();
    let ids = app_user::Entity::find()
        .select_only()
        .column(app_user::Column::Id)
        .filter(app_user::Column::Id.in_subquery(members))
        .filter(Expr::expr(Func::lower(Expr::col(app_user::Column::Email))).eq(address))
        .filter(app_user::Column::IsDisabled.eq(false))
        .limit(2)
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids)
}

/// Refuses a sign-in, and audits it in the provider's organization.
async fn refuse<T>(
    app: &App,
    connection: &sso_connection::Model,
    browser: &Browser,
    text: &'static str,
) -> Result<T> {
    let txn = app.store.begin().await?;
    let actor = Actor {
        organization_id: Some(connection.organization_id),
        source_ip: browser.source_ip.clone(),
        ..Actor::default()
    };
    let act = Act::new(event::SIGN_IN_FAILED, "organization", connection.organization_id)
        .detail(json!({ "connection": connection.name, "why": text }))
        .failed();
    audit::record(app, &txn, &actor, act).await?;
    txn.commit().await?;
    Err(Error::SignInRefused(text.into()))
}
