//! The parts of a clinical document for the CDA Explorer, and what is new since the patient's last document.

use super::{held, opening};
use crate::{
    files::kind_text, indexes::patient_links::earlier_messages, messages::patients::of_document,
    model::Patient,
};
use chrono::{DateTime, Utc};
use clinical::cda::{Timestamp, compare, outline::Outline};
use documents::{Kind, worker::Input};
use patients::compare::is_same;
use platform::{
    App, Member, Result,
    audit::{self, Act, event},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use store::entities::{attachment, message};
use uuid::Uuid;

/// Number of earlier documents to try for a comparison.
const TRIED: usize = 3;

/// A document and the one it is compared with.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explored {
    #[serde(flatten)]
    outline: Outline,
    compared_with: Option<Earlier>,
}

/// The patient's last document before this one.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Earlier {
    message_id: Uuid,
    attachment_id: Uuid,
    title: String,
    /// Time of creation (HL7 TS, as written).
    effective_time: Option<Timestamp>,
    received_date: DateTime<Utc>,
}

/// The content of a document for people who may read it. Entries are marked as new or known if the patient has an
/// earlier document.
pub async fn explored(
    app: &App,
    member: &Member,
    row: &attachment::Model,
    mut outline: Outline,
) -> Result<Explored> {
    let found = match outline.patient.clone().map(of_document) {
        Some(patient) => earlier(app, member, row, &patient).await?,
        None => None,
    };
    let (compared_with, before) = found.unzip();
    compare(&mut outline, before.as_ref());
    Ok(Explored { outline, compared_with })
}

async fn earlier(
    app: &App,
    member: &Member,
    row: &attachment::Model,
    patient: &Patient,
) -> Result<Option<(Earlier, Outline)>> {
    let (db, tenant) = (app.store.db(), member.tenant());
    let key = app.keys.data_key(member.organization_id).await?;
    let Some(message) = message::Entity::find_by_id(row.message_id).one(db).await? else { return Ok(None) };
    let messages = earlier_messages(db, &tenant, &key, patient, message.received_at).await?;
    let received: HashMap<Uuid, DateTime<Utc>> =
        messages.iter().map(|row| (row.id, row.received_at)).collect();
    let files = tenant
        .attachments()
        .filter(attachment::Column::MessageId.is_in(received.keys().copied()))
        .filter(attachment::Column::Kind.eq(kind_text(Kind::Cda)))
        .order_by_asc(attachment::Column::Position);
    let mut files = files.all(db).await?;
    files.sort_by_key(|file| std::cmp::Reverse(received.get(&file.message_id).copied()));
    files.retain(|file| opening::permit(member, &key, file).is_ok() && held::require_open(file).is_ok());
    for file in files.into_iter().take(TRIED) {
        let Some(before) = read(app, member, &file).await else { continue };
        let is_of_patient = before.patient.clone().is_some_and(|other| is_same(patient, &of_document(other)));
        if !is_of_patient {
            continue;
        }
        let act = Act::new(event::VIEWED, "attachment", file.id).detail(json!({ "comparedWith": row.id }));
        audit::record_read(app, &member.caller, act).await?;
        let earlier = Earlier {
            message_id: file.message_id,
            attachment_id: file.id,
            title: before.title.clone(),
            effective_time: before.effective_time.clone(),
            received_date: received.get(&file.message_id).copied().unwrap_or(message.received_at),
        };
        return Ok(Some((earlier, before)));
    }
    Ok(None)
}

/// An earlier document; `None` if it cannot be read.
async fn read(app: &App, member: &Member, file: &attachment::Model) -> Option<Outline> {
    let bytes = opening::read(app, member, file).await.ok()?;
    app.converter.of(member.organization_id).cda_outline(Input::bytes(Kind::Cda, bytes)).await.ok()
}
