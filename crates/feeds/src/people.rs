//! The patients of a feed: finding their rows, and what an event says about them.

use crate::{
    details::{Number, Person},
    feed::{Feed, Stamp},
    keys::record_number,
};
use chrono::{DateTime, Utc};
use exchange::receive::hospital::Reported;
use patients::index::{OfRecord, follow_record};
use platform::{Error, Result};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, OnConflict},
};
use store::{
    Transaction,
    entities::{
        feed_order,
        feed_patient::{Column, Entity, Model},
        feed_visit,
    },
    keys::DataKey,
};
use uuid::Uuid;

fn context(id: Uuid) -> String {
    format!("feed_patient.details:{id}")
}

/// What is known of a patient.
pub fn details(key: &DataKey, row: &Model) -> Result<Person> {
    Ok(key.open_json(&context(row.id), &row.sealed_details)?)
}

pub fn seal(key: &DataKey, id: Uuid, person: &Person) -> Result<Vec<u8>> {
    Ok(key.seal_json(&context(id), person)?)
}

/// The rows of an event, locked.
pub struct Rows {
    pub patient: Model,
    /// The records that are merged into it.
    pub gone: Vec<Model>,
}

impl Rows {
    /// Locks the rows of these numbers, and those that replace them, always in the same order. Creates those that there
    /// are not.
    pub async fn lock(feed: &Feed, txn: &Transaction, patient: &Number, gone: &[Number]) -> Result<Self> {
        let keys = feed.keys();
        let mut all: Vec<(Vec<u8>, &Number)> =
            gone.iter().chain([patient]).map(|number| (keys.record(number), number)).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all.dedup_by(|a, b| a.0 == b.0);
        let mut ids = Vec::with_capacity(all.len());
        for (key, number) in &all {
            let row = match find(feed, txn, key).await? {
                Some(row) => row,
                None => create(feed, txn, key, number).await?,
            };
            ids.extend([Some(row.id), row.merged_into].into_iter().flatten());
        }
        let locked = Entity::find()
            .filter(Column::OrganizationId.eq(feed.organization_id()))
            .filter(Column::Id.is_in(ids))
            .order_by_asc(Column::Id)
            .lock_exclusive()
            .all(txn)
            .await?;
        let is_named = |row: &Model| all.iter().any(|(key, _)| *key == row.key);
        let own = keys.record(patient);
        let (mut patient, gone): (Vec<Model>, Vec<Model>) =
            locked.into_iter().filter(is_named).partition(|row| row.key == own);
        let patient = patient.pop().ok_or_else(missing)?;
        Ok(Self { patient, gone })
    }
}

fn missing() -> Error {
    Error::internal("a record of a feed is missing")
}

/// The row of a key.
async fn find(feed: &Feed, txn: &Transaction, key: &[u8]) -> Result<Option<Model>> {
    let found = Entity::find()
        .filter(Column::OrganizationId.eq(feed.organization_id()))
        .filter(Column::Key.eq(key.to_vec()));
    Ok(found.one(txn).await?)
}

/// Creates the row of a number. If another node does so at the same moment, there is one.
async fn create(feed: &Feed, txn: &Transaction, key: &[u8], number: &Number) -> Result<Model> {
    let row = blank(feed, Uuid::now_v7(), key.to_vec(), number, &Person::numbered(number))?;
    insert(txn, row).await?;
    find(feed, txn, key).await?.ok_or_else(missing)
}

async fn insert(txn: &Transaction, row: Model) -> Result<()> {
    let there = OnConflict::columns([Column::OrganizationId, Column::Key]).do_nothing().to_owned();
    Entity::insert(row.into_active_model()).on_conflict(there).exec_without_returning(txn).await?;
    Ok(())
}

fn blank(feed: &Feed, id: Uuid, key: Vec<u8>, number: &Number, person: &Person) -> Result<Model> {
    Ok(Model {
        id,
        organization_id: feed.organization_id(),
        key,
        number_token: record_number(&feed.key, &number.number),
        source_id: None,
        told_at: None,
        told_in: Uuid::nil(),
        person_since: None,
        is_deceased: false,
        merged_into: None,
        merged_at: None,
        is_settled: true,
        sealed_details: seal(&feed.key, id, person)?,
        heard_at: feed.app.clock.now(),
    })
}

/// Gives the record of an old number its new one, unless there is a record of the new number already: then both are
/// merged like others. The old number leads to the record from now on.
pub async fn renumber(
    feed: &Feed,
    txn: &Transaction,
    (old, new): (&Number, &Number),
    at: DateTime<Utc>,
) -> Result<()> {
    let keys = feed.keys();
    let (old_key, new_key) = (keys.record(old), keys.record(new));
    let (Some(found), None) = (find(feed, txn, &old_key).await?, find(feed, txn, &new_key).await?) else {
        return Ok(());
    };
    let locked = Entity::find_by_id(found.id).lock_exclusive().one(txn).await?;
    // Another event may have given the record its new number meanwhile.
    let Some(row) = locked.filter(|row| row.key == old_key) else { return Ok(()) };
    if row.merged_into.is_some() || row.person_since.is_some_and(|since| since > at) {
        return Ok(());
    }
    let id = row.id;
    let person = details(&feed.key, &row)?;
    let mut change = row.into_active_model();
    change.key = Set(new_key);
    change.number_token = Set(record_number(&feed.key, &new.number));
    change.update(txn).await?;
    let led = Model {
        merged_into: Some(id),
        merged_at: Some(at),
        is_settled: false,
        ..blank(feed, Uuid::now_v7(), old_key, old, &person)?
    };
    insert(txn, led).await
}

/// The record that an event about this one is about: the one that replaces it, locked, if it was merged.
pub async fn remaining(feed: &Feed, txn: &Transaction, row: &Model) -> Result<Model> {
    let Some(id) = row.merged_into else { return Ok(row.clone()) };
    let found = Entity::find_by_id(id)
        .filter(Column::OrganizationId.eq(feed.organization_id()))
        .lock_exclusive()
        .one(txn)
        .await?;
    found.ok_or_else(missing)
}

/// Applies what an event says about its patient.
pub async fn tell(
    feed: &Feed,
    txn: &Transaction,
    row: &mut Model,
    told: &Reported,
    stamp: Stamp,
) -> Result<()> {
    row.heard_at = feed.app.clock.now();
    let known = row.told_at.map(|at| Stamp { at, reception_id: row.told_in });
    if known.is_some_and(|known| known > stamp) {
        let mut change = row.clone().into_active_model();
        change.heard_at = Set(row.heard_at);
        change.update(txn).await?;
        return Ok(());
    }
    let before = details(&feed.key, row)?;
    let mut now = before.after(told);
    let is_other = now.is_other_than(&before);
    if is_other {
        now = Person::default().after(told);
        clear(txn, row).await?;
        part(txn, row).await?;
        (row.merged_into, row.merged_at) = (None, None);
        row.person_since = Some(stamp.at);
        row.is_deceased = false;
    }
    let mut is_deceased = Some(row.is_deceased);
    told.is_deceased.clone().put(&mut is_deceased);
    row.is_deceased = is_deceased.unwrap_or_default();
    if now.is_named() {
        let (said, other_names) = (now.said(&feed.authorities), now.other_names());
        let of = OfRecord {
            organization_id: feed.organization_id(),
            source_id: row.source_id,
            is_other_person: is_other,
            at: stamp.at,
            said: &said,
            other_names: &other_names,
        };
        row.source_id = follow_record(txn, &feed.key, of).await?;
    }
    if now != before {
        row.sealed_details = seal(&feed.key, row.id, &now)?;
    }
    (row.told_at, row.told_in) = (Some(stamp.at), stamp.reception_id);
    row.clone().into_active_model().reset_all().update(txn).await?;
    Ok(())
}

/// Records that were merged into that of the person before stand alone again: they are not those of the next one.
async fn part(txn: &Transaction, row: &Model) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::MergedInto, Expr::value(None::<Uuid>))
        .col_expr(Column::MergedAt, Expr::value(None::<DateTime<Utc>>))
        .col_expr(Column::IsSettled, Expr::value(true))
        .filter(Column::MergedInto.eq(row.id))
        .exec(txn)
        .await?;
    Ok(())
}

/// Removes the visits and orders of the person to whom the number belonged before.
async fn clear(txn: &Transaction, row: &Model) -> Result<()> {
    feed_visit::Entity::delete_many().filter(feed_visit::Column::FeedPatientId.eq(row.id)).exec(txn).await?;
    feed_order::Entity::delete_many().filter(feed_order::Column::FeedPatientId.eq(row.id)).exec(txn).await?;
    Ok(())
}
