//! Rows that people edit in forms: created, changed and removed in one transaction with the audit entry, without
//! overwriting changes that others saved in the meantime.

use crate::{
    App, Error, Result,
    audit::{self, Act, Actor, ObjectKinds, Rows, event},
    http::COUNT_CAP,
};
use sea_orm::{
    ActiveModelBehavior, ActiveModelTrait, ActiveValue, DbErr, EntityTrait, IdenStatic, IntoActiveModel,
    Iterable, ModelTrait, QuerySelect, Select, SqlErr, Value, sea_query::sea_value_to_json_value,
};
use serde_json::Map;
use std::collections::HashMap;
use store::Transaction;
use uuid::Uuid;

const GONE: &str = "This entry no longer exists.";

/// A kind of such rows.
pub trait Record {
    type Entity: EntityTrait<Model: IntoActiveModel<Active<Self>> + Sync, ActiveModel: ActiveModelBehavior + Send>;
    /// Name in audit entries: `network`.
    const OBJECT: &'static str;
    /// Name in sentences: "this network".
    const NOUN: &'static str;
    const ID: Column<Self>;
    const VERSION: Column<Self>;
    /// Time of the last save, if the table has it.
    const MODIFIED_AT: Option<Column<Self>> = None;
    /// Name of a row in the audit trail, if it has one without patient data.
    const NAME: Option<Column<Self>> = None;
    /// The organization whose members may see the name; names of rows without one are only for operators.
    const ORGANIZATION: Option<Column<Self>> = None;
    /// Columns whose values may be in the audit trail: no secrets, no patient data.
    const AUDITED: &'static [Column<Self>];
    /// Field and error if another row has the same unique value.
    const TAKEN: (&'static str, &'static str);
}

type Column<R> = <<R as Record>::Entity as EntityTrait>::Column;
pub type Model<R> = <<R as Record>::Entity as EntityTrait>::Model;
pub type Active<R> = <<R as Record>::Entity as EntityTrait>::ActiveModel;

impl ObjectKinds {
    /// Registers the names of a kind for the audit trail.
    #[must_use]
    pub fn record<R: Record>(self) -> Self
    where
        R::Entity: 'static,
    {
        match R::NAME {
            Some(name) => {
                self.with(R::OBJECT, Rows::<R::Entity> { id: R::ID, name, organization: R::ORGANIZATION })
            }
            None => self,
        }
    }
}

/// Adds a row.
pub async fn create<R: Record>(app: &App, actor: &Actor, row: Active<R>) -> Result<Model<R>> {
    let txn = app.store.begin().await?;
    let created = create_in::<R>(app, &txn, actor, row).await?;
    txn.commit().await?;
    Ok(created)
}

/// As [`create`], within a larger transaction.
pub async fn create_in<R: Record>(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    row: Active<R>,
) -> Result<Model<R>> {
    let created = row.insert(txn).await.map_err(taken::<R>)?;
    record::<R>(app, txn, actor, event::CREATED, &created, values_of::<R>(&created)).await?;
    Ok(created)
}

/// A row during a change: locked until it is saved or removed; without either, dropping it changes nothing.
pub struct Edit<'a, R: Record> {
    app: &'a App,
    actor: Actor,
    /// Transaction of the change, for related changes.
    pub txn: Transaction,
    /// The row before the change.
    pub before: Model<R>,
    /// The changed values to save.
    pub row: Active<R>,
    /// Details of the audit entry besides the row's values.
    pub detail: Detail,
}

/// Finds and locks the only row of a selection. `version` is the one that the caller read; a missing or outdated
/// version is refused.
pub async fn edit<'a, R: Record>(
    app: &'a App,
    actor: &Actor,
    found: Select<R::Entity>,
    version: Option<i32>,
) -> Result<Edit<'a, R>> {
    edit_in(app, app.store.begin().await?, actor, found, version).await
}

/// As [`edit`], in a transaction that has locked the rows that come first.
pub async fn edit_in<'a, R: Record>(
    app: &'a App,
    txn: Transaction,
    actor: &Actor,
    found: Select<R::Entity>,
    version: Option<i32>,
) -> Result<Edit<'a, R>> {
    let edit: Edit<'a, R> = lock_in(app, txn, actor, found).await?;
    Error::unless_current(version.map(Value::from), &edit.before.get(R::VERSION), R::NOUN)?;
    Ok(edit)
}

/// Finds and locks the only row of a selection regardless of its version, for acts that do not depend on a form.
pub async fn lock<'a, R: Record>(
    app: &'a App,
    actor: &Actor,
    found: Select<R::Entity>,
) -> Result<Edit<'a, R>> {
    lock_in(app, app.store.begin().await?, actor, found).await
}

/// As [`lock`], in a transaction that has locked the rows that come first.
pub async fn lock_in<'a, R: Record>(
    app: &'a App,
    txn: Transaction,
    actor: &Actor,
    found: Select<R::Entity>,
) -> Result<Edit<'a, R>> {
    let before = found.lock_exclusive().one(&txn).await?.ok_or(Error::NotFound)?;
    let row = before.clone().into_active_model();
    Ok(Edit { app, actor: actor.clone(), txn, before, row, detail: Map::new() })
}

impl<R: Record> Edit<'_, R> {
    /// Makes [`Self::save`] write the next version even if the row is unchanged, because related rows changed.
    pub fn touch(&mut self) -> Result<()> {
        self.row.set(R::VERSION, next_version::<R>(&self.before)?.into());
        Ok(())
    }

    /// Saves the changed values. Nothing is written without a difference.
    pub async fn save(mut self) -> Result<Model<R>> {
        if is_different::<R>(&self.before, &self.row) {
            self.touch()?;
        }
        self.save_act().await
    }

    /// As [`Self::save`], for an act beside the form of the row. The version stays, so that a person with an open form is not
    /// told that somebody else changed it.
    pub async fn save_act(self) -> Result<Model<R>> {
        let Self { app, actor, txn, before, row, detail } = self;
        let saved = change::<R>(app, &txn, &actor, before, row, detail).await?;
        txn.commit().await?;
        Ok(saved)
    }

    /// Removes the row.
    pub async fn remove(self) -> Result<()> {
        let Self { app, actor, txn, before, detail, .. } = self;
        remove::<R>(app, &txn, &actor, before, detail).await?;
        Ok(txn.commit().await?)
    }
}

async fn change<R: Record>(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    before: Model<R>,
    mut row: Active<R>,
    detail: Detail,
) -> Result<Model<R>> {
    if !is_different::<R>(&before, &row) {
        return Ok(before);
    }
    if let Some(column) = R::MODIFIED_AT {
        row.set(column, app.clock.now().into());
    }
    let saved = row.update(txn).await.map_err(taken::<R>)?;
    let changed = changes::<R>(&before, &saved);
    record::<R>(app, txn, actor, event::CHANGED, &saved, with(changed, detail)).await?;
    Ok(saved)
}

async fn remove<R: Record>(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    before: Model<R>,
    detail: Detail,
) -> Result<()> {
    before.clone().delete(txn).await?;
    record::<R>(app, txn, actor, event::DELETED, &before, with(values_of::<R>(&before), detail)).await
}

fn next_version<R: Record>(before: &Model<R>) -> Result<i32> {
    match before.get(R::VERSION) {
        Value::Int(Some(version)) => Ok(version + 1),
        _ => Err(Error::internal(format!("{} has no version", R::OBJECT))),
    }
}

/// A row from the list of a form.
pub struct Part<R: Record> {
    /// Id of the row to change; `None` for a new one.
    pub id: Option<Uuid>,
    /// Version of an existing row that the caller read.
    pub version: Option<i32>,
    /// The columns to save, without id and version.
    pub row: Active<R>,
}

/// Replaces the locked rows of an owner with those from a form, and removes the others. Errors are added under the
/// position in the list, such as `endpoints[0].ipAddress`. Returns `true` if something changed.
pub async fn replace_in<R: Record>(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    (list, before): (&str, Vec<Model<R>>),
    wanted: Vec<Part<R>>,
) -> Result<bool> {
    let mut left: HashMap<Uuid, Model<R>> = before.into_iter().map(|row| (id_of::<R>(&row), row)).collect();
    let mut kept = Vec::with_capacity(wanted.len());
    for (at, part) in wanted.into_iter().enumerate() {
        let found = part.id.map(|id| left.remove(&id).ok_or_else(|| Error::field("id", GONE))).transpose();
        let found = found.and_then(|found| {
            if let Some(row) = &found {
                Error::unless_current(part.version.map(Value::from), &row.get(R::VERSION), R::NOUN)?;
            }
            Ok(found)
        });
        kept.push((found.map_err(|error| error.within(list, at))?, part.row));
    }
    let mut is_changed = !left.is_empty();
    for (_, gone) in left {
        remove::<R>(app, txn, actor, gone, Map::new()).await?;
    }
    for (at, (found, row)) in kept.into_iter().enumerate() {
        let saved = save_part::<R>(app, txn, actor, found, row).await;
        is_changed |= saved.map_err(|error| error.within(list, at))?;
    }
    Ok(is_changed)
}

async fn save_part<R: Record>(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    found: Option<Model<R>>,
    mut row: Active<R>,
) -> Result<bool> {
    let Some(before) = found else {
        row.set(R::ID, Uuid::now_v7().into());
        row.set(R::VERSION, 1.into());
        return create_in::<R>(app, txn, actor, row).await.map(|_| true);
    };
    let version = before.get(R::VERSION);
    row.set(R::ID, before.get(R::ID));
    if is_different::<R>(&before, &row) {
        row.set(R::VERSION, next_version::<R>(&before)?.into());
    }
    Ok(change::<R>(app, txn, actor, before, row, Map::new()).await?.get(R::VERSION) != version)
}

fn id_of<R: Record>(row: &Model<R>) -> Uuid {
    match row.get(R::ID) {
        Value::Uuid(Some(id)) => id,
        _ => Uuid::nil(),
    }
}

/// Refuses to remove a row with references, and states their number.
pub fn refuse_in_use(users: u64, noun: &str) -> Result<()> {
    match users {
        0 => Ok(()),
        1 => Err(Error::Conflict(format!("1 {noun} uses this entry, so it cannot be deleted.").into())),
        many if many > COUNT_CAP => Err(Error::Conflict(
            format!("More than 10,000 {noun}s use this entry, so it cannot be deleted.").into(),
        )),
        many => {
            Err(Error::Conflict(format!("{many} {noun}s use this entry, so it cannot be deleted.").into()))
        }
    }
}

fn is_different<R: Record>(before: &Model<R>, row: &Active<R>) -> bool {
    <Column<R> as Iterable>::iter().any(|column| match row.get(column) {
        ActiveValue::Set(value) => value != before.get(column),
        _ => false,
    })
}

/// The unique index decides between two concurrent saves.
pub fn taken<R: Record>(error: DbErr) -> Error {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => Error::field(R::TAKEN.0, R::TAKEN.1),
        _ => error.into(),
    }
}

async fn record<R: Record>(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    event: &'static str,
    row: &Model<R>,
    detail: Detail,
) -> Result<()> {
    let act = Act::new(event, R::OBJECT, id_of::<R>(row)).detail(detail.into());
    audit::record(app, txn, actor, act).await
}

type Detail = Map<String, serde_json::Value>;

/// The changed columns: `{"before": {"name": "A"}, "after": {"name": "B"}}`.
fn changes<R: Record>(before: &Model<R>, after: &Model<R>) -> Detail {
    let differ = || R::AUDITED.iter().copied().filter(|column| before.get(*column) != after.get(*column));
    [("before", values::<R>(before, differ())), ("after", values::<R>(after, differ()))]
        .map(|(name, values)| (name.to_owned(), values.into()))
        .into_iter()
        .collect()
}

fn values_of<R: Record>(row: &Model<R>) -> Detail {
    values::<R>(row, R::AUDITED.iter().copied())
}

fn values<R: Record>(row: &Model<R>, columns: impl Iterator<Item = Column<R>>) -> Detail {
    columns.map(|column| (column.as_str().to_owned(), sea_value_to_json_value(&row.get(column)))).collect()
}

fn with(mut detail: Detail, more: Detail) -> Detail {
    detail.extend(more);
    detail
}
