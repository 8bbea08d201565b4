//! Database access of an organization's connection.

use super::{
    provider::{Failure, Provider, Registered},
    rules::{self, Checked},
    settings::ConnectionForm,
};
use crate::{
    challenges,
    sign_in::connection::{is_offered, lock_place},
};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    session,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, Select, SqlErr,
};
use serde_json::{Value, json};
use store::{
    Transaction,
    entities::{session as session_row, sign_in_challenge, sso_connection, sso_identity},
};
use uuid::Uuid;

/// The feature that allows an organization's users to sign in at a provider.
pub use crate::profile::features::SINGLE_SIGN_ON as FEATURE;

pub const UNREACHABLE: &str =
    "No sign-in provider was found at this address, or it cannot be reached from this installation.";

/// Key of a client secret among the sealed values of its organization.
fn context(connection_id: Uuid) -> String {
    format!("sso_connection.secret:{connection_id}")
}

/// Refuses unless the organization has the feature, and is on the whitelist.
pub async fn require_feature(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<()> {
    if is_offered(db, organization_id).await? { Ok(()) } else { Err(Error::Forbidden) }
}

pub async fn of(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<Option<sso_connection::Model>> {
    let found = sso_connection::Entity::find()
        .filter(sso_connection::Column::OrganizationId.eq(organization_id))
        .one(db)
        .await?;
    Ok(found)
}

/// As [`of`], locked until the transaction ends, so that nobody signs in by it meanwhile.
pub async fn locked(txn: &Transaction, organization_id: Uuid) -> Result<Option<sso_connection::Model>> {
    lock_place(txn, organization_id).await?;
    let query = sso_connection::Entity::find()
        .filter(sso_connection::Column::OrganizationId.eq(organization_id))
        .lock_exclusive();
    Ok(query.one(txn).await?)
}

/// Number of people who have signed in by a connection.
pub async fn linked(db: &impl ConnectionTrait, connection_id: Uuid) -> Result<u64> {
    let rows = sso_identity::Entity::find().filter(sso_identity::Column::ConnectionId.eq(connection_id));
    Ok(rows.count(db).await?)
}

/// The decrypted secret of a connection.
pub async fn registered(app: &App, row: &sso_connection::Model) -> Result<Registered> {
    let secret = match &row.sealed_secret {
        None => None,
        Some(sealed) => {
            let opened = app.keys.data_key(row.organization_id).await?.open(&context(row.id), sealed)?;
            Some(String::from_utf8(opened).map_err(|_| Error::internal("a client secret is not text"))?)
        }
    };
    Ok(Registered {
        organization_id: row.organization_id,
        issuer: row.issuer.clone(),
        client_id: row.client_id.clone(),
        secret,
    })
}

/// Saves the connection of the caller's organization after a successful discovery. Without a secret in the form, the
/// stored one stays.
pub async fn save(app: &App, member: &Member, form: &ConnectionForm) -> Result<sso_connection::Model> {
    let db = app.store.db();
    require_feature(db, member.organization_id).await?;
    let checked = rules::check(form, app.config.allows_private_sign_in()).map_err(Error::Invalid)?;
    let registered = Registered {
        organization_id: member.organization_id,
        issuer: checked.issuer.clone(),
        client_id: checked.client_id.clone(),
        secret: checked.secret.clone(),
    };
    if let Err(Failure::Unreachable | Failure::Unbelievable(_)) = Provider::discover(app, &registered).await?
    {
        return Err(Error::field("issuer", UNREACHABLE));
    }
    let now = app.clock.now();
    let key = app.keys.data_key(member.organization_id).await?;
    let seal = |id: Uuid| checked.secret.as_ref().map(|s| key.seal(&context(id), s.as_bytes()));
    let txn = app.store.begin().await?;
    let (saved, ended) = match locked(&txn, member.organization_id).await? {
        None => (create(&txn, member.organization_id, &checked, form.is_enabled, seal, now).await?, vec![]),
        Some(before) => {
            Error::unless_current(form.version, &before.version, "this connection")?;
            change(&txn, before, &checked, form.is_enabled, seal, now).await?
        }
    };
    let detail = describe(&saved, checked.secret.is_some());
    let act = Act::new(event::SSO_CHANGED, "organization", member.organization_id).detail(detail);
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(saved)
}

fn describe(row: &sso_connection::Model, has_new_secret: bool) -> Value {
    json!({
        "name": row.name, "issuer": row.issuer, "clientId": row.client_id, "isEnabled": row.is_enabled,
        "newSecret": has_new_secret, "acrValues": row.acr_values, "maxAgeMinutes": row.max_age_minutes,
    })
}

async fn create(
    txn: &Transaction,
    organization_id: Uuid,
    checked: &Checked,
    is_enabled: bool,
    seal: impl Fn(Uuid) -> Option<Vec<u8>>,
    now: DateTime<Utc>,
) -> Result<sso_connection::Model> {
    let id = Uuid::now_v7();
    let row = sso_connection::ActiveModel {
        id: Set(id),
        organization_id: Set(organization_id),
        name: Set(checked.name.clone()),
        issuer: Set(checked.issuer.clone()),
        client_id: Set(checked.client_id.clone()),
        sealed_secret: Set(seal(id)),
        is_enabled: Set(is_enabled),
        acr_values: Set(checked.acr_values.clone()),
        max_age_minutes: Set(checked.max_age_minutes),
        created_at: Set(now),
        modified_at: Set(now),
        version: Set(1),
    };
    row.insert(txn).await.map_err(taken)
}

/// Another provider or client uses other subjects, so the links to the old ones end, with their sessions. The
/// sessions of a disabled connection end too.
async fn change(
    txn: &Transaction,
    before: sso_connection::Model,
    checked: &Checked,
    is_enabled: bool,
    seal: impl Fn(Uuid) -> Option<Vec<u8>>,
    now: DateTime<Utc>,
) -> Result<(sso_connection::Model, Vec<Uuid>)> {
    let is_other = before.issuer != checked.issuer || before.client_id != checked.client_id;
    let mut row = sso_connection::ActiveModel {
        id: Set(before.id),
        name: Set(checked.name.clone()),
        issuer: Set(checked.issuer.clone()),
        client_id: Set(checked.client_id.clone()),
        is_enabled: Set(is_enabled),
        acr_values: Set(checked.acr_values.clone()),
        max_age_minutes: Set(checked.max_age_minutes),
        modified_at: Set(now),
        version: Set(before.version + 1),
        ..Default::default()
    };
    if let Some(sealed) = seal(before.id) {
        row.sealed_secret = Set(Some(sealed));
    } else if is_other {
        row.sealed_secret = Set(None);
    }
    let saved = row.update(txn).await.map_err(taken)?;
    if is_other {
        forget_people(txn, before.id).await?;
    }
    let ended = if is_other || !is_enabled { end_sessions(txn, before.id, now).await? } else { vec![] };
    Ok((saved, ended))
}

fn taken(error: DbErr) -> Error {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => Error::field("name", rules::NAME_TAKEN),
        _ => error.into(),
    }
}

/// Removes the connection of the caller's organization, and ends its sessions.
pub async fn remove(app: &App, member: &Member) -> Result<()> {
    let txn = app.store.begin().await?;
    let found = locked(&txn, member.organization_id).await?.ok_or(Error::NotFound)?;
    forget_people(&txn, found.id).await?;
    let ended = end_sessions(&txn, found.id, app.clock.now()).await?;
    sso_connection::Entity::delete_by_id(found.id).exec(&txn).await?;
    let act = Act::new(event::SSO_REMOVED, "organization", member.organization_id)
        .detail(json!({ "name": found.name, "sessionsEnded": ended.len() }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}

async fn forget_people(txn: &Transaction, connection_id: Uuid) -> Result<()> {
    let rows = sso_identity::Entity::delete_many();
    rows.filter(sso_identity::Column::ConnectionId.eq(connection_id)).exec(txn).await?;
    Ok(())
}

/// Ends the sessions of an organization's connection after it lost the feature. Returns them for
/// [`session::tell_ended`] after the commit.
pub async fn end_sessions_of(
    txn: &Transaction,
    organization_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    match locked(txn, organization_id).await? {
        Some(connection) => end_sessions(txn, connection.id, now).await,
        None => Ok(Vec::new()),
    }
}

/// As [`end_sessions_of`], for the organizations of these connections.
pub async fn end_sessions_of_all(
    txn: &Transaction,
    connections: Select<sso_connection::Entity>,
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    let mut ended = Vec::new();
    for connection in connections.order_by_asc(sso_connection::Column::OrganizationId).all(txn).await? {
        ended.extend(end_sessions_of(txn, connection.organization_id, now).await?);
    }
    Ok(ended)
}

async fn end_sessions(txn: &Transaction, connection_id: Uuid, now: DateTime<Utc>) -> Result<Vec<Uuid>> {
    challenges::end_where(txn, sign_in_challenge::Column::ConnectionId.eq(connection_id)).await?;
    let open = session_row::Column::ConnectionId.eq(connection_id);
    session::end_where(txn, now, open, "The single sign-on was changed.").await
}
