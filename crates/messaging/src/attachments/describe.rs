//! Metadata that clinical documents contain. A document that could not be read on arrival counts as restricted, and is
//! read again.

use super::held;
use crate::{
    files::{document_type, kind_of},
    indexes::text,
    matching::whose,
    messages::{
        patients,
        queries::{announce, edit_row},
        rules::DESCRIPTION_LIMIT,
    },
    model::{AttachmentMeta, Confidentiality, Patient},
    sealed::{open_meta, seal_meta},
    workflows::{DESCRIPTION, conversion_policy, platform_error},
};
use documents::{
    Kind,
    worker::{ConvertError, Converter, Input},
};
use platform::{
    App,
    audit::{self, Act, Actor, event},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel, QuerySelect};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        attachment::{self, ScanState},
        message,
    },
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Policy, Step, StepContext, StepError, StepType};

/// The only step of the workflow.
pub const DESCRIBE: StepType = StepType::new("DescribeDocument", Lane::Conversion);

/// Metadata and patient of a document.
pub type Described = (AttachmentMeta, Option<Patient>);

/// Metadata and patient of a structured document. Confidentiality is Normal unless the document says otherwise.
///
/// # Errors
///
/// The machine failed; the document has to be read again.
pub async fn described(converter: &Converter, document: Input) -> Result<Described, ConvertError> {
    let kind = document.kind();
    let outline = match converter.cda_outline(document).await {
        Ok(outline) => outline,
        Err(error) if error.is_permanent() => return Ok((said_nothing(kind), None)),
        Err(error) => return Err(error),
    };
    let meta = AttachmentMeta {
        confidentiality: Some(outline.confidentiality),
        document_type: Some(outline.title.chars().take(DESCRIPTION_LIMIT).collect()),
        document_date: outline.effective_time.and_then(|time| time.date()),
        ..AttachmentMeta::default()
    };
    Ok((meta, outline.patient.map(patients::of_document)))
}

/// Metadata of an unreadable document. A clinical document may be marked as confidential without anybody seeing it;
/// other structured files have no such mark.
fn said_nothing(kind: Kind) -> AttachmentMeta {
    if kind == Kind::Cda {
        return unread();
    }
    AttachmentMeta { confidentiality: Some(Confidentiality::Normal), ..AttachmentMeta::default() }
}

/// Metadata of a document that has not been read yet.
pub fn unread() -> AttachmentMeta {
    AttachmentMeta { confidentiality: Some(Confidentiality::Restricted), ..AttachmentMeta::default() }
}

/// Schedules another reading of a document, in the transaction that stores it.
pub async fn enqueue(app: &App, txn: &Transaction, organization_id: Uuid, id: Uuid) -> Result<(), StepError> {
    let now = app.clock.now();
    let steps = vec![NewStep::new(0, DESCRIBE, now)];
    workflow::enqueue(
        txn,
        now,
        NewWorkflow { organization_id, kind: DESCRIPTION.into(), object_id: id, steps },
    )
    .await?;
    Ok(())
}

/// Reads a document again. Until that succeeds, the document stays restricted.
pub struct DescribeDocument(pub App);

#[async_trait::async_trait]
impl Step for DescribeDocument {
    /// Retries patiently, because the machine was busy.
    fn policy(&self) -> Policy {
        Policy { max_attempts: 12, ..conversion_policy() }
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.0.clone();
        let found = attachment::Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
        let is_there = |file: &attachment::Model| file.deleted_at.is_none();
        let is_wanted = |file: &attachment::Model| is_there(file) && file.scan_state != ScanState::Infected;
        let Some(file) = found.filter(is_wanted) else { return Ok(Done::skipped()) };
        let bytes = held::read_in_step(&app, &file).await?;
        let converter = app.batch_converter.of(file.organization_id);
        let said = described(&converter, Input::bytes(kind_of(&file), bytes)).await;
        let said = said.map_err(|error| StepError::again(error.to_string()))?;
        let patient =
            patients::named_for(&app, file.organization_id, said.1).await.map_err(platform_error)?;
        let said = (said.0, patient);
        let message = message::Entity::find_by_id(file.message_id).one(app.store.db()).await?;
        let writer = app.clone();
        let done = Done::with(move |txn| Box::pin(async move { write(&writer, txn, file, said).await }));
        Ok(done.then(async move {
            if let Some(message) = message {
                announce(&app, &message).await;
            }
        }))
    }
}

/// Stores what the document says in fields that people have not filled in. They cannot set its confidentiality.
async fn write(
    app: &App,
    txn: &Transaction,
    before: attachment::Model,
    (said, patient): Described,
) -> Result<(), StepError> {
    let again = |error: store::keys::KeyError| platform_error(error.into());
    let message = message::Entity::find_by_id(before.message_id).lock_exclusive().one(txn).await?;
    let file = attachment::Entity::find_by_id(before.id).lock_exclusive().one(txn).await?;
    let (Some(message), Some(file)) = (message, file) else { return Ok(()) };
    if file.deleted_at.is_some() || message.deleted_at.is_some() || file.blob_id != before.blob_id {
        return Ok(());
    }
    let key = app.keys.data_key(file.organization_id).await.map_err(again)?;
    let (id, organization_id) = (file.id, file.organization_id);
    let old = open_meta(&key, &file).map_err(platform_error)?;
    let meta = AttachmentMeta {
        confidentiality: said.confidentiality,
        document_type: old.document_type.clone().or(said.document_type),
        document_date: old.document_date.or(said.document_date),
        version: old.version + 1,
        ..old
    };
    let mut row = file.into_active_model();
    row.sealed_meta = Set(seal_meta(&key, id, &meta).map_err(platform_error)?);
    let row = row.update(txn).await?;
    text::due(txn, &row, app.clock.now()).await?;
    let document_type = document_type(txn, &key, &message).await.map_err(platform_error)?;
    edit_row(txn, &key, message, |m| {
        m.summary.document_type = document_type;
        if let Some(patient) = patient {
            m.row.patient_doubt =
                whose::also(&mut m.summary, &mut m.content, patient).or(m.row.patient_doubt);
        }
        Ok(())
    })
    .await
    .map_err(platform_error)?;
    let act = Act::new(event::CHANGED, "attachment", id).detail(json!({ "readAgain": true }));
    audit::record(app, txn, &Actor::system(organization_id), act).await.map_err(platform_error)
}
