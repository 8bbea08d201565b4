//! Tokens. An access token is a random string with a lifetime of minutes. It is looked up on each request, so that
//! ending a session takes effect at once on every node.

use crate::{
    App, Caller, Error, Member, Result, Role,
    bus::Event,
    secret::{random_token, token_hash},
    security::SecuritySettings,
    settings::Settings as _,
    terms,
};
use axum::{
    extract::{ConnectInfo, Request},
    http::{Extensions, header},
};
use chrono::{DateTime, Duration, Utc};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    Select,
    sea_query::{Expr, ExprTrait, SimpleExpr},
};
use std::net::SocketAddr;
use store::permissions::Permissions;
use store::{
    Transaction,
    entities::{
        access_token, app_user, document_source, document_source_reader, known_browser, membership,
        organization, session,
    },
    tenant::Unreadable,
};
use uuid::Uuid;

/// Minimum interval for recording activity.
const TOUCH_EVERY: Duration = Duration::seconds(30);

/// Role names of organizations, as in the database and in profiles.
pub const ROLE_ADMINISTRATOR: &str = "Administrator";
pub const ROLE_USER: &str = "User";
pub const ROLE_SYSADMIN: &str = "SysAdmin";
pub const ROLE_REPORTING: &str = "SysAdminReporting";

/// The caller's address, for audit and lists of sessions.
pub fn source_ip(request: &Request) -> String {
    source_ip_of(request.extensions())
}

/// As [`source_ip`], from the extensions of a request.
pub fn source_ip_of(extensions: &Extensions) -> String {
    extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map(|c| c.0.ip().to_canonical().to_string())
        .unwrap_or_default()
}

/// The token of a request.
pub fn bearer_token(request: &Request) -> Option<&str> {
    request.headers().get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// Finds the owner of a token. Every problem gives the same refusal.
pub async fn authenticate(app: &App, token: &str, source_ip: String) -> Result<Caller> {
    let now = app.clock.now();
    let db = app.store.db();
    let token = access_token::Entity::find_by_id(token_hash(token)).one(db).await?;
    let token = token.filter(|t| t.expires_at > now).ok_or(Error::Unauthenticated)?;
    let session =
        session::Entity::find_by_id(token.session_id).one(db).await?.ok_or(Error::Unauthenticated)?;
    let caller = caller_of(app, db, &session, source_ip).await?;
    if let Ok(address) = caller.source_ip.parse() {
        app.health.http.gate.know(address);
    }
    if now - session.last_used_at > TOUCH_EVERY {
        session::ActiveModel { id: Set(session.id), last_used_at: Set(now), ..Default::default() }
            .update(db)
            .await?;
    }
    Ok(caller)
}

/// A session that has neither been ended nor reached its absolute end.
pub fn is_open(session: &session::Model, now: DateTime<Utc>) -> bool {
    session.revoked_at.is_none() && session.expires_at > now
}

/// The current user and roles of a session. An idle session ends after the organization's limit, and requests from
/// addresses that the organization does not allow are refused.
pub async fn caller_of(
    app: &App,
    db: &impl ConnectionTrait,
    session: &session::Model,
    source_ip: String,
) -> Result<Caller> {
    let now = app.clock.now();
    if !is_open(session, now) {
        return Err(Error::Unauthenticated);
    }
    let user = app_user::Entity::find_by_id(session.user_id).one(db).await?;
    let user = user.filter(|u| !u.is_disabled).ok_or(Error::Unauthenticated)?;
    // Whoever runs an organization's sign-in provider can sign anybody in, so such sessions give access to nothing
    // else.
    let mut roles = if session.connection_id.is_none() { system_roles(&user) } else { Vec::new() };
    let place = match session.organization_id {
        Some(id) => place(db, user.id, id).await?,
        None => None,
    };
    let owes_terms = match &place {
        // Nothing can be used, but the subscription can be reactivated.
        Some(place) if !place.is_cancelled => terms::is_owed(db, &place.organization, user.id).await?,
        _ => false,
    };
    let security = place.as_ref().map(|p| p.security.clone()).unwrap_or_default();
    if now - session.last_used_at > security.idle(app.config.session.idle_minutes) {
        return Err(Error::Unauthenticated);
    }
    roles.extend(place.as_ref().map(|p| p.role));
    if roles.is_empty() {
        return Err(Error::Unauthenticated);
    }
    if !security.allows(&source_ip) {
        return Err(Error::AddressRefused);
    }
    let unreadable = match &place {
        Some(place) => unreadable(db, place.organization_id, user.id).await?,
        None => Unreadable::default(),
    };
    Ok(Caller {
        user_id: user.id,
        full_name: full_name(&user),
        user_name: user.user_name,
        session_id: session.id,
        connection_id: session.connection_id,
        organization_is_cancelled: place.as_ref().is_some_and(|p| p.is_cancelled),
        is_captured: place.as_ref().is_some_and(|p| p.is_captured),
        owes_terms,
        permissions: place.as_ref().map_or_else(Permissions::none, |p| p.permissions),
        organization_id: place.map(|p| p.organization_id),
        network_id: user.network_admin_of.filter(|_| session.connection_id.is_none()),
        roles,
        source_ip,
        unreadable,
    })
}

/// A user's current permissions in an organization, for background work; `None` if they no longer work there.
pub async fn member_at_work(
    db: &impl ConnectionTrait,
    user_id: Uuid,
    organization_id: Uuid,
    source_ip: String,
) -> Result<Option<Member>> {
    let user = app_user::Entity::find_by_id(user_id).one(db).await?;
    let Some(user) = user.filter(|user| !user.is_disabled) else { return Ok(None) };
    let Some(place) = place(db, user_id, organization_id).await? else { return Ok(None) };
    let caller = Caller {
        user_id,
        full_name: full_name(&user),
        user_name: user.user_name,
        session_id: Uuid::nil(),
        connection_id: None,
        organization_id: Some(organization_id),
        organization_is_cancelled: place.is_cancelled,
        is_captured: false,
        network_id: None,
        roles: vec![place.role],
        source_ip,
        unreadable: unreadable(db, organization_id, user_id).await?,
        // Work that they began continues.
        owes_terms: false,
        permissions: place.permissions,
    };
    Ok(Some(Member { caller, organization_id }))
}

/// First and last name.
pub fn full_name(user: &app_user::Model) -> String {
    format!("{} {}", user.first_name, user.last_name).trim().to_owned()
}

/// The addresses of an organization whose messages a user may not read.
pub async fn unreadable(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    user_id: Uuid,
) -> Result<Unreadable, DbErr> {
    let readable = document_source_reader::Entity::find()
        .select_only()
        .column(document_source_reader::Column::DocumentSourceId)
        .filter(document_source_reader::Column::UserId.eq(user_id))
        .into_query();
    let addresses =
        of_limited_readers(organization_id).filter(document_source::Column::Id.not_in_subquery(readable));
    Ok(Unreadable::new(addresses.into_tuple().all(db).await?))
}

/// The addresses of an organization whose messages not everybody may read, in lower case.
pub async fn limited_addresses(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
) -> Result<Vec<String>, DbErr> {
    of_limited_readers(organization_id).into_tuple().all(db).await
}

fn of_limited_readers(organization_id: Uuid) -> Select<document_source::Entity> {
    document_source::Entity::find()
        .select_only()
        .column(document_source::Column::AddressKey)
        .filter(document_source::Column::OrganizationId.eq(organization_id))
        // A literal, as in the index: it would not match a bound value.
        .filter(document_source::Column::LimitsReaders.into_expr())
}

fn system_roles(user: &app_user::Model) -> Vec<Role> {
    let mut roles = Vec::new();
    match user.system_role.as_deref() {
        Some(ROLE_SYSADMIN) => roles.push(Role::SysAdmin),
        Some(ROLE_REPORTING) => roles.push(Role::Reporting),
        _ => {}
    }
    if user.network_admin_of.is_some() {
        roles.push(Role::NetAdmin);
    }
    roles
}

/// A user's membership in an organization that allows sign-in.
pub struct Place {
    pub organization_id: Uuid,
    pub role: Role,
    /// Whether its subscription has ended.
    pub is_cancelled: bool,
    /// Whether its calls are captured.
    pub is_captured: bool,
    pub permissions: Permissions,
    pub security: SecuritySettings,
    pub organization: organization::Model,
}

/// A user's membership in an organization; `None` without one, or if the organization does not allow sign-in.
pub async fn place(db: &impl ConnectionTrait, user_id: Uuid, organization_id: Uuid) -> Result<Option<Place>> {
    let membership = membership::Entity::find_by_id((user_id, organization_id)).one(db).await?;
    let Some(membership) = membership.filter(|m| !m.is_disabled) else { return Ok(None) };
    let open = organization::Entity::find_by_id(organization_id)
        .filter(organization::Column::DeletedAt.is_null())
        .filter(organization::Column::IsEnabled.eq(true))
        .one(db)
        .await?;
    let Some(organization) = open else { return Ok(None) };
    let role = if membership.role == ROLE_ADMINISTRATOR { Role::Admin } else { Role::User };
    let security = SecuritySettings::of(&organization)?;
    Ok(Some(Place {
        organization_id,
        role,
        is_cancelled: organization.is_cancelled,
        is_captured: organization.api_capture,
        permissions: membership.permissions,
        security,
        organization,
    }))
}

/// The role of a user in an organization that allows sign-in.
pub async fn organization_role(
    db: &impl ConnectionTrait,
    user_id: Uuid,
    organization_id: Uuid,
) -> Result<Option<Role>> {
    Ok(place(db, user_id, organization_id).await?.map(|p| p.role))
}

/// Creates an access token for a session. Returns the token and its lifetime in seconds.
pub async fn issue_access_token(app: &App, txn: &Transaction, session_id: Uuid) -> Result<(String, u32)> {
    let token = random_token();
    let seconds = app.config.session.access_token_seconds;
    access_token::Entity::insert(access_token::ActiveModel {
        hash: Set(token_hash(&token)),
        session_id: Set(session_id),
        expires_at: Set(app.clock.now() + Duration::seconds(seconds.into())),
    })
    .exec_without_returning(txn)
    .await?;
    Ok((token, seconds))
}

/// Ends a session: its tokens are refused after the commit.
pub async fn revoke(txn: &Transaction, now: DateTime<Utc>, session_id: Uuid, reason: &str) -> Result<()> {
    session::ActiveModel {
        id: Set(session_id),
        revoked_at: Set(Some(now)),
        revoke_reason: Set(Some(reason.to_owned())),
        ..Default::default()
    }
    .update(txn)
    .await?;
    Ok(())
}

/// Ends the sessions of a user, except a given one, and returns them: after disabling, or a change of role or
/// password. All other browsers are forgotten. Call [`tell_ended`] after the commit.
pub async fn end_all(
    txn: &Transaction,
    now: DateTime<Utc>,
    user_id: Uuid,
    except: Option<Uuid>,
    reason: &str,
) -> Result<Vec<Uuid>> {
    let mut which = session::Column::UserId.eq(user_id);
    let mut browsers = known_browser::Column::UserId.eq(user_id);
    if let Some(id) = except {
        which = which.and(session::Column::Id.ne(id));
        browsers = browsers.and(known_browser::Column::SessionId.ne(id));
    }
    known_browser::Entity::delete_many().filter(browsers).exec(txn).await?;
    end_where(txn, now, which, reason).await
}

/// As [`end_all`], for the sessions in which a user works in one organization.
pub async fn end_in(
    txn: &Transaction,
    now: DateTime<Utc>,
    user_id: Uuid,
    organization_id: Uuid,
    reason: &str,
) -> Result<Vec<Uuid>> {
    use session::Column;
    let there = Column::UserId.eq(user_id).and(Column::OrganizationId.eq(organization_id));
    end_where(txn, now, there, reason).await
}

/// As [`end_all`], for all open sessions that match a condition, and their browsers.
pub async fn end_where(
    txn: &Transaction,
    now: DateTime<Utc>,
    which: SimpleExpr,
    reason: &str,
) -> Result<Vec<Uuid>> {
    use session::Column;
    let open = Condition::all().add(which).add(Column::RevokedAt.is_null()).add(Column::ExpiresAt.gt(now));
    let ids: Vec<Uuid> = session::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(open.clone())
        .into_tuple()
        .all(txn)
        .await?;
    let ended = session::Entity::find().select_only().column(Column::Id).filter(open.clone()).into_query();
    known_browser::Entity::delete_many()
        .filter(known_browser::Column::SessionId.in_subquery(ended))
        .exec(txn)
        .await?;
    session::Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(Some(now)))
        .col_expr(Column::RevokeReason, Expr::value(reason))
        .filter(open)
        .exec(txn)
        .await?;
    Ok(ids)
}

/// Notifies open connections of ended sessions.
pub async fn tell_ended(app: &App, sessions: Vec<Uuid>) {
    for session_id in sessions {
        app.bus.publish(Event::SessionEnded { session_id }).await;
    }
}
