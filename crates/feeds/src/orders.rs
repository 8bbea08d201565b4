//! What an event says about an order.

use crate::{
    details::{Number, Order},
    feed::{Feed, Stamp},
};
use chrono::{DateTime, NaiveTime, Utc};
use exchange::receive::hospital;
use platform::Result;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use store::{
    Transaction,
    entities::{
        feed_order::{Column, Entity, Model, OrderState},
        feed_patient,
    },
    keys::DataKey,
};
use uuid::Uuid;

fn context(id: Uuid) -> String {
    format!("feed_order.details:{id}")
}

/// What is known of an order.
pub fn details(key: &DataKey, row: &Model) -> Result<Order> {
    Ok(key.open_json(&context(row.id), &row.sealed_details)?)
}

/// Applies what an event says about an order of a locked patient.
pub async fn tell(
    feed: &Feed,
    txn: &Transaction,
    of: &feed_patient::Model,
    visit: Option<&Number>,
    told: hospital::Order,
    stamp: Stamp,
) -> Result<()> {
    if of.person_since.is_some_and(|since| since > stamp.at) {
        return Ok(());
    }
    let keys = feed.keys();
    let [placer, filler] = [told.placer, told.filler].map(|number| number.map(Number::from));
    let tokens = keys.order(placer.as_ref(), filler.as_ref());
    let Some(key) = tokens.first().cloned() else { return Ok(()) };
    let mut rows = known(txn, of.id, tokens).await?;
    let told_state = told.state.map(state);
    if rows.last().is_some_and(|row| Stamp { at: row.told_at, reception_id: row.told_in } > stamp) {
        for row in rows {
            tell_state(txn, row, told_state, stamp).await?;
        }
        return Ok(());
    }
    let said = rows.iter().max_by_key(|row| said_at(row)).map(|row| (row.state, row.state_at, row.state_in));
    let row = rows.pop();
    // An order that was only known by the filler's number is the same when the placer's is told.
    for row in rows {
        Entity::delete_by_id(row.id).exec(txn).await?;
    }
    let (state, state_at, state_in) = match (told_state, said) {
        (Some(state), _) => (state, Some(stamp.at), stamp.reception_id),
        (None, Some(said)) => said,
        (None, None) => (OrderState::Active, None, Uuid::nil()),
    };
    let known = match &row {
        Some(row) => details(&feed.key, row)?,
        None => Order::default(),
    };
    let order = Order {
        placer: placer.or(known.placer),
        filler: filler.or(known.filler),
        name: told.name.or(known.name),
        date: told.date.or(known.date),
    };
    let id = row.as_ref().map_or_else(Uuid::now_v7, |row| row.id);
    let day = order.date.map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let now = Model {
        id,
        organization_id: feed.organization_id(),
        feed_patient_id: of.id,
        key,
        visit_key: visit
            .map(|visit| keys.visit(visit))
            .or_else(|| row.as_ref().and_then(|row| row.visit_key.clone())),
        listed_at: day.or(row.as_ref().map(|row| row.listed_at)).unwrap_or(stamp.at),
        state,
        state_at,
        state_in,
        told_at: stamp.at,
        told_in: stamp.reception_id,
        sealed_details: feed.key.seal_json(&context(id), &order)?,
    };
    match row {
        Some(_) => {
            now.into_active_model().reset_all().update(txn).await?;
        }
        None => {
            Entity::insert(now.into_active_model()).exec_without_returning(txn).await?;
        }
    }
    Ok(())
}

/// When the state of an order was said.
pub fn said_at(row: &Model) -> (Option<DateTime<Utc>>, Uuid) {
    (row.state_at, row.state_in)
}

/// Applies the state that an event says to an order of which newer events said other things, but no newer state.
async fn tell_state(txn: &Transaction, row: Model, state: Option<OrderState>, stamp: Stamp) -> Result<()> {
    let Some(state) = state.filter(|_| said_at(&row) < (Some(stamp.at), stamp.reception_id)) else {
        return Ok(());
    };
    let mut change = row.into_active_model();
    change.state = Set(state);
    (change.state_at, change.state_in) = (Set(Some(stamp.at)), Set(stamp.reception_id));
    change.update(txn).await?;
    Ok(())
}

/// The rows of an order, the one that was told last at the end.
async fn known(txn: &Transaction, of: Uuid, tokens: Vec<Vec<u8>>) -> Result<Vec<Model>> {
    let named = Entity::find().filter(Column::FeedPatientId.eq(of)).filter(Column::Key.is_in(tokens));
    let mut rows = named.all(txn).await?;
    rows.sort_by_key(|row| (row.told_at, row.told_in));
    Ok(rows)
}

fn state(told: hospital::OrderState) -> OrderState {
    match told {
        hospital::OrderState::Active => OrderState::Active,
        hospital::OrderState::Held => OrderState::Held,
        hospital::OrderState::Completed => OrderState::Completed,
        hospital::OrderState::Discontinued => OrderState::Discontinued,
        hospital::OrderState::Cancelled => OrderState::Cancelled,
    }
}
