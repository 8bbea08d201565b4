//! Database access of sign-in.

use super::rules::{self, Renewal};
use crate::{
    challenges,
    factors::{self, Method},
    lockout::{Place, audit_failure, count_failure, places, refused},
    person::{self, open_organizations},
};
use chrono::Duration;
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::user_name_key,
    secret::{random_token, token_hash, token_of},
    security::SecuritySettings,
    session::{self, issue_access_token},
    settings::Settings as _,
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use serde_json::{Value, json};
use store::{
    Transaction,
    entities::{app_user, refresh_token, session as session_row, sso_connection},
};
use uuid::Uuid;

/// Maximum length of a chain of tokens within the time in which a used token may be repeated.
const RENEWALS_AT_ONCE: usize = 20;

/// A browser during sign-in.
pub struct Browser {
    pub source_ip: String,
    pub user_agent: String,
    /// From the cookie of a browser that was used to sign in before.
    pub token: Option<String>,
    /// From the cookie of the browser's present session.
    pub renewal: Option<String>,
}

/// The first factor of a sign-in.
#[derive(Clone, Copy)]
pub enum FirstFactor<'a> {
    Password,
    Passkey,
    /// The link for the first operator, which the server prints.
    SetupLink,
    /// Sign-in by an organization's provider: the session works in this organization only.
    Provider(&'a sso_connection::Model),
}

/// The factors shown so far.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    pub first: FirstFactor<'a>,
    pub second: Option<Method>,
}

impl<'a> Shown<'a> {
    /// Only the first factor.
    pub fn only(first: FirstFactor<'a>) -> Self {
        Self { first, second: None }
    }

    fn connection(&self) -> Option<&'a sso_connection::Model> {
        match self.first {
            FirstFactor::Provider(connection) => Some(connection),
            FirstFactor::Password | FirstFactor::Passkey | FirstFactor::SetupLink => None,
        }
    }

    /// Its name in the audit trail.
    fn detail(&self) -> Value {
        let first = match self.first {
            FirstFactor::Password => "password",
            FirstFactor::Passkey => "passkey",
            FirstFactor::SetupLink => "setupLink",
            FirstFactor::Provider(_) => "singleSignOn",
        };
        let mut factors = vec![json!(first)];
        factors.extend(self.second.map(|method| json!(method)));
        match self.connection() {
            Some(connection) => json!({ "factors": factors, "connection": connection.name }),
            None => json!({ "factors": factors }),
        }
    }
}

/// The session for the client.
pub struct Tokens {
    pub access_token: String,
    pub expires_in: u32,
    /// The value of the renewal cookie.
    pub renewal: String,
    /// The new value of the cookie that identifies the browser; `None` if it stays.
    pub browser: Option<String>,
}

/// Result of a correct password.
pub enum SignIn {
    Done(Tokens),
    /// A second step is needed, which is answered with this token.
    SecondStep {
        token: String,
        methods: Vec<Method>,
        email: Option<String>,
    },
}

/// Checks name and password, and opens a session unless a second step is needed.
pub async fn sign_in(app: &App, user_name: &str, password: String, browser: Browser) -> Result<SignIn> {
    let key = user_name_key(user_name);
    let found =
        app_user::Entity::find().filter(app_user::Column::UserNameKey.eq(key)).one(app.store.db()).await?;
    let fits = crate::passwords::verify(password, found.as_ref().map(|u| u.password_hash.clone())).await?;
    let refused = || Error::SignInRefused(refused(&app.config.session).into());
    let Some(known) = found else {
        audit_nobody(app, &browser.source_ip).await?;
        return Err(refused());
    };
    let txn = app.store.begin().await?;
    // Read again under the row's lock, so that parallel guesses are all counted.
    let user = person::locked(&txn, known.id).await?.ok_or_else(refused)?;
    // The password may have been changed since. The old one then opens nothing, and does not count as a guess.
    if user.password_hash != known.password_hash {
        return Err(refused());
    }
    let place = Place::of(&txn, user.id, browser.token.as_deref()).await?;
    if !fits || place.is_locked(app, &user) || user.is_disabled {
        count_failure(app, &txn, &user, &place, &browser.source_ip).await?;
        txn.commit().await?;
        return Err(refused());
    }
    go_on(app, txn, &user, browser, FirstFactor::Password).await
}

/// Opens a session for a user whose row is locked and who has shown the first factor, unless a second step is needed,
/// and commits.
pub async fn go_on(
    app: &App,
    txn: Transaction,
    user: &app_user::Model,
    browser: Browser,
    first: FirstFactor<'_>,
) -> Result<SignIn> {
    let shown = Shown::only(first);
    let Some(methods) = factors::methods(app, &txn, user).await? else {
        return Ok(SignIn::Done(finish(app, txn, user, browser, shown).await?));
    };
    if methods.is_empty() {
        audit_failure(app, &txn, user, &browser.source_ip, event::SIGN_IN_FAILED).await?;
        txn.commit().await?;
        return Err(Error::SignInRefused(rules::NO_SECOND_STEP.into()));
    }
    let connection_id = shown.connection().map(|connection| connection.id);
    let token = challenges::begin_second_step(app, &txn, user.id, connection_id).await?;
    txn.commit().await?;
    let email = methods.contains(&Method::Email).then(|| rules::masked(&user.email));
    Ok(SignIn::SecondStep { token, methods, email })
}

/// Audits an attempt with an unknown user name. The text is not stored: it may be a password, or a person's name.
async fn audit_nobody(app: &App, source_ip: &str) -> Result<()> {
    let txn = app.store.begin().await?;
    let actor = Actor { source_ip: source_ip.to_owned(), ..Actor::default() };
    let act =
        Act::new(event::SIGN_IN_FAILED, "user", "").detail(json!({ "why": "unknown user name" })).failed();
    audit::record(app, &txn, &actor, act).await?;
    txn.commit().await?;
    Ok(())
}

/// Opens a session after all required factors, and commits. A refusal is committed too.
pub async fn finish(
    app: &App,
    txn: Transaction,
    user: &app_user::Model,
    browser: Browser,
    shown: Shown<'_>,
) -> Result<Tokens> {
    let opened = open_session(app, &txn, user, &browser, shown).await;
    if let Err(Error::AddressRefused | Error::SignInRefused(_)) = &opened {
        audit_failure(app, &txn, user, &browser.source_ip, event::SIGN_IN_FAILED).await?;
        txn.commit().await?;
        return opened;
    }
    let tokens = opened?;
    txn.commit().await?;
    end_previous(app, &browser).await?;
    Ok(tokens)
}

async fn open_session(
    app: &App,
    txn: &Transaction,
    user: &app_user::Model,
    browser: &Browser,
    shown: Shown<'_>,
) -> Result<Tokens> {
    let connection = shown.connection();
    let now = app.clock.now();
    let is_nobody_else = user.system_role.is_none() && user.network_admin_of.is_none();
    let has_no_role = connection.is_some() || is_nobody_else;
    let only = connection.map(|c| c.organization_id);
    let organization_id = match first_organization(txn, user, &browser.source_ip, only).await? {
        First::Open(id) => Some(id),
        First::AddressRefused if has_no_role => return Err(Error::AddressRefused),
        First::None if has_no_role => {
            return Err(Error::SignInRefused("This account has no active organization.".into()));
        }
        First::AddressRefused | First::None => None,
    };
    let session_id = Uuid::now_v7();
    session_row::Entity::insert(session_row::ActiveModel {
        id: Set(session_id),
        user_id: Set(user.id),
        organization_id: Set(organization_id),
        created_at: Set(now),
        last_used_at: Set(now),
        expires_at: Set(now + Duration::hours(app.config.session.absolute_hours.into())),
        revoked_at: Set(None),
        revoke_reason: Set(None),
        source_ip: Set(browser.source_ip.clone()),
        user_agent: Set(browser.user_agent.chars().take(200).collect()),
        connection_id: Set(connection.map(|c| c.id)),
    })
    .exec_without_returning(txn)
    .await?;
    let mut row = app_user::ActiveModel {
        id: Set(user.id),
        last_organization_id: Set(organization_id),
        ..Default::default()
    };
    // A correct password resets the count of wrong ones. A sign-in at a provider does not: whoever runs the provider
    // could make browsers known at will.
    let mut known = None;
    if connection.is_none() {
        if let Place::Elsewhere = Place::of(txn, user.id, browser.token.as_deref()).await? {
            row.failed_logins = Set(0);
            row.locked_until = Set(None);
        }
        known = Some(places::remember(app, txn, user.id, browser.token.as_deref(), session_id).await?);
    }
    row.update(txn).await?;
    let actor = person::actor(user, organization_id, &browser.source_ip);
    let act = Act::new(event::SIGNED_IN, "user", user.id).detail(shown.detail());
    audit::record(app, txn, &actor, act).await?;
    let renewal = random_token();
    keep_renewal(app, txn, session_id, &renewal).await?;
    let (access_token, expires_in) = issue_access_token(app, txn, session_id).await?;
    Ok(Tokens { access_token, expires_in, renewal, browser: known })
}

/// The organization of a new session.
enum First {
    Open(Uuid),
    /// None of the user's organizations allows their address.
    AddressRefused,
    None,
}

/// The last used organization, or else the first by name that is open to the user and their address. `only` excludes
/// all others.
async fn first_organization(
    txn: &Transaction,
    user: &app_user::Model,
    source_ip: &str,
    only: Option<Uuid>,
) -> Result<First> {
    let mut open = open_organizations(txn, user.id).await?;
    open.retain(|o| only.is_none_or(|id| id == o.id));
    open.sort_by_key(|o| Some(o.id) != user.last_organization_id);
    for organization in &open {
        if SecuritySettings::of(organization)?.allows(source_ip) {
            return Ok(First::Open(organization.id));
        }
    }
    Ok(if open.is_empty() { First::None } else { First::AddressRefused })
}

async fn keep_renewal(app: &App, txn: &Transaction, session_id: Uuid, token: &str) -> Result<()> {
    refresh_token::Entity::insert(refresh_token::ActiveModel {
        hash: Set(token_hash(token)),
        session_id: Set(session_id),
        expires_at: Set(app.clock.now() + Duration::hours(app.config.session.absolute_hours.into())),
        used_at: Set(None),
    })
    .exec_without_returning(txn)
    .await?;
    Ok(())
}

/// The successor of a token. It is always the same, so that a repeated token leads to the same chain and a theft is
/// noticed; only holders of the master key can compute it.
fn successor(app: &App, token: &str) -> String {
    token_of(app.keys.master().mac("renewal", token.as_bytes()))
}

/// The last token of the chain after a used one.
async fn latest(app: &App, txn: &Transaction, token: &str) -> Result<String> {
    let mut token = successor(app, token);
    for _ in 0..RENEWALS_AT_ONCE {
        let row = refresh_token::Entity::find_by_id(token_hash(&token)).one(txn).await?;
        if row.ok_or(Error::Unauthenticated)?.used_at.is_none() {
            return Ok(token);
        }
        token = successor(app, &token);
    }
    Err(Error::Unauthenticated)
}

/// Renews by the cookie's token.
pub async fn renew(app: &App, token: &str, source_ip: &str) -> Result<Tokens> {
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let query = refresh_token::Entity::find_by_id(token_hash(token)).lock_exclusive();
    let found = query.one(&txn).await?.filter(|t| t.expires_at > now).ok_or(Error::Unauthenticated)?;
    let session = session_row::Entity::find_by_id(found.session_id).one(&txn).await?;
    let session = session.filter(|s| session::is_open(s, now)).ok_or(Error::Unauthenticated)?;
    let renewal = match rules::renewal(found.used_at, now) {
        Renewal::Stolen => {
            end(app, &txn, &session, "A renewal token was used twice.", source_ip).await?;
            txn.commit().await?;
            app.bus.publish(Event::SessionEnded { session_id: session.id }).await;
            return Err(Error::Unauthenticated);
        }
        Renewal::Again => latest(app, &txn, token).await?,
        Renewal::Rotate => {
            refresh_token::ActiveModel {
                hash: Set(found.hash),
                used_at: Set(Some(now)),
                ..Default::default()
            }
            .update(&txn)
            .await?;
            let next = successor(app, token);
            keep_renewal(app, &txn, session.id, &next).await?;
            next
        }
    };
    session::caller_of(app, &txn, &session, source_ip.to_owned()).await?;
    let (access_token, expires_in) = issue_access_token(app, &txn, session.id).await?;
    txn.commit().await?;
    Ok(Tokens { access_token, expires_in, renewal, browser: None })
}

async fn end(
    app: &App,
    txn: &Transaction,
    session: &session_row::Model,
    reason: &str,
    source_ip: &str,
) -> Result<()> {
    session::revoke(txn, app.clock.now(), session.id, reason).await?;
    places::forget(txn, session.id).await?;
    let user = app_user::Entity::find_by_id(session.user_id).one(txn).await?.ok_or(Error::NotFound)?;
    let actor = person::actor(&user, session.organization_id, source_ip);
    audit::record(app, txn, &actor, Act::new(event::SESSION_REVOKED, "user", user.id)).await
}

/// Ends the session of a renewal token; an unknown one is ignored.
pub async fn sign_out(app: &App, token: &str, source_ip: &str) -> Result<()> {
    if let Some(session_id) = end_behind(app, token, source_ip, "Signed out.").await? {
        app.bus.publish(Event::SessionEnded { session_id }).await;
    }
    Ok(())
}

/// Ends the browser's previous session after another sign-in. The browser's other windows are not notified: they
/// learn of it from the window of the sign-in, and continue with the new session. This is a separate transaction,
/// since it may lock another organization's audit trail.
async fn end_previous(app: &App, browser: &Browser) -> Result<()> {
    if let Some(token) = &browser.renewal {
        end_behind(app, token, &browser.source_ip, "Somebody signed in.").await?;
    }
    Ok(())
}

/// Ends the open session of a renewal token and returns it.
async fn end_behind(app: &App, token: &str, source_ip: &str, reason: &str) -> Result<Option<Uuid>> {
    let txn = app.store.begin().await?;
    let Some(found) = refresh_token::Entity::find_by_id(token_hash(token)).one(&txn).await? else {
        return Ok(None);
    };
    let session = session_row::Entity::find_by_id(found.session_id).one(&txn).await?;
    let Some(session) = session.filter(|s| s.revoked_at.is_none()) else { return Ok(None) };
    session::revoke(&txn, app.clock.now(), session.id, reason).await?;
    let user = app_user::Entity::find_by_id(session.user_id).one(&txn).await?.ok_or(Error::NotFound)?;
    let actor = person::actor(&user, session.organization_id, source_ip);
    audit::record(app, &txn, &actor, Act::new(event::SIGNED_OUT, "user", user.id)).await?;
    txn.commit().await?;
    Ok(Some(session.id))
}

/// Moves the session to another organization of the user. `false` if the user is not a member there.
pub async fn switch(app: &App, caller: &Caller, organization_id: Uuid) -> Result<bool> {
    if caller.connection_id.is_some() {
        return Err(Error::Conflict(rules::CONFINED.into()));
    }
    let txn = app.store.begin().await?;
    let Some(place) = session::place(&txn, caller.user_id, organization_id).await? else { return Ok(false) };
    if !place.security.allows(&caller.source_ip) {
        return Err(Error::AddressRefused);
    }
    session_row::ActiveModel {
        id: Set(caller.session_id),
        organization_id: Set(Some(organization_id)),
        ..Default::default()
    }
    .update(&txn)
    .await?;
    app_user::ActiveModel {
        id: Set(caller.user_id),
        last_organization_id: Set(Some(organization_id)),
        ..Default::default()
    }
    .update(&txn)
    .await?;
    let actor = Actor { organization_id: Some(organization_id), ..Actor::from(caller) };
    let act = Act::new(event::ORGANIZATION_SWITCHED, "organization", organization_id);
    audit::record(app, &txn, &actor, act).await?;
    txn.commit().await?;
    app.bus.publish(Event::SessionMoved { session_id: caller.session_id }).await;
    Ok(true)
}
