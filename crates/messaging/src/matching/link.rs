//! A patient who was read from a document and is certainly a known one is taken over at once, if the organization wants that.

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

/// The known patient to be taken over by a message: the only one who it certainly is.
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

/// What everybody may read who may read this message.
async fn readers_of(db: &impl ConnectionTrait, row: &message::Model) -> Result<Tenant> {
    let mut limited = limited_addresses(db, row.organization_id).await?;
    // Of a message to several limited addresses nobody knows whose readers read it.
    limited.retain(|address| !row.to_address.trim().eq_ignore_ascii_case(address));
    Ok(Tenant::without(row.organization_id, Unreadable::new(limited)))
}

/// Names the patient of a message that is still to be done and names nobody; not where it is in doubt who that is.
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
        // A visit is not the person's but the document's.
        let patient = Patient { visit_id: None, visit_date: None, ..patient };
        m.content.patient_version += 1;
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
