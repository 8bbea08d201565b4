//! The database's record of the stored heads, sealed by the master key, so that removed heads or an older copy do not
//! match it.

use crate::{App, Error, Result};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Duration, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, sea_query::OnConflict,
};
use serde::{Deserialize, Serialize};
use store::{
    Database,
    entities::{
        audit_chain,
        installation::{ActiveModel, Column, Entity},
    },
    keys::KeyRing,
};

/// Name of the row, also bound into the seal.
const ROW: &str = "audit_heads";
/// Time for which a node that writes heads excludes others, in case it crashes.
const LEASE: Duration = Duration::seconds(50);

/// The heads that were stored last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    pub number: u64,
    /// Hash of the heads as text, in hex; empty before there were any.
    pub hash: String,
    /// Time until which a node may write the next ones.
    until: Option<DateTime<Utc>>,
}

impl Witness {
    pub fn of(number: u64, hash: String) -> Self {
        Self { number, hash, until: None }
    }

    /// Whether another node is writing.
    pub fn is_busy(&self, now: DateTime<Utc>) -> bool {
        self.until.is_some_and(|until| now < until && until <= now + LEASE)
    }

    fn sealed(&self, keys: &KeyRing) -> Result<String> {
        let text = serde_json::to_vec(self).map_err(Error::internal)?;
        Ok(STANDARD.encode(keys.master().seal(ROW, &text)))
    }

    fn opened(row: &str, keys: &KeyRing) -> Option<Self> {
        let text = keys.open_secret(ROW, &STANDARD.decode(row).ok()?).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

/// The row, and its content if it can be opened.
#[derive(Clone, Debug)]
pub struct Said {
    row: String,
    pub witness: Option<Witness>,
}

pub async fn read(db: &Database, keys: &KeyRing) -> Result<Option<Said>, DbErr> {
    let row = Entity::find_by_id(ROW).one(db).await?;
    Ok(row.map(|row| Said { witness: Witness::opened(&row.value, keys), row: row.value }))
}

/// Records for a new installation that nothing was stored yet. One with entries is not new.
pub async fn begin(db: &Database, keys: &KeyRing) -> Result<()> {
    if audit_chain::Entity::find().count(db).await? == 0 {
        insert(db, Witness::default().sealed(keys)?).await?;
    }
    Ok(())
}

/// Excludes other nodes while the heads after these are written. Returns the row for [`settle`], or `None` if another
/// node was first.
pub async fn take(app: &App, said: Option<&Said>, newest: Witness) -> Result<Option<String>> {
    let taken = Witness { until: Some(app.clock.now() + LEASE), ..newest }.sealed(&app.keys)?;
    let db = app.store.db();
    let is_first = match said {
        None => insert(db, taken.clone()).await?,
        Some(said) => replace(db, &said.row, taken.clone()).await?,
    };
    Ok(is_first.then_some(taken))
}

/// Records the heads that are stored now.
pub async fn settle(app: &App, taken: &str, newest: Witness) -> Result<()> {
    replace(app.store.db(), taken, newest.sealed(&app.keys)?).await?;
    Ok(())
}

async fn insert(db: &Database, value: String) -> Result<bool, DbErr> {
    let row = ActiveModel { name: Set(ROW.into()), value: Set(value) };
    let first_wins = OnConflict::column(Column::Name).do_nothing().to_owned();
    Ok(Entity::insert(row).on_conflict(first_wins).exec_without_returning(db).await? == 1)
}

async fn replace(db: &Database, before: &str, value: String) -> Result<bool, DbErr> {
    let changed = Entity::update_many()
        .set(ActiveModel { value: Set(value), ..Default::default() })
        .filter(Column::Name.eq(ROW))
        .filter(Column::Value.eq(before));
    Ok(changed.exec(db).await?.rows_affected == 1)
}

#[cfg(test)]
impl Said {
    pub fn of(witness: Witness) -> Self {
        Self { row: String::new(), witness: Some(witness) }
    }

    pub fn unreadable() -> Self {
        Self { row: String::new(), witness: None }
    }
}
