//! Signed PDF files: which are made, and who gets them.

use super::{
    steps::{MAKE, WORKFLOW},
    types::SignedPdf,
};
use crate::{
    attachments::{held, opening},
    files,
    messages::queries::{self as messages, announce},
    people::{PersonView, names_of},
    sealed::open_name,
};
use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    download,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, Select,
};
use serde_json::json;
use std::collections::HashMap;
use store::{
    Transaction,
    entities::{
        attachment, message,
        signature::{self, SignedFile},
        signed_document::{Column, Entity, Model, SignatureIds, SigningState},
    },
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{NewStep, NewWorkflow};

const NOT_READY: &str = "The signed PDF is not ready yet.";

fn of_message(message: &message::Model) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(message.organization_id))
        .filter(Column::MessageId.eq(message.id))
        .order_by_asc(Column::Id)
}

/// Adds a signature to the documents that were signed, in the transaction of the signature. The message is locked.
pub async fn begin(
    txn: &Transaction,
    message: &message::Model,
    signed: &[SignedFile],
    signature_id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    for file in signed {
        let known = of_message(message)
            .filter(Column::AttachmentId.eq(file.attachment_id))
            .filter(Column::SourceBlobId.eq(file.blob_id))
            .lock_exclusive();
        let row = match known.one(txn).await? {
            Some(row) => {
                let was_making = row.state == SigningState::Making;
                let mut ids = row.signatures.clone();
                ids.0.push(signature_id);
                let mut change = row.into_active_model();
                change.signatures = Set(ids);
                change.state = Set(SigningState::Making);
                change.problem = Set(String::new());
                let row = change.update(txn).await?;
                // The step that works on it goes on with this one.
                if was_making {
                    continue;
                }
                row
            }
            None => insert(txn, message, file, signature_id, now).await?,
        };
        enqueue(txn, &row, now).await?;
    }
    Ok(())
}

async fn insert(
    txn: &Transaction,
    message: &message::Model,
    file: &SignedFile,
    signature_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Model> {
    let row = Model {
        id: Uuid::now_v7(),
        organization_id: message.organization_id,
        message_id: message.id,
        attachment_id: file.attachment_id,
        source_blob_id: file.blob_id,
        state: SigningState::Making,
        signatures: SignatureIds(vec![signature_id]),
        signed_count: 0,
        blob_id: None,
        size_bytes: 0,
        lacks_timestamp: false,
        problem: String::new(),
        created_at: now,
        ready_at: None,
    };
    Ok(row.into_active_model().insert(txn).await?)
}

async fn enqueue(txn: &Transaction, row: &Model, now: DateTime<Utc>) -> Result<()> {
    let work = NewWorkflow {
        organization_id: row.organization_id,
        kind: WORKFLOW.into(),
        object_id: row.id,
        steps: vec![NewStep::new(0, MAKE, now)],
    };
    workflow::enqueue(txn, now, work).await?;
    Ok(())
}

/// The signed PDF files of a message.
pub async fn view(
    app: &App,
    key: &DataKey,
    message: &message::Model,
    now: &[attachment::Model],
) -> Result<Vec<SignedPdf>> {
    let db = app.store.db();
    let rows = of_message(message).all(db).await?;
    let ids = rows.iter().flat_map(|row| row.signatures.0.iter().copied());
    let signatures = signature::Entity::find().filter(signature::Column::Id.is_in(ids)).all(db).await?;
    let names = names_of(app, signatures.iter().map(|row| row.signer_id)).await?;
    let signers: HashMap<Uuid, PersonView> = signatures
        .into_iter()
        .map(|row| {
            (
                row.id,
                PersonView {
                    id: row.signer_id,
                    name: names.get(&row.signer_id).cloned().unwrap_or_default(),
                },
            )
        })
        .collect();
    let shown = |row: Model| {
        let file = now.iter().find(|file| file.id == row.attachment_id)?;
        let is_outdated = file.blob_id != row.source_blob_id;
        let count = usize::try_from(row.signed_count).unwrap_or_default();
        let made = |name| SignedPdf {
            attachment_id: row.attachment_id,
            file_name: pdf_name(name),
            state: row.state,
            signed_by: row
                .signatures
                .0
                .iter()
                .take(count)
                .filter_map(|id| signers.get(id).cloned())
                .collect(),
            problem: row.problem.clone(),
            size_bytes: row.size_bytes,
            lacks_timestamp: row.lacks_timestamp,
            is_outdated,
            ready_on: row.ready_at,
        };
        Some(open_name(key, file).map(made))
    };
    rows.into_iter().filter_map(shown).collect()
}

/// Name of the signed PDF of a document.
fn pdf_name(name: String) -> String {
    let lower = name.to_ascii_lowercase();
    let stem = name.get(..lower.len().saturating_sub(4)).filter(|_| lower.ends_with(".pdf"));
    format!("{} (signed).pdf", stem.unwrap_or(&name))
}

/// The signed PDF of a document, for download.
pub async fn download(app: &App, member: &Member, message_id: Uuid, id: Uuid) -> Result<Response> {
    let file = files::find(app, member, message_id, id).await?;
    let answer = content(app, member, &file).await;
    let act = Act::new(event::DOWNLOADED, "attachment", id)
        .detail(json!({ "message": message_id, "signed": true }));
    let act = if answer.is_ok() { act } else { act.failed() };
    audit::record_read(app, &member.caller, act).await?;
    answer
}

async fn content(app: &App, member: &Member, file: &attachment::Model) -> Result<Response> {
    opening::permit_all(app, member, std::slice::from_ref(file)).await?;
    held::require_open(file)?;
    let newest = Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::MessageId.eq(file.message_id))
        .filter(Column::AttachmentId.eq(file.id))
        .order_by_desc(Column::Id)
        .limit(1);
    let row = newest.one(app.store.db()).await?.ok_or(Error::NotFound)?;
    let Some(blob_id) = row.blob_id else { return Err(Error::Conflict(NOT_READY.into())) };
    let key = app.keys.data_key(member.organization_id).await?;
    let name = pdf_name(open_name(&key, file)?);
    let headers = AppendHeaders([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, download::attachment(&name)),
    ]);
    let stream = app.blobs.reader(&key, member.organization_id, blob_id);
    Ok((headers, Body::from_stream(stream)).into_response())
}

/// Tries again to make a signed PDF.
pub async fn retry(app: &App, member: &Member, message_id: Uuid, id: Uuid) -> Result<message::Model> {
    let txn = app.store.begin().await?;
    let message = messages::lock(&txn, member, message_id).await?;
    let failed = of_message(&message)
        .filter(Column::AttachmentId.eq(id))
        .order_by_desc(Column::Id)
        .limit(1)
        .lock_exclusive();
    let row = failed.one(&txn).await?.ok_or(Error::NotFound)?;
    if row.state != SigningState::Failed {
        return Err(Error::Conflict("The signed PDF did not fail.".into()));
    }
    let now = app.clock.now();
    let mut change = row.into_active_model();
    change.state = Set(SigningState::Making);
    change.problem = Set(String::new());
    let row = change.update(&txn).await?;
    enqueue(&txn, &row, now).await?;
    let act = Act::new(event::CHANGED, "attachment", id).detail(json!({ "signedPdf": "retry" }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    announce(app, &message).await;
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::pdf_name;

    #[test]
    fn a_signed_pdf_is_called_like_its_document() {
        assert_eq!(pdf_name("Note.PDF".into()), "Note (signed).pdf");
        assert_eq!(pdf_name("Réf.txt".into()), "Réf.txt (signed).pdf");
        assert_eq!(pdf_name("İ.pdf".into()), "İ (signed).pdf");
    }
}
