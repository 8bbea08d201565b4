//! Conversion of files in place: the result replaces the file, and the original is kept and can be restored.

use super::{
    held, opening,
    preview::{Source, sentence},
    queries::MESSAGE_LIMIT,
};
use crate::{
    attachments::form::{self, Form},
    files::{self, FILE_LIMIT, find_in, kind_of, kind_text, totals},
    indexes::text,
    messages::{
        plans,
        queries::{announce, lock},
    },
    model::{Conversion, Direction, PreviewState},
    sealed::{Content, open_meta, open_name, seal_name},
    workflows::{TRANSFORM, conversion_policy, platform_error},
};
use bytes::Bytes;
use documents::{Kind, worker::Input};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel, ModelTrait, QuerySelect};
use serde_json::json;
use store::{
    Transaction,
    blobs::BlobInfo,
    entities::{
        attachment, attachment::Transform, attachment_original, message, organization, plan::Function,
    },
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Policy, Step, StepContext, StepError, StepType};

/// The only step of the workflow.
pub const CONVERT: StepType = StepType::new("ConvertAttachment", Lane::Conversion);

const UNDER_WAY: &str = "The file is being converted. Please wait until it is done.";
const NOT_POSSIBLE: &str = "The file could not be converted. Please try again.";

/// The pending conversion of a file.
pub fn pending(row: &attachment::Model) -> Option<&Transform> {
    row.transform.as_ref().filter(|transform| transform.failure.is_none())
}

/// Starts conversions of a file, one after the other. Repeating the request while they run has no effect.
pub async fn request(
    app: &App,
    member: &Member,
    message_id: Uuid,
    id: Uuid,
    to: Vec<Conversion>,
) -> Result<attachment::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let message = lock(&txn, member, message_id).await?;
    changeable(&message)?;
    // Received files are converted for download, while files that are sent as C-CDA are wrapped by sending.
    if message.direction == Direction::Intake && to.contains(&Conversion::Cda) {
        plans::require(&txn, member.organization_id, Function::StructuredExport).await?;
    }
    let row = find_in(&txn, member, message_id, id).await?;
    opening::permit(member, &key, &row)?;
    held::require_open(&row)?;
    if let Some(under_way) = pending(&row) {
        return if under_way.to == to { Ok(row) } else { Err(Error::Conflict(UNDER_WAY.into())) };
    }
    to.iter().try_fold(kind_of(&row), |kind, to| result_of(kind, *to))?;
    let now = app.clock.now();
    let steps = vec![NewStep::new(0, CONVERT, now).with_meta(json!(Source::of(&row)))];
    let job =
        NewWorkflow { organization_id: row.organization_id, kind: TRANSFORM.into(), object_id: id, steps };
    workflow::enqueue(&txn, now, job).await?;
    let names: Vec<_> = to.iter().map(ToString::to_string).collect();
    let mut change = row.into_active_model();
    change.transform = Set(Some(Transform { to, failure: None }));
    let row = change.update(&txn).await?;
    let act = Act::new(event::CHANGED, "attachment", id).detail(json!({ "convertTo": names }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(row)
}

/// The resulting kind of a conversion.
fn result_of(kind: Kind, to: Conversion) -> Result<Kind> {
    let refuse = |text: &'static str| Err(Error::Conflict(text.into()));
    match to {
        Conversion::Pdf if kind == Kind::Pdf => refuse("This file is already a PDF."),
        Conversion::Cda if kind.structured() => refuse("This file is already a structured document."),
        _ if !kind.printable() => refuse("Files of this type cannot be converted."),
        Conversion::Pdf => Ok(Kind::Pdf),
        Conversion::Cda => Ok(Kind::Cda),
    }
}

/// Refuses changes of a sent message.
pub fn changeable(message: &message::Model) -> Result<()> {
    if message.direction == Direction::Release && !message.is_draft {
        return Err(Error::Conflict("A sent message cannot be changed.".into()));
    }
    Ok(())
}

/// Replaces a converted file with its original.
pub async fn restore(app: &App, member: &Member, message_id: Uuid, id: Uuid) -> Result<attachment::Model> {
    let txn = app.store.begin().await?;
    let message = lock(&txn, member, message_id).await?;
    changeable(&message)?;
    let row = find_in(&txn, member, message_id, id).await?;
    if pending(&row).is_some() {
        return Err(Error::Conflict(UNDER_WAY.into()));
    }
    let original = attachment_original::Entity::find_by_id(id).one(&txn).await?;
    let original = original.ok_or_else(|| Error::Conflict("This file has not been converted.".into()))?;
    original.clone().delete(&txn).await?;
    let row = attachment::ActiveModel {
        id: Set(id),
        sealed_name: Set(original.sealed_name),
        kind: Set(original.kind),
        mime_type: Set(original.mime_type),
        size_bytes: Set(original.size_bytes),
        blob_id: Set(original.blob_id),
        pdf_blob_id: Set(original.pdf_blob_id),
        preview_state: Set(original.preview_state),
        preview_error: Set(original.preview_error),
        page_count: Set(original.page_count),
        transform: Set(None),
        is_converted: Set(false),
        // The hash of the original was not stored; it is computed again on demand.
        content_hash: Set(None),
        ..Default::default()
    };
    let row = row.update(&txn).await?;
    text::due(&txn, &row, app.clock.now()).await?;
    let act = Act::new(event::CHANGED, "attachment", id).detail(json!({ "restored": true }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    announce(app, &message).await;
    Ok(row)
}

/// Performs the requested conversion.
pub struct ConvertAttachment(pub App);

/// A converted file in storage.
struct Made {
    name: String,
    kind: Kind,
    blob: BlobInfo,
}

#[async_trait::async_trait]
impl Step for ConvertAttachment {
    fn policy(&self) -> Policy {
        conversion_policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.0.clone();
        let db = app.store.db();
        let found = attachment::Entity::find_by_id(cx.object_id()).one(db).await?;
        let Some(row) = found.filter(|row| row.deleted_at.is_none() && pending(row).is_some()) else {
            return Ok(Done::skipped());
        };
        let message = message::Entity::find_by_id(row.message_id).one(db).await?;
        let message = message.ok_or_else(|| StepError::failed("the message does not exist"))?;
        let made = make(&app, &row, &message).await?;
        let (writer, organization_id, attachment_id) = (app.clone(), row.organization_id, row.id);
        let done = Done::with(move |txn| Box::pin(async move { write(&writer, txn, row, made).await }));
        Ok(done.then(async move {
            app.bus.publish(Event::Preview { organization_id, attachment_id }).await;
            announce(&app, &message).await;
        }))
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), sea_orm::DbErr> {
        let Some(row) = attachment::Entity::find_by_id(cx.object_id()).one(txn).await? else { return Ok(()) };
        if pending(&row).is_some() {
            fail(txn, row, NOT_POSSIBLE.into()).await?;
        }
        Ok(())
    }
}

async fn fail(txn: &Transaction, row: attachment::Model, reason: String) -> Result<(), sea_orm::DbErr> {
    let transform = row.transform.clone().map(|t| Transform { failure: Some(reason), ..t });
    let mut change = row.into_active_model();
    change.transform = Set(transform);
    change.update(txn).await.map(|_| ())
}

/// The converted file, or a sentence for people that says why there is none.
async fn make(
    app: &App,
    row: &attachment::Model,
    message: &message::Model,
) -> Result<Result<Made, String>, StepError> {
    let organization_id = row.organization_id;
    let key = app.keys.data_key(organization_id).await.map_err(|error| platform_error(error.into()))?;
    let mut name = open_name(&key, row).map_err(platform_error)?;
    let mut kind = kind_of(row);
    let mut bytes = held::read_in_step(app, row).await?;
    for to in row.transform.iter().flat_map(|transform| &transform.to) {
        let media_type = form::media_type(kind).filter(|_| *to == Conversion::Cda);
        if media_type.is_none() {
            // The existing preview is the result of the conversion.
            let shown = row.pdf_blob_id.filter(|_| kind == kind_of(row));
            bytes = match shown {
                Some(blob_id) => files::read(app, organization_id, blob_id).await.map_err(platform_error)?,
                None => match pdf(app, organization_id, kind, bytes).await? {
                    Ok(pdf) => pdf,
                    Err(reason) => return Ok(Err(reason)),
                },
            };
        }
        match to {
            Conversion::Pdf => (name, kind) = (form::with_extension(&name, "pdf"), Kind::Pdf),
            Conversion::Cda => {
                bytes = wrap(app, &key, row, message, &name, media_type, bytes).await?;
                (name, kind) = (form::with_extension(&name, "xml"), Kind::Cda);
            }
        }
    }
    if bytes.len() as u64 > FILE_LIMIT {
        return Ok(Err("The converted file would be larger than 20 MB.".into()));
    }
    let again = |error: &dyn std::fmt::Display| StepError::again(error.to_string());
    let blob = app.blobs.put(&key, organization_id, Uuid::now_v7(), bytes).await.map_err(|e| again(&e))?;
    app.blobs.sync().await.map_err(|e| again(&e))?;
    Ok(Ok(Made { name, kind, blob }))
}

async fn pdf(
    app: &App,
    organization_id: Uuid,
    kind: Kind,
    bytes: Bytes,
) -> Result<Result<Bytes, String>, StepError> {
    let (input, now) = (Input::bytes(kind, bytes), app.clock.now().naive_utc());
    match app.converter.of(organization_id).to_pdf_to_keep(input, now).await {
        Ok(pdf) => Ok(Ok(pdf.into())),
        Err(error) if error.is_permanent() => Ok(Err(sentence(&error))),
        Err(error) => Err(StepError::again(error.to_string())),
    }
}

/// An Unstructured Document around the file, converted to PDF if its media type is not allowed there.
async fn wrap(
    app: &App,
    key: &DataKey,
    row: &attachment::Model,
    message: &message::Model,
    name: &str,
    media_type: Option<&'static str>,
    bytes: Bytes,
) -> Result<Bytes, StepError> {
    let organization = organization::Entity::find_by_id(row.organization_id).one(app.store.db()).await?;
    let organization = organization.ok_or_else(|| StepError::failed("the organization does not exist"))?;
    let patient = Content::open(key, message).map_err(platform_error)?.patient;
    let meta = open_meta(key, row).map_err(platform_error)?;
    let form = Form { app, key, message, organization: &organization, patient };
    let media_type = media_type.unwrap_or(Kind::Pdf.mime_type());
    Ok(form.wrap(row.id, name, &meta, media_type, &bytes).into())
}

/// Replaces the file with the result, unless the file has changed meanwhile.
async fn write(
    app: &App,
    txn: &Transaction,
    before: attachment::Model,
    made: Result<Made, String>,
) -> Result<(), StepError> {
    let message = message::Entity::find_by_id(before.message_id).lock_exclusive().one(txn).await?;
    let row = attachment::Entity::find_by_id(before.id).one(txn).await?;
    let (Some(message), Some(row)) = (message, row) else { return Ok(()) };
    let is_same = row.blob_id == before.blob_id && row.transform == before.transform;
    if row.deleted_at.is_some() || !is_same {
        return Ok(());
    }
    if changeable(&message).is_err() {
        let mut sent = row.into_active_model();
        sent.transform = Set(None);
        sent.update(txn).await?;
        return Ok(());
    }
    let Made { name, kind, blob } = match made {
        Ok(made) => made,
        Err(reason) => return Ok(fail(txn, row, reason).await?),
    };
    let (_, bytes) = totals(txn, message.id).await.map_err(platform_error)?;
    if message.is_draft && bytes - row.size_bytes + blob.size as i64 > MESSAGE_LIMIT {
        let reason =
            "The converted file is too large: the attachments of a message can be at most 25 MB in total.";
        return Ok(fail(txn, row, reason.into()).await?);
    }
    let key = app.keys.data_key(row.organization_id).await.map_err(|error| platform_error(error.into()))?;
    let (id, organization_id) = (row.id, row.organization_id);
    if !row.is_converted {
        let original = attachment_original::Entity::insert(original_of(&row).into_active_model());
        original.exec_without_returning(txn).await?;
    }
    let is_pdf = kind == Kind::Pdf;
    let mut change = row.into_active_model();
    change.sealed_name = Set(seal_name(&key, id, &files::plain_name(&name)));
    change.kind = Set(kind_text(kind));
    change.mime_type = Set(kind.mime_type().into());
    change.size_bytes = Set(blob.size as i64);
    change.blob_id = Set(blob.id);
    change.pdf_blob_id = Set(is_pdf.then_some(blob.id));
    change.preview_state = Set(if is_pdf { PreviewState::Available } else { PreviewState::NotRequested });
    change.preview_error = Set(None);
    change.page_count = Set(None);
    change.transform = Set(None);
    change.is_converted = Set(true);
    change.content_hash = Set(Some(key.content_hash(&blob.sha256)));
    let row = change.update(txn).await?;
    text::due(txn, &row, app.clock.now()).await?;
    let act = Act::new(event::CHANGED, "attachment", id).detail(json!({ "converted": kind_text(kind) }));
    audit::record(app, txn, &Actor::system(organization_id), act).await.map_err(platform_error)
}

/// The present file as an original. A pending preview is requested again after a restore.
fn original_of(row: &attachment::Model) -> attachment_original::Model {
    let is_in_work = row.preview_state == PreviewState::Processing;
    attachment_original::Model {
        attachment_id: row.id,
        sealed_name: row.sealed_name.clone(),
        kind: row.kind.clone(),
        mime_type: row.mime_type.clone(),
        size_bytes: row.size_bytes,
        blob_id: row.blob_id,
        pdf_blob_id: row.pdf_blob_id,
        preview_state: if is_in_work { PreviewState::NotRequested } else { row.preview_state },
        preview_error: row.preview_error.clone(),
        page_count: row.page_count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_shown_becomes_pdf_or_a_document_and_nothing_becomes_what_it_is() {
        let becomes = |kind, to| result_of(kind, to).ok();
        assert_eq!(becomes(Kind::Tiff, Conversion::Pdf), Some(Kind::Pdf));
        assert_eq!(becomes(Kind::Tiff, Conversion::Cda), Some(Kind::Cda));
        assert_eq!(becomes(Kind::Cda, Conversion::Pdf), Some(Kind::Pdf));
        assert_eq!(becomes(Kind::Pdf, Conversion::Pdf), None);
        assert_eq!(becomes(Kind::Hl7, Conversion::Cda), None);
        assert_eq!(becomes(Kind::Zip, Conversion::Pdf), None);
        assert_eq!(becomes(Kind::Mail, Conversion::Pdf), Some(Kind::Pdf));
        assert_eq!(becomes(Kind::Fhir, Conversion::Cda), Some(Kind::Cda));
    }
}
