//! Documents that name a patient other than the one chosen by a person.

use crate::{
    attachments::extract,
    files,
    model::Patient,
    sealed::{Content, open_name},
};
use patients::{
    compare::{Comparison, Difference},
    values::Values,
};
use platform::{App, Error, Member, Result};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use serde::Serialize;
use std::collections::HashMap;
use store::{
    entities::{message, patient_extraction},
    keys::DataKey,
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Field of a request by which a person confirms the difference, and the error without it. It names nobody.
pub const FIELD: &str = "acceptsPatient";
const DIFFER: &str = "The document and the patient differ. Please check both.";

/// A document, and the patient it names.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DifferingDocument {
    pub attachment_id: Uuid,
    pub file_name: String,
    pub patient: Patient,
    /// Differences from the patient of the message.
    pub fields: Vec<Difference>,
}

/// The documents of a message that name a different patient, as far as they were read.
pub async fn of_message(
    db: &impl ConnectionTrait,
    key: &DataKey,
    row: &message::Model,
) -> Result<Vec<DifferingDocument>> {
    let Some(chosen) = Content::open(key, row)?.patient else { return Ok(Vec::new()) };
    let chosen = Values::of(&chosen);
    let all = files::of_message(db, row).await?;
    let read = patient_extraction::Entity::find()
        .filter(patient_extraction::Column::AttachmentId.is_in(all.iter().map(|file| file.id)))
        .all(db)
        .await?;
    let read: HashMap<Uuid, patient_extraction::Model> =
        read.into_iter().map(|row| (row.attachment_id, row)).collect();
    let mut found = Vec::new();
    for file in all {
        let Some(row) = read.get(&file.id) else { continue };
        let Some(patient) = extract::named_patient(key, &file, row)? else { continue };
        let fields = Comparison::of(&Values::of(&patient), &chosen).differences();
        if !fields.is_empty() {
            let file_name = open_name(key, &file)?;
            found.push(DifferingDocument { attachment_id: file.id, file_name, patient, fields });
        }
    }
    Ok(found)
}

/// Refuses to assign a document to a patient other than it names, unless a person confirmed that.
pub async fn refuse(
    db: &impl ConnectionTrait,
    key: &DataKey,
    row: &message::Model,
    is_accepted: bool,
) -> Result<()> {
    if is_accepted || of_message(db, key, row).await?.is_empty() {
        return Ok(());
    }
    Err(Error::field(FIELD, DIFFER))
}

/// The documents, as visible to a member.
pub async fn differing_documents(
    app: &App,
    member: &Member,
    row: &message::Model,
) -> Result<Vec<DifferingDocument>> {
    let key = app.keys.data_key(member.organization_id).await?;
    of_message(app.store.db(), &key, row).await
}
