//! Setting the patient of an open or filed message.

use crate::{
    indexes::patient_links,
    messages::{
        queries::{Editing, announce, edit_row, lock},
        rules::check_visit,
    },
    model::{Direction, Patient},
};
use patients::{decisions, index};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    fields::FieldErrors,
};
use serde_json::json;
use store::entities::message;
use uuid::Uuid;

/// Sets the patient of a message at the version that was read. Moving a filed message to another patient leaves an
/// entry in the history of both.
pub async fn set_patient(
    app: &App,
    member: &Member,
    id: Uuid,
    patient: Patient,
    version: Option<u32>,
) -> Result<message::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = lock(&txn, member, id).await?;
    let before = patient_links::patient_of(&txn, &row).await?;
    let row = edit_row(&txn, &key, row, |m| {
        editable(m)?;
        Error::unless_current(version, &m.content.patient_version, "this patient")?;
        if m.row.is_draft {
            // An open composer contains the patient too, so its draft is outdated.
            m.content.draft_version += 1;
        }
        let mut errors = FieldErrors::default();
        check_visit(m.content.origin.as_deref(), Some(&patient), app.clock.now().date_naive(), &mut errors);
        errors.check()?;
        m.content.patient_version += 1;
        m.summary.name_patient(Some(&patient));
        m.content.patient = Some(patient);
        Ok(())
    })
    .await?;
    let source = index::of_message(&txn, id).await?.filter(|_| row.processed_at.is_some());
    if let (Some(from), Some(source)) = (before, source)
        && from != source.patient_id
    {
        decisions::moved(&txn, member, (from, source.patient_id), source.id, app.clock.now()).await?;
    }
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "fields": ["patient"] }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    announce(app, &row).await;
    Ok(row)
}

/// Refuses changes of a sent message.
fn editable(editing: &Editing) -> Result<()> {
    if editing.row.direction == Direction::Release && !editing.row.is_draft {
        return Err(Error::Conflict("A sent message cannot be changed.".into()));
    }
    Ok(())
}
