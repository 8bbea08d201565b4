//! Previews: other files are converted to PDF in the background.

use super::held;
use crate::{
    files::kind_of,
    model::PreviewState,
    workflows::{PREVIEW, conversion_policy},
};
use documents::{
    Kind,
    worker::{ConvertError, Fault, Input},
};
use platform::{App, Error, Result, bus::Event};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Transaction, entities::attachment};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Policy, Step, StepContext, StepError, StepType};

/// The only step of the preview workflow.
pub const MAKE: StepType = StepType::new("MakePreview", Lane::Conversion);

/// Source of a conversion, for diagnostics after the file has changed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    pub kind: Option<String>,
    pub size_bytes: Option<i64>,
    /// Whether somebody is waiting for it.
    pub has_priority: bool,
}

impl Source {
    pub fn of(row: &attachment::Model) -> Self {
        Self { kind: Some(row.kind.clone()), size_bytes: Some(row.size_bytes), has_priority: false }
    }
}

/// Marks a file as converting and enqueues the conversion, in the caller's transaction.
pub async fn enqueue(app: &App, txn: &Transaction, row: &attachment::Model) -> Result<()> {
    enqueue_with(app, txn, row, false).await
}

/// Starts the preview, unless it was started since the row was read.
pub async fn start(app: &App, row: &attachment::Model) -> Result<()> {
    let txn = app.store.begin().await?;
    let row = attachment::Entity::find_by_id(row.id).lock_exclusive().one(&txn).await?;
    let row = row.filter(|row| row.deleted_at.is_none()).ok_or(Error::NotFound)?;
    if [PreviewState::Processing, PreviewState::Available].contains(&row.preview_state) {
        return Ok(());
    }
    enqueue(app, &txn, &row).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}

/// Like [`enqueue`]; with priority it overtakes conversions that nobody waits for.
pub async fn enqueue_with(
    app: &App,
    txn: &Transaction,
    row: &attachment::Model,
    has_priority: bool,
) -> Result<()> {
    let now = app.clock.now();
    let mut change = row.clone().into_active_model();
    change.preview_state = Set(PreviewState::Processing);
    change.preview_error = Set(None);
    change.update(txn).await?;
    let source = Source { has_priority, ..Source::of(row) };
    let steps = vec![NewStep::new(0, MAKE, now).with_meta(json!(source))];
    let job =
        NewWorkflow { organization_id: row.organization_id, kind: PREVIEW.into(), object_id: row.id, steps };
    workflow::enqueue(txn, now, job).await?;
    Ok(())
}

/// Converts one file.
pub struct MakePreview(pub App);

#[async_trait::async_trait]
impl Step for MakePreview {
    fn policy(&self) -> Policy {
        conversion_policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.0.clone();
        let found = attachment::Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
        let Some(row) = found.filter(|r| r.deleted_at.is_none()) else { return Ok(Done::skipped()) };
        let Source { has_priority, .. } = cx.meta()?;
        let outcome = convert(&app, &row, has_priority).await?;
        let (organization_id, attachment_id, blob_id) = (row.organization_id, row.id, row.blob_id);
        let mut change: attachment::ActiveModel = Default::default();
        match outcome {
            Ok((blob_id, remark)) => {
                change.pdf_blob_id = Set(Some(blob_id));
                change.preview_state = Set(PreviewState::Available);
                change.preview_error = Set(remark);
            }
            Err(reason) => {
                change.preview_state = Set(PreviewState::Failed);
                change.preview_error = Set(Some(reason));
            }
        }
        let published = app.clone();
        let done = Done::with(move |txn| {
            Box::pin(async move {
                // Only if the file was not converted meanwhile, because then its bytes are different.
                let same = attachment::Entity::update_many()
                    .set(change)
                    .filter(attachment::Column::Id.eq(attachment_id))
                    .filter(attachment::Column::BlobId.eq(blob_id));
                same.exec(txn).await?;
                Ok(())
            })
        });
        Ok(done.then(async move {
            published.bus.publish(Event::Preview { organization_id, attachment_id }).await
        }))
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), sea_orm::DbErr> {
        let change = attachment::ActiveModel {
            preview_state: Set(PreviewState::Failed),
            preview_error: Set(Some("The preview could not be created.".into())),
            ..Default::default()
        };
        let waiting = attachment::Entity::update_many()
            .set(change)
            .filter(attachment::Column::Id.eq(cx.object_id()))
            .filter(attachment::Column::PreviewState.eq(PreviewState::Processing));
        waiting.exec(txn).await.map(|_| ())
    }
}

/// The stored PDF with the parts of the document that are missing in it, or the sentence shown instead of a preview.
async fn convert(
    app: &App,
    row: &attachment::Model,
    has_priority: bool,
) -> Result<Result<(Uuid, Option<String>), String>, StepError> {
    let converter = if has_priority { &app.converter } else { &app.batch_converter };
    let bytes = held::read_in_step(app, row).await?;
    let (input, now) = (Input::bytes(kind_of(row), bytes), app.clock.now().naive_utc());
    // The PDF is also used for export and print.
    let (pdf, flaws) = match converter.of(row.organization_id).preview(input, now).await {
        Ok(made) => made,
        Err(error) if error.is_permanent() => return Ok(Err(sentence(&error))),
        Err(error) => return Err(StepError::again(error.to_string())),
    };
    let key = app.keys.data_key(row.organization_id).await.map_err(|e| StepError::again(e.to_string()))?;
    let blob_id = Uuid::now_v7();
    let put = app.blobs.put(&key, row.organization_id, blob_id, pdf.into()).await;
    put.map_err(|e| StepError::again(e.to_string()))?;
    app.blobs.sync().await.map_err(|e| StepError::again(e.to_string()))?;
    Ok(Ok((blob_id, flaws.words())))
}

/// Why a file has no preview, as a sentence for people. The file can still be downloaded.
pub fn sentence(error: &ConvertError) -> String {
    let text = match error.fault() {
        Fault::Protected => "The file is protected by a password.",
        Fault::Damaged => "The file is damaged and cannot be shown.",
        Fault::TooHeavy => "The file is too large or too complex to be shown here.",
        Fault::Unsupported => match error {
            ConvertError::Unsupported(Kind::Dicom) => {
                "There is no preview, because the file has no image that can be shown here. Download it to open it in \
                 a viewer."
            }
            _ => "There is no preview for files of this type.",
        },
        Fault::Unprintable => match error {
            ConvertError::Unprintable(characters) => {
                return format!("The file has characters that cannot be shown: {characters}.");
            }
            _ => "The file has characters that cannot be shown.",
        },
        Fault::Machine => "The file could not be shown. Please try again.",
    };
    text.into()
}
