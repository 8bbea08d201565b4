//! Parts of an organization's settings that a form edits as a whole. Each is a member of `organization.settings`.

use crate::{
    App, Error, Result,
    audit::{self, Act, Actor},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, QuerySelect};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use store::{Transaction, entities::organization};
use uuid::Uuid;

/// One part. Its default is for organizations that never saved it.
pub trait Settings: Default + Serialize + DeserializeOwned {
    /// Its member: `security`.
    const MEMBER: &'static str;
    /// The event of a change in the audit trail.
    const EVENT: &'static str;

    /// Number of changes; stored with the part.
    fn version(&mut self) -> &mut i32;

    /// An organization's settings. Invalid settings are an error, never the default: a mistake in the database must
    /// not open what an administrator closed.
    fn of(organization: &organization::Model) -> Result<Self> {
        match organization.settings.get(Self::MEMBER) {
            None | Some(Value::Null) => Ok(Self::default()),
            Some(value) => serde_json::from_value(value.clone())
                .map_err(|_| Error::internal(format!("the {} settings cannot be read", Self::MEMBER))),
        }
    }
}

pub async fn find<S: Settings>(app: &App, organization_id: Uuid) -> Result<S> {
    let found = organization::Entity::find_by_id(organization_id).one(app.store.db()).await?;
    S::of(&found.ok_or(Error::NotFound)?)
}

/// Saves `wanted` unless it is based on an outdated version (see [`Error::unless_current`]).
pub async fn save<S: Settings>(
    app: &App,
    actor: &Actor,
    organization_id: Uuid,
    read: Option<i32>,
    wanted: S,
) -> Result<S> {
    let txn = app.store.begin().await?;
    let found = organization::Entity::find_by_id(organization_id).lock_exclusive().one(&txn).await?;
    let found = found.ok_or(Error::NotFound)?;
    let kept = *S::of(&found)?.version();
    Error::unless_current(read, &kept, "these settings")?;
    let saved = save_in(app, &txn, actor, found, wanted).await?;
    txn.commit().await?;
    Ok(saved)
}

/// Saves `wanted` as the next version, within a larger transaction that has locked the organization.
pub async fn save_in<S: Settings>(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    locked: organization::Model,
    mut wanted: S,
) -> Result<S> {
    let mut before = S::of(&locked)?;
    *wanted.version() = *before.version() + 1;
    let mut settings = locked.settings;
    if !settings.is_object() {
        settings = json!({});
    }
    settings[S::MEMBER] = json!(wanted);
    let row = organization::ActiveModel { id: Set(locked.id), settings: Set(settings), ..Default::default() };
    row.update(txn).await?;
    let act = Act::new(S::EVENT, "organization", locked.id)
        .detail(json!({ "settings": S::MEMBER, "before": before, "after": wanted }));
    audit::record(app, txn, actor, act).await?;
    Ok(wanted)
}
