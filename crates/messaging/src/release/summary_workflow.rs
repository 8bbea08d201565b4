//! `DeliverySummaryWorkflow`: puts the delivery summary of a sent message in the Intake.

use crate::{
    arrival::{Arrival, NewIntake},
    files::{self, NewFile},
    model::{AttachmentMeta, SourceType},
    sealed::{Content, Summary},
    view::delivery_summary,
    workflows::{SUMMARY, platform_error},
};
use documents::Kind;
use platform::{App, bus::Event};
use sea_orm::{DbErr, EntityTrait};
use serde::{Deserialize, Serialize};
use store::{Transaction, entities::message};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Step, StepContext, StepError, StepType};

pub const MAKE: StepType = StepType::new("MakeDeliverySummary", Lane::Conversion);

#[derive(Serialize, Deserialize)]
struct Meta {
    /// Id of the new Intake message, the same in every run of the step.
    message_id: Uuid,
}

/// Adds the workflow for a sent message.
pub async fn enqueue(app: &App, txn: &Transaction, row: &message::Model) -> Result<Uuid, DbErr> {
    let now = app.clock.now();
    let meta = serde_json::json!(Meta { message_id: Uuid::now_v7() });
    let job = NewWorkflow {
        organization_id: row.organization_id,
        kind: SUMMARY.into(),
        object_id: row.id,
        steps: vec![NewStep::new(0, MAKE, now).with_meta(meta)],
    };
    workflow::enqueue(txn, now, job).await
}

pub struct MakeSummary {
    pub app: App,
}

#[async_trait::async_trait]
impl Step for MakeSummary {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.app.clone();
        let id = cx.meta::<Meta>()?.message_id;
        let sent = message::Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
        // It was deleted meanwhile.
        let Some(sent) = sent.filter(|row| row.deleted_at.is_none()) else { return Ok(Done::skipped()) };
        let arrival = make(&app, &sent, id, cx.workflow_id()).await?;
        let (published, organization_id) = (app.clone(), sent.organization_id);
        let done = Done::with(move |txn| Box::pin(async move { store(arrival, &app, txn).await }));
        Ok(done.then(async move {
            published.bus.publish(Event::Intake { organization_id, message_id: id }).await;
        }))
    }
}

/// The summary as an Intake message.
async fn make(app: &App, sent: &message::Model, id: Uuid, workflow_id: Uuid) -> Result<Arrival, StepError> {
    let again = |error: String| StepError::again(error);
    let organization_id = sent.organization_id;
    let key = app.keys.data_key(organization_id).await.map_err(|e| again(e.to_string()))?;
    let pdf = delivery_summary::make(app, sent).await.map_err(platform_error)?;
    let blob = app.blobs.put(&key, organization_id, Uuid::now_v7(), pdf.into()).await;
    let blob = blob.map_err(|e| again(e.to_string()))?;
    app.blobs.sync().await.map_err(|e| again(e.to_string()))?;
    let of_sent = Summary::open(&key, sent).map_err(platform_error)?;
    let document_type = "Delivery summary".to_owned();
    let summary = Summary {
        subject: format!("Delivery summary: {}", of_sent.subject),
        document_type: document_type.clone(),
        ..of_sent
    };
    let patient = Content::open(&key, sent).map_err(platform_error)?.patient;
    let content = Content { patient, ..Content::default() };
    let came =
        NewIntake { id, organization_id, source_type: SourceType::Upload, workflow_id, at: app.clock.now() };
    let message = message::Model {
        from_address: sent.from_address.clone(),
        to_address: sent.from_address.clone(),
        attachment_count: 1,
        ..came.row(&key, &summary, &content).map_err(platform_error)?
    };
    let file = NewFile {
        name: "Delivery summary.pdf".into(),
        kind: Kind::Pdf,
        mime_type: Kind::Pdf.mime_type().into(),
        blob,
        meta: AttachmentMeta { document_type: Some(document_type), ..AttachmentMeta::default() },
        problem: None,
    };
    let file = files::row(&key, &message, 0, file, message.received_at).map_err(platform_error)?;
    Ok(Arrival { key, message, summary, files: vec![file] })
}

async fn store(arrival: Arrival, app: &App, txn: &Transaction) -> Result<(), StepError> {
    match message::Entity::find_by_id(arrival.message.id).one(txn).await? {
        Some(_) => Ok(()),
        None => arrival.store(app, txn).await,
    }
}
