//! The step that puts a signature into the PDF of a document. One signature per run: the next one signs the result.

use super::{
    hashes::{hex, shown_as},
    marks::Given,
    signer::{Signer, signing},
};
use crate::{
    attachments::{held, preview::sentence},
    files::{self, kind_of},
    messages::queries::announce,
    people::names_of,
    workflows::{conversion_policy, platform_error},
};
use async_trait::async_trait;
use bytes::Bytes;
use documents::{Kind, worker::Input};
use platform::{
    App,
    audit::{self, Act, Actor, event},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect,
};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use store::{
    Transaction,
    blobs::BlobInfo,
    entities::{
        attachment, message, organization,
        signature::{self, SignatureState},
        signed_document::{Entity, Model, SigningState},
    },
};
use workflow::{Done, Lane, NewStep, Policy, Step, StepContext, StepError, StepType};

/// Makes a signed PDF.
pub const WORKFLOW: &str = "SignedPdfWorkflow";
/// Puts the next signature into it.
pub const MAKE: StepType = StepType::new("MakeSignedPdf", Lane::Conversion);

const GONE: &str = "The document was deleted after it was signed.";
const CHANGED: &str = "The document was changed after it was signed.";
const NOT_MADE: &str = "The signed PDF could not be made. Please try again.";

pub struct MakeSignedPdf {
    pub app: App,
    pub signer: Arc<dyn Signer>,
}

#[async_trait]
impl Step for MakeSignedPdf {
    fn policy(&self) -> Policy {
        conversion_policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = &self.app;
        let found = Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
        let Some(row) = found.filter(|row| row.state == SigningState::Making) else {
            return Ok(Done::skipped());
        };
        let signature = next_signature(app, &row).await?;
        let source = source(app, &row).await?;
        let pdf = match row.blob_id {
            Some(blob_id) => files::read(app, row.organization_id, blob_id).await.map_err(platform_error)?,
            None => as_pdf(app, &source, &signature).await?,
        };
        let key = app.keys.data_key(row.organization_id).await.map_err(|e| platform_error(e.into()))?;
        let given = Given::open(&key, &signature).map_err(platform_error)?;
        let (Some(given), Some(at)) = (given, signature.settled_at) else {
            return Err(StepError::failed(NOT_MADE));
        };
        let names = names_of(app, [signature.requested_by]).await.map_err(platform_error)?;
        let requester = names.get(&signature.requested_by).cloned().unwrap_or_default();
        let organization = organization::Entity::find_by_id(row.organization_id).one(app.store.db()).await?;
        let organization = organization.map(|of| of.name).unwrap_or_default();
        let what = signing(signature.id, given, organization, &requester, at);
        let signed = self.signer.sign(row.organization_id, pdf, what).await?;
        let blob = files::store_bytes(app, row.organization_id, signed.pdf).await.map_err(platform_error)?;
        Ok(settled(app, cx, row, blob, signed.lacks_timestamp))
    }

    async fn failed(&self, cx: &StepContext, reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        let Some(row) = lock_making(txn, cx.object_id()).await? else { return Ok(()) };
        let mut change = row.into_active_model();
        change.state = Set(SigningState::Failed);
        // Reasons that are no sentences are for operators.
        change.problem = Set(if reason.ends_with('.') { reason } else { NOT_MADE }.into());
        change.update(txn).await.map(|_| ())
    }
}

async fn lock_making(txn: &Transaction, id: uuid::Uuid) -> Result<Option<Model>, DbErr> {
    let found = Entity::find_by_id(id).lock_exclusive().one(txn).await?;
    Ok(found.filter(|row| row.state == SigningState::Making))
}

/// The first signature that is not in the file yet.
async fn next_signature(app: &App, row: &Model) -> Result<signature::Model, StepError> {
    let count = usize::try_from(row.signed_count).unwrap_or_default();
    let missing = || StepError::failed(NOT_MADE);
    let id = row.signatures.0.get(count).ok_or_else(missing)?;
    let found = signature::Entity::find_by_id(*id)
        .filter(signature::Column::State.eq(SignatureState::Signed))
        .one(app.store.db())
        .await?;
    found.ok_or_else(missing)
}

/// The document, if it still is the one that was signed.
async fn source(app: &App, row: &Model) -> Result<attachment::Model, StepError> {
    let found = attachment::Entity::find_by_id(row.attachment_id)
        .filter(attachment::Column::OrganizationId.eq(row.organization_id))
        .filter(attachment::Column::DeletedAt.is_null())
        .one(app.store.db())
        .await?;
    let file = found.ok_or_else(|| StepError::failed(GONE))?;
    if file.blob_id != row.source_blob_id {
        return Err(StepError::failed(CHANGED));
    }
    Ok(file)
}

/// The document as PDF: as it is, or as the signer saw it. Signatures from before that was kept have it converted once
/// more. A document that cannot be shown completely is not signed.
async fn as_pdf(
    app: &App,
    file: &attachment::Model,
    signature: &signature::Model,
) -> Result<Bytes, StepError> {
    let bytes = held::read_in_step(app, file).await?;
    let content = bytes.clone();
    let digest = tokio::task::spawn_blocking(move || hex(&Sha256::digest(&content)));
    let digest = digest.await.map_err(|_| StepError::again("hashing a file ended"))?;
    let is_same =
        |signed: &&signature::SignedFile| signed.attachment_id == file.id && signed.sha256 == digest;
    let Some(signed) = signature.files.0.iter().find(is_same) else {
        return Err(StepError::failed(CHANGED));
    };
    if let Some(blob_id) = signed.pdf_blob_id {
        // Its blob is kept only as long as the document refers to it.
        if shown_as(file) != Some(blob_id) {
            return Err(StepError::failed(CHANGED));
        }
        if let Some(flaws) = &file.preview_error {
            return Err(StepError::failed(flaws.clone()));
        }
        return files::read(app, file.organization_id, blob_id).await.map_err(platform_error);
    }
    let kind = kind_of(file);
    if kind == Kind::Pdf {
        return Ok(bytes);
    }
    if !kind.previewable() {
        return Err(StepError::failed("Files of this type cannot be converted to PDF."));
    }
    let converter = app.converter.of(file.organization_id);
    match converter.preview(Input::bytes(kind, bytes), app.clock.now().naive_utc()).await {
        Ok((pdf, flaws)) => match flaws.words() {
            None => Ok(pdf.into()),
            Some(words) => Err(StepError::failed(words)),
        },
        Err(error) if error.is_permanent() => Err(StepError::failed(sentence(&error))),
        Err(error) => Err(StepError::again(error.to_string())),
    }
}

/// Stores the result with the end of the step, unless another run was faster, and goes on with the next signature.
fn settled(app: &App, cx: &StepContext, before: Model, blob: BlobInfo, lacks_timestamp: bool) -> Done {
    let (app, workflow_id, stage) = (app.clone(), cx.workflow_id(), cx.step.stage);
    let (published, message_id) = (app.clone(), before.message_id);
    let done = Done::with(move |txn| {
        Box::pin(async move {
            let found = lock_making(txn, before.id).await?;
            let is_same =
                |row: &Model| row.signed_count == before.signed_count && row.blob_id == before.blob_id;
            let Some(row) = found.filter(is_same) else { return Ok(()) };
            let (now, count) = (app.clock.now(), row.signed_count + 1);
            let is_last = usize::try_from(count).is_ok_and(|count| count >= row.signatures.0.len());
            let (organization_id, attachment_id) = (row.organization_id, row.attachment_id);
            let lacks_timestamp = lacks_timestamp || row.lacks_timestamp;
            let mut change = row.into_active_model();
            change.signed_count = Set(count);
            change.blob_id = Set(Some(blob.id));
            change.size_bytes = Set(blob.size as i64);
            change.lacks_timestamp = Set(lacks_timestamp);
            if is_last {
                change.state = Set(SigningState::Ready);
                change.ready_at = Set(Some(now));
            } else {
                let next = NewStep::new(stage + 1, MAKE, now);
                workflow::add_steps(txn, workflow_id, organization_id, vec![next]).await?;
            }
            change.update(txn).await?;
            let detail = json!({ "signedPdf": before.id, "signatures": count });
            let act = Act::new(event::SIGNED, "attachment", attachment_id).detail(detail);
            audit::record(&app, txn, &Actor::system(organization_id), act).await.map_err(platform_error)
        })
    });
    done.then(async move {
        let found = message::Entity::find_by_id(message_id).one(published.store.db()).await;
        if let Ok(Some(message)) = found {
            announce(&published, &message).await;
        }
    })
}
