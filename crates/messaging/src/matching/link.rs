//! Takes over a known patient at once if a document certainly names that patient and the organization wants it.

use crate::{
    messages::queries::edit_row,
    model::{Direction, Patient},
};
use patients::search;
use platform::{
    App, Result,
    audit::{self, Act, Actor, event},
    interoperability::Interoperability,
    session::limited_addresses,
    settings,
};
use sea_orm::{ConnectionTrait, EntityTrait, QuerySelect};
use serde_json::json;
use store::{
    Transaction,
    entities::message,
    keys::DataKey,
    tenant::{Tenant, Unreadable},
};
use uuid::Uuid;

/// The known patient for a message: the only one that certainly matches.
pub async fn certain(
    app: &App,
    key: &DataKey,
    organization_id: Uuid,
    message_id: Uuid,
    read: &Patient,
) -> Result<Option<Patient>> {
    let settings: Interoperability = settings::find(app, organization_id).await?;
    if !settings.link_certain_patients {
        return Ok(None);
    }
    let db = app.store.db();
    let Some(row) = message::Entity::find_by_id(message_id).one(db).await? else { return Ok(None) };
    let matches = search::matches(db, &readers_of(db, &row).await?, key, read).await?;
    Ok(search::only_certain(&matches).map(|only| only.known.as_patient()))
}

/// The common read permissions of all readers of this message.
async fn readers_of(db: &impl ConnectionTrait, row: &message::Model) -> Result<Tenant> {
    let mut limited = limited_addresses(db, row.organization_id).await?;
    // The readers of a message to several limited addresses are unknown.
    limited.retain(|address| !row.to_address.trim().eq_ignore_ascii_case(address));
    Ok(Tenant::without(row.organization_id, Unreadable::new(limited)))
}

/// Sets the patient of an open message without one, unless the patient is in doubt.
pub async fn take(
    app: &App,
    txn: &Transaction,
    key: &DataKey,
    message_id: Uuid,
    patient: Patient,
) -> Result<Option<message::Model>> {
    let row = message::Entity::find_by_id(message_id).lock_exclusive().one(txn).await?;
    let is_open = |row: &message::Model| {
        row.direction == Direction::Intake
            && row.processed_at.is_none()
            && row.deleted_at.is_none()
            && row.patient_doubt.is_none()
    };
    let Some(row) = row.filter(is_open) else { return Ok(None) };
    let mut is_taken = false;
    let row = edit_row(txn, key, row, |m| {
        if m.content.patient.as_ref().is_some_and(|patient| *patient != Patient::default()) {
            return Ok(());
        }
        is_taken = true;
        // A visit belongs to the document, not to the person.
        let patient = Patient { visit_id: None, visit_date: None, ..patient };
        let was_by_person = m.content.has_patient_by_person();
        m.content.patient_version += 1;
        if !was_by_person {
            m.content.linked_version = m.content.patient_version;
        }
        m.summary.name_patient(Some(&patient));
        m.content.patient = Some(patient);
        Ok(())
    })
    .await?;
    if !is_taken {
        return Ok(None);
    }
    let act = Act::new(event::CHANGED, "message", message_id)
        .detail(json!({ "fields": ["patient"], "linkedToKnownPatient": true }));
    audit::record(app, txn, &Actor::system(row.organization_id), act).await?;
    Ok(Some(row))
}
