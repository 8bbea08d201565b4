//! Merges of records: in the feed, and of their patients in the index.

use crate::{
    feed::Feed,
    orders,
    people::{self, Rows},
    visits,
};
use chrono::{DateTime, Utc};
use patients::decisions::merge_by_system;
use platform::Result;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, sea_query::Expr,
};
use store::{
    Transaction,
    entities::{
        feed_order,
        feed_patient::{Column, Entity, Model},
        feed_visit,
    },
};
use uuid::Uuid;

/// Merges the records that go into that of the patient. A record leads to the one that remains at the end of a chain. One
/// that was merged into another record before stays there, and one that belongs to somebody else since then stays alone.
pub async fn merge(feed: &Feed, txn: &Transaction, rows: &mut Rows, at: DateTime<Utc>) -> Result<()> {
    let is_reused = |row: &Model| row.person_since.is_some_and(|since| since > at);
    if is_reused(&rows.patient) {
        rows.gone.clear();
        return Ok(());
    }
    for gone in std::mem::take(&mut rows.gone) {
        let mut remains = people::remaining(feed, txn, &rows.patient).await?;
        if is_reused(&gone) || is_reused(&remains) {
            continue;
        }
        if remains.id == gone.id {
            // A merge the other way round: the later one counts.
            if rows.patient.merged_at.is_some_and(|merged_at| merged_at >= at) {
                continue;
            }
            let mut change = rows.patient.clone().into_active_model();
            (change.merged_into, change.merged_at, change.is_settled) = (Set(None), Set(None), Set(true));
            rows.patient = change.update(txn).await?;
            remains = rows.patient.clone();
        } else if gone.merged_into.is_some() {
            continue;
        }
        lead(feed, txn, gone, remains.id, at).await?;
    }
    Ok(())
}

/// Lets a record, and all that lead to it, lead to the one that remains.
async fn lead(feed: &Feed, txn: &Transaction, gone: Model, remains: Uuid, at: DateTime<Utc>) -> Result<()> {
    let id = gone.id;
    let mut change = gone.into_active_model();
    change.merged_into = Set(Some(remains));
    change.merged_at = Set(Some(at));
    change.is_settled = Set(false);
    change.heard_at = Set(feed.app.clock.now());
    change.update(txn).await?;
    Entity::update_many()
        .col_expr(Column::MergedInto, Expr::value(remains))
        .filter(Column::MergedInto.eq(id))
        .filter(Column::Id.ne(remains))
        .exec(txn)
        .await?;
    move_visits(txn, id, remains).await?;
    move_orders(txn, id, remains).await
}

/// Moves the visits of a record. Of the same visit of both, the one that was told later stays, with the newest state.
async fn move_visits(txn: &Transaction, from: Uuid, to: Uuid) -> Result<()> {
    use feed_visit::{Column, Entity};
    let of = |id: Uuid| Entity::find().filter(Column::FeedPatientId.eq(id));
    let moving = of(from).all(txn).await?;
    for visit in moving {
        let mut same = Condition::any();
        if let Some(key) = &visit.key {
            same = same.add(Column::Key.eq(key.clone()));
        }
        if let Some(key) = &visit.appointment_key {
            same = same.add(Column::AppointmentKey.eq(key.clone()));
        }
        let mut all = of(to).filter(same).order_by_asc(Column::Id).all(txn).await?;
        all.insert(0, visit);
        let said = all.iter().max_by_key(|row| visits::said_at(row));
        let said = said.map(|row| (row.state, row.state_at, row.state_in));
        all.sort_by_key(|row| (row.told_at, row.told_in));
        let (Some(stays), Some((state, state_at, state_in))) = (all.pop(), said) else { continue };
        Entity::delete_many().filter(Column::Id.is_in(all.iter().map(|row| row.id))).exec(txn).await?;
        let mut change = stays.into_active_model();
        change.feed_patient_id = Set(to);
        (change.state, change.state_at, change.state_in) = (Set(state), Set(state_at), Set(state_in));
        change.update(txn).await?;
    }
    Ok(())
}

/// Moves the orders of a record in the same way.
async fn move_orders(txn: &Transaction, from: Uuid, to: Uuid) -> Result<()> {
    use feed_order::{Column, Entity};
    let of = |id: Uuid| Entity::find().filter(Column::FeedPatientId.eq(id));
    let moving = of(from).all(txn).await?;
    for order in moving {
        let mut all = of(to).filter(Column::Key.eq(order.key.clone())).all(txn).await?;
        all.insert(0, order);
        let said = all.iter().max_by_key(|row| orders::said_at(row));
        let said = said.map(|row| (row.state, row.state_at, row.state_in));
        all.sort_by_key(|row| (row.told_at, row.told_in));
        let (Some(stays), Some((state, state_at, state_in))) = (all.pop(), said) else { continue };
        Entity::delete_many().filter(Column::Id.is_in(all.iter().map(|row| row.id))).exec(txn).await?;
        let mut change = stays.into_active_model();
        change.feed_patient_id = Set(to);
        (change.state, change.state_at, change.state_in) = (Set(state), Set(state_at), Set(state_in));
        change.update(txn).await?;
    }
    Ok(())
}

/// Merges the patients of the index whose records were merged, as soon as both are known there. Each merge is carried
/// over once, so that one that a person undid stays undone.
pub async fn settle(feed: &Feed, txn: &Transaction, of: &Model) -> Result<()> {
    let remains = people::remaining(feed, txn, of).await?;
    let Some(stays) = remains.source_id else { return Ok(()) };
    let waiting = Entity::find()
        .filter(Column::MergedInto.eq(remains.id))
        .filter(Column::IsSettled.eq(false))
        .filter(Column::SourceId.is_not_null())
        .order_by_asc(Column::Id)
        .all(txn)
        .await?;
    for gone in waiting {
        if let Some(goes) = gone.source_id {
            let organization_id = feed.organization_id();
            merge_by_system(&feed.app, txn, &feed.key, organization_id, (stays, goes)).await?;
        }
        let mut change = gone.into_active_model();
        change.is_settled = Set(true);
        change.update(txn).await?;
    }
    Ok(())
}
