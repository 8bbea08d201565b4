//! The first operator. Nobody can invite them, so they sign in with a one-time link that is only printed on the
//! terminal.

use accounts::{
    passwords::{self, rules::Owner},
    sign_in::queries::{Browser, FirstFactor, Shown, Tokens, finish},
};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
    fields::user_name_key,
    secret::{random_token, token_hash},
    session::ROLE_SYSADMIN,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter, SqlErr, sea_query::OnConflict,
};
use serde_json::json;
use std::fmt::Write;
use store::{
    Transaction,
    entities::{app_user, installation},
};
use uuid::Uuid;

/// Row with the expiry of the link and the hash of its token: `1767225600:9f86d0…`.
const TOKEN: &str = "setup_token";
const LIFETIME: Duration = Duration::hours(24);
const NO_LINK: &str =
    "This link no longer works. Run carepost setup, or restart the server, to get a new one.";

/// Whether a system administrator can sign in.
pub async fn exists(db: &impl ConnectionTrait) -> Result<bool> {
    use sea_orm::SelectExt;
    let operators = app_user::Entity::find().filter(app_user::Column::SystemRole.eq(ROLE_SYSADMIN));
    Ok(operators.exists(db).await?)
}

/// Text about the first operator for a starting server; `None` if there is an operator. A valid link is not replaced,
/// because somebody may already have read it.
pub async fn announcement(app: &App) -> Result<Option<String>> {
    let db = app.store.db();
    if exists(db).await? {
        return Ok(None);
    }
    let row = installation::Entity::find_by_id(TOKEN).one(db).await?;
    if row.is_some_and(|row| ends_at(&row).is_some_and(|end| end > app.clock.now())) {
        let text = "Nobody can sign in yet. Open the link that was printed earlier, or run carepost setup for a new one.";
        return Ok(Some(text.into()));
    }
    let link = new_link(app).await?;
    Ok(link.map(|link| format!("Nobody can sign in yet. Open this address within 24 hours to become the first operator:\n\n  {link}")))
}

fn ends_at(row: &installation::Model) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(row.value.split_once(':')?.0.parse().ok()?, 0)
}

/// A link for the first operator, replacing the previous one; `None` if there is an operator.
pub async fn new_link(app: &App) -> Result<Option<String>> {
    let db = app.store.db();
    if exists(db).await? {
        return Ok(None);
    }
    let token = random_token();
    let until = (app.clock.now() + LIFETIME).timestamp();
    let row = installation::ActiveModel {
        name: Set(TOKEN.into()),
        value: Set(format!("{until}:{}", hash_of(&token))),
    };
    let newest =
        OnConflict::column(installation::Column::Name).update_column(installation::Column::Value).to_owned();
    installation::Entity::insert(row).on_conflict(newest).exec_without_returning(db).await?;
    let page = app.config.http.public_url.join("/setup").map_err(Error::internal)?;
    Ok(Some(format!("{page}#{token}")))
}

fn hash_of(token: &str) -> String {
    token_hash(token).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The row of a valid token.
async fn valid(app: &App, db: &impl ConnectionTrait, token: &str) -> Result<installation::Model> {
    let row = installation::Entity::find_by_id(TOKEN).one(db).await?;
    let works = |row: &installation::Model| {
        let hash = row.value.split_once(':')?.1;
        Some(ends_at(row)? > app.clock.now() && hash == hash_of(token))
    };
    row.filter(|row| works(row) == Some(true)).ok_or(Error::Conflict(NO_LINK.into()))
}

/// Refuses an invalid link.
pub async fn check(app: &App, token: &str) -> Result<()> {
    if exists(app.store.db()).await? {
        return Err(Error::Conflict(NO_LINK.into()));
    }
    valid(app, app.store.db(), token).await.map(drop)
}

/// Details of a new operator.
pub struct NewOperator {
    pub user_name: String,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub password: String,
}

/// Creates the first operator and signs them in. A person with access to the server's terminal needs no second step
/// this once.
pub async fn create_first(app: &App, token: &str, new: NewOperator, browser: Browser) -> Result<Tokens> {
    check(app, token).await?;
    let user = prepared(app, new).await?;
    let txn = app.store.begin().await?;
    // Only one of two concurrent requests with the same link finds the row.
    let row = valid(app, &txn, token).await?;
    let used = installation::Entity::delete_many()
        .filter(installation::Column::Name.eq(TOKEN))
        .filter(installation::Column::Value.eq(row.value))
        .exec(&txn)
        .await?;
    if used.rows_affected != 1 {
        return Err(Error::Conflict(NO_LINK.into()));
    }
    let actor = Actor { name: "Setup link".into(), source_ip: browser.source_ip.clone(), ..Actor::default() };
    insert(app, &txn, &user, &actor).await?;
    finish(app, txn, &user, browser, Shown::only(FirstFactor::SetupLink)).await
}

/// Creates an operator from the command line.
pub async fn create(app: &App, new: NewOperator) -> Result<()> {
    let user = prepared(app, new).await?;
    let txn = app.store.begin().await?;
    let actor = Actor { name: "Command line".into(), ..Actor::default() };
    insert(app, &txn, &user, &actor).await?;
    installation::Entity::delete_by_id(TOKEN).exec(&txn).await?;
    Ok(txn.commit().await?)
}

/// The row, with its password hashed. A refused password is an error of `password`.
async fn prepared(app: &App, new: NewOperator) -> Result<app_user::Model> {
    let names = [new.first_name.as_str(), new.last_name.as_str()];
    let owner = Owner::new(&names, &new.user_name, &[], false);
    let password_hash = passwords::accepted(app, new.password, &owner).await?;
    let now = app.clock.now();
    Ok(app_user::Model {
        id: Uuid::now_v7(),
        user_name_key: user_name_key(&new.user_name),
        user_name: new.user_name.trim().to_owned(),
        first_name: new.first_name,
        last_name: new.last_name,
        email: new.email,
        phone: String::new(),
        password_hash,
        system_role: Some(ROLE_SYSADMIN.into()),
        network_admin_of: None,
        is_disabled: false,
        disabled_at: None,
        deleted_at: None,
        failed_logins: 0,
        locked_until: None,
        password_changed_at: now,
        preferences: json!({}),
        last_organization_id: None,
        created_at: now,
        modified_at: now,
        version: 1,
    })
}

async fn insert(app: &App, txn: &Transaction, user: &app_user::Model, actor: &Actor) -> Result<()> {
    let row = user.clone().into_active_model().reset_all();
    let inserted = app_user::Entity::insert(row).exec_without_returning(txn).await;
    inserted.map_err(|error| match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => {
            Error::field("userName", format!("The user name {} is already taken.", user.user_name))
        }
        _ => error.into(),
    })?;
    audit::record(app, txn, actor, Act::new(event::CREATED, "user", user.id)).await
}
