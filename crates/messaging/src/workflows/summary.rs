//! `DeliverySummaryWorkflow`: puts the delivery summary of a sent message into the Intake.

use super::{SUMMARY, platform_error};
use crate::{
    attachments::queries::{self as files, NewFile},
    model::{AttachmentMeta, Direction, SourceType, Status},
    release::summary,
    sealed::{self, Content, Summary},
};
use documents::Kind;
use platform::{
    App,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{ActiveValue::Set, DatabaseTransaction, DbErr, EntityTrait, IntoActiveModel};
use serde::{Deserialize, Serialize};
use store::{
    entities::{attachment, message, message_event},
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{Done, NewStep, NewWorkflow, Step, StepContext, StepError};

pub const MAKE: &str = "MakeDeliverySummary";

#[derive(Serialize, Deserialize)]
struct Meta {
    /// The message of the Intake that it becomes, however often the step runs.
    message_id: Uuid,
}

/// Adds the workflow for a sent message.
pub async fn enqueue(app: &App, txn: &DatabaseTransaction, row: &message::Model) -> Result<Uuid, DbErr> {
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
        let arrival = Arrival::make(&app, &sent, id, cx.workflow_id()).await?;
        let (published, organization_id) = (app.clone(), sent.organization_id);
        let done = Done::with(move |txn| Box::pin(async move { arrival.store(&app, txn).await }));
        Ok(done.then(async move {
            published.bus.publish(Event::Intake { organization_id, message_id: id }).await;
        }))
    }
}

/// The summary as it will stand in the Intake, with its file in storage.
struct Arrival {
    message: message::Model,
    summary: Summary,
    key: DataKey,
    file: attachment::Model,
}

impl Arrival {
    async fn make(app: &App, sent: &message::Model, id: Uuid, workflow_id: Uuid) -> Result<Self, StepError> {
        let again = |error: String| StepError::again(error);
        let organization_id = sent.organization_id;
        let key = app.keys.data_key(organization_id).await.map_err(|e| again(e.to_string()))?;
        let pdf = summary::make(app, sent).await.map_err(platform_error)?;
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
        let now = app.clock.now();
        let message = message::Model {
            id,
            organization_id,
            direction: Direction::Intake.code(),
            status: Status::Received.code(),
            is_draft: false,
            source_type: SourceType::Upload.code(),
            from_address: sent.from_address.clone(),
            from_name: String::new(),
            to_address: sent.from_address.clone(),
            cc_address: String::new(),
            bcc_address: String::new(),
            sealed_summary: summary.seal(&key, id).map_err(platform_error)?,
            sealed_content: content.seal(&key, id).map_err(platform_error)?,
            received_at: now,
            message_date: now,
            read_at: None,
            is_urgent: false,
            assigned_to: None,
            processed_at: None,
            processed_type: None,
            release_type_id: None,
            classification: None,
            conversion: None,
            original_message_id: None,
            rfc_message_id: None,
            in_reply_to: None,
            attachment_count: 1,
            fax_page_count: None,
            created_by: None,
            workflow_id: Some(workflow_id),
            deleted_at: None,
            version: 1,
        };
        let file = NewFile {
            name: "Delivery summary.pdf".into(),
            kind: Kind::Pdf,
            mime_type: Kind::Pdf.mime_type().into(),
            blob,
            meta: AttachmentMeta { document_type: Some(document_type), ..AttachmentMeta::default() },
        };
        let file = files::row(&key, &message, 0, file, now).map_err(platform_error)?;
        Ok(Self { message, summary, key, file })
    }

    async fn store(self, app: &App, txn: &DatabaseTransaction) -> Result<(), StepError> {
        let Self { message, summary, key, file } = self;
        if message::Entity::find_by_id(message.id).one(txn).await?.is_some() {
            return Ok(());
        }
        message::Entity::insert(message.clone().into_active_model()).exec_without_returning(txn).await?;
        sealed::index(txn, &key, &message, &summary).await.map_err(platform_error)?;
        attachment::Entity::insert(file.into_active_model()).exec_without_returning(txn).await?;
        let received = message_event::ActiveModel {
            id: Set(Uuid::now_v7()),
            organization_id: Set(message.organization_id),
            message_id: Set(message.id),
            event_type: Set("Received".into()),
            at: Set(app.clock.now()),
            user_id: Set(None),
            user_name: Set(String::new()),
        };
        message_event::Entity::insert(received).exec_without_returning(txn).await?;
        let act = Act::new(event::RECEIVED, "message", message.id);
        audit::record(app, txn, &Actor::system(message.organization_id), act).await.map_err(platform_error)
    }
}
