//! What an event says about a visit.

use crate::{
    details::{Number, Visit, When},
    feed::{Feed, Stamp},
};
use chrono::{DateTime, Utc};
use exchange::receive::hospital::{self, VisitEvent};
use platform::Result;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter,
};
use store::{
    Transaction,
    entities::{
        feed_patient,
        feed_visit::{Column, Entity, Model, VisitState},
    },
    keys::DataKey,
};
use uuid::Uuid;

fn context(id: Uuid) -> String {
    format!("feed_visit.details:{id}")
}

/// What is known of a visit.
pub fn details(key: &DataKey, row: &Model) -> Result<Visit> {
    Ok(key.open_json(&context(row.id), &row.sealed_details)?)
}

/// Applies what an event says about a visit of a locked patient.
pub async fn tell(
    feed: &Feed,
    txn: &Transaction,
    of: &feed_patient::Model,
    told: hospital::Visit,
    stamp: Stamp,
) -> Result<()> {
    if of.person_since.is_some_and(|since| since > stamp.at) {
        return Ok(());
    }
    let number = told.number.clone().map(Number::from);
    let appointment = told.appointment.clone().map(Number::from);
    let keys = feed.keys();
    let key = number.as_ref().map(|number| keys.visit(number));
    let appointment_key = appointment.as_ref().map(|number| keys.appointment(number));
    let mut rows = known(txn, of.id, key.as_ref(), appointment_key.as_ref()).await?;
    if rows.last().is_some_and(|row| Stamp { at: row.told_at, reception_id: row.told_in } > stamp) {
        for row in rows {
            tell_state(feed, txn, row, told.event, stamp).await?;
        }
        return Ok(());
    }
    let said = rows.iter().max_by_key(|row| said_at(row)).map(|row| (row.state, row.state_at, row.state_in));
    let row = rows.pop();
    // An event now says that they are one.
    for row in rows {
        Entity::delete_by_id(row.id).exec(txn).await?;
    }
    let mut visit = match &row {
        Some(row) => details(&feed.key, row)?,
        None => Visit::default(),
    };
    let event = told.event;
    change(&mut visit, told);
    visit.number = number.or(visit.number);
    visit.appointment = appointment.or(visit.appointment);
    if event == VisitEvent::Ended {
        end(&mut visit, stamp);
    }
    let (state, state_at, state_in) = match (state(event), said) {
        (Some(state), _) => (state, Some(stamp.at), stamp.reception_id),
        (None, Some(said)) => said,
        (None, None) => (likely(&visit, stamp), None, Uuid::nil()),
    };
    let id = row.as_ref().map_or_else(Uuid::now_v7, |row| row.id);
    let begins = visit.begins.map(|begins| begins.at.to_utc());
    let now = Model {
        id,
        organization_id: feed.organization_id(),
        feed_patient_id: of.id,
        key: key.or_else(|| row.as_ref().and_then(|row| row.key.clone())),
        appointment_key: appointment_key.or_else(|| row.as_ref().and_then(|row| row.appointment_key.clone())),
        listed_at: begins.or(row.as_ref().map(|row| row.listed_at)).unwrap_or(stamp.at),
        state,
        state_at,
        state_in,
        told_at: stamp.at,
        told_in: stamp.reception_id,
        sealed_details: feed.key.seal_json(&context(id), &visit)?,
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

/// When the state of a visit was said.
pub fn said_at(row: &Model) -> (Option<DateTime<Utc>>, Uuid) {
    (row.state_at, row.state_in)
}

/// Applies the state that an event says to a visit of which newer events said other things, but no newer state.
async fn tell_state(
    feed: &Feed,
    txn: &Transaction,
    row: Model,
    event: VisitEvent,
    stamp: Stamp,
) -> Result<()> {
    let Some(state) = state(event).filter(|_| said_at(&row) < (Some(stamp.at), stamp.reception_id)) else {
        return Ok(());
    };
    let mut visit = details(&feed.key, &row)?;
    match event {
        VisitEvent::Ended => end(&mut visit, stamp),
        VisitEvent::Resumed => visit.ends = visit.ends.filter(|ends| ends.at > stamp.at),
        _ => {}
    }
    let sealed = feed.key.seal_json(&context(row.id), &visit)?;
    let mut change = row.into_active_model();
    change.state = Set(state);
    (change.state_at, change.state_in) = (Set(Some(stamp.at)), Set(stamp.reception_id));
    change.sealed_details = Set(sealed);
    change.update(txn).await?;
    Ok(())
}

/// The rows of a visit, by its number or its appointment, the one that was told last at the end.
async fn known(
    txn: &Transaction,
    of: Uuid,
    key: Option<&Vec<u8>>,
    appointment_key: Option<&Vec<u8>>,
) -> Result<Vec<Model>> {
    let mut named = Condition::any();
    if let Some(key) = key {
        named = named.add(Column::Key.eq(key.clone()));
    }
    if let Some(key) = appointment_key {
        named = named.add(Column::AppointmentKey.eq(key.clone()));
    }
    let mut rows = Entity::find().filter(Column::FeedPatientId.eq(of)).filter(named).all(txn).await?;
    rows.sort_by_key(|row| (row.told_at, row.told_in));
    Ok(rows)
}

/// Gives a visit that ended an end.
fn end(visit: &mut Visit, stamp: Stamp) {
    visit.ends = visit.ends.or(Some(When { at: stamp.at.fixed_offset(), is_day: false }));
}

fn change(visit: &mut Visit, told: hospital::Visit) {
    let when = |said: hospital::Said<hospital::Time>, known: &mut Option<When>| {
        let mut time = None;
        match said {
            hospital::Said::Nothing => return,
            said => said.put(&mut time),
        }
        *known = time.and_then(When::of);
    };
    when(told.begins, &mut visit.begins);
    when(told.ends, &mut visit.ends);
    told.class.put(&mut visit.class);
    told.provider.put(&mut visit.provider);
    told.location.put(&mut visit.location);
    told.reason.put(&mut visit.reason);
}

/// The state that an event says; `None` if it does not change it.
fn state(event: VisitEvent) -> Option<VisitState> {
    match event {
        VisitEvent::Planned => Some(VisitState::Planned),
        VisitEvent::Begun | VisitEvent::Resumed => Some(VisitState::Open),
        VisitEvent::Ended => Some(VisitState::Ended),
        VisitEvent::Cancelled => Some(VisitState::Cancelled),
        VisitEvent::NoShow => Some(VisitState::NoShow),
        VisitEvent::Changed => None,
    }
}

/// The state that the times of a visit suggest, of which no event said one yet.
fn likely(visit: &Visit, stamp: Stamp) -> VisitState {
    let is_past = |when: &When| when.at.with_timezone(&Utc) <= stamp.at;
    if visit.ends.as_ref().is_some_and(is_past) {
        VisitState::Ended
    } else if visit.begins.as_ref().is_some_and(|begins| !is_past(begins)) {
        VisitState::Planned
    } else {
        VisitState::Open
    }
}
