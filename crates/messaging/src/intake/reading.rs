//! Details of listed messages read from their documents on arrival: proposals until a person confirms them.

use super::types::RowProposal;
use crate::{
    attachments::{extract, opening},
    proposals,
};
use platform::{App, Member, Result};
use std::collections::HashMap;
use store::{
    entities::{attachment, message},
    keys::DataKey,
};
use uuid::Uuid;

/// The proposals for open messages, given their files in order. Restricted documents are hidden from people who may not
/// open them.
pub async fn proposals(
    app: &App,
    member: &Member,
    key: &DataKey,
    rows: &[message::Model],
    files: &[attachment::Model],
) -> Result<HashMap<Uuid, RowProposal>> {
    let is_open = |id: Uuid| rows.iter().any(|row| row.id == id && row.processed_at.is_none());
    let shown: Vec<&attachment::Model> = files
        .iter()
        .filter(|file| is_open(file.message_id) && opening::permit(member, key, file).is_ok())
        .collect();
    let (read, types) = tokio::try_join!(
        extract::read_of(app.store.db(), key, &shown),
        proposals::http::types(app, member, key, rows),
    )?;
    let mut found: HashMap<Uuid, RowProposal> = HashMap::new();
    for file in shown {
        let Some(patient) = read.get(&file.id).map(|read| &read.patient) else { continue };
        let proposal = found.entry(file.message_id).or_default();
        let name = Some(patient.display_name()).filter(|name| !name.is_empty());
        if proposal.patient_name.is_none() && name.is_some() {
            proposal.patient_name = name;
            proposal.birth_date = patient.birth_date;
        }
    }
    for (id, name) in types {
        found.entry(id).or_default().document_type = Some(name);
    }
    Ok(found)
}
