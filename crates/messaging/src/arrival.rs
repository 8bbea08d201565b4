//! Storing a new message in the Intake, whatever its source.

use super::messages::assignment_expiry;
use crate::{
    attachments::{
        extract, preview,
        scan::{self, Then},
    },
    events,
    files::kind_of,
    indexes::{patient_links, text},
    model::{Direction, SourceType, Status},
    rules,
    sealed::{self, Content, Summary},
    workflows::platform_error,
};
use chrono::{DateTime, Utc};
use platform::{
    App, Result,
    audit::{self, Act, Actor, event},
};
use sea_orm::{EntityTrait, IntoActiveModel};
use store::{
    Transaction,
    batching::BatchedWrites,
    entities::{attachment, message, message_event::EventType},
    keys::DataKey,
};
use uuid::Uuid;
use workflow::StepError;

/// Properties of every new Intake message.
pub struct NewIntake {
    pub id: Uuid,
    pub organization_id: Uuid,
    pub source_type: SourceType,
    pub workflow_id: Uuid,
    pub at: DateTime<Utc>,
}

impl NewIntake {
    /// The unread row of the message, with empty sender and recipient.
    pub fn row(self, key: &DataKey, summary: &Summary, content: &Content) -> Result<message::Model> {
        Ok(message::Model {
            id: self.id,
            organization_id: self.organization_id,
            direction: Direction::Intake,
            status: Status::Received,
            is_draft: false,
            source_type: self.source_type,
            from_address: String::new(),
            from_name: String::new(),
            to_address: String::new(),
            cc_address: String::new(),
            bcc_address: String::new(),
            sealed_summary: summary.seal(key, self.id)?,
            sealed_content: content.seal(key, self.id)?,
            received_at: self.at,
            message_date: self.at,
            read_at: None,
            is_urgent: false,
            snoozed_until: None,
            assigned_to: None,
            assignment_ends_at: None,
            processed_at: None,
            processed_type: None,
            release_type_id: None,
            classification: None,
            conversion: None,
            original_message_id: None,
            rfc_message_id: None,
            in_reply_to: None,
            attachment_count: 0,
            fax_page_count: None,
            patient_doubt: None,
            created_by: None,
            workflow_id: Some(self.workflow_id),
            deleted_at: None,
            version: 1,
        })
    }
}

/// A message ready for the Intake, its files already in storage.
pub struct Arrival {
    pub key: DataKey,
    pub message: message::Model,
    pub summary: Summary,
    pub files: Vec<attachment::Model>,
}

impl Arrival {
    /// Applies the intake rules and writes the message with its files, pending previews, event and audit entry. The
    /// caller checks for duplicates.
    pub async fn store(self, app: &App, txn: &Transaction) -> Result<(), StepError> {
        let Self { key, mut message, mut summary, mut files } = self;
        let applied = rules::apply(txn, &key, &mut message, &mut summary, &mut files).await;
        let applied = applied.map_err(platform_error)?;
        assignment_expiry::begin_of_arrival(txn, &mut message, app.clock.now()).await?;
        txn.later(message::Entity::insert(message.clone().into_active_model())).await?;
        sealed::index(txn, &key, &message, &summary).await.map_err(platform_error)?;
        if !summary.patient_name.is_empty() || !summary.patient_keys.is_empty() {
            patient_links::begin(txn, &key, &message).await.map_err(platform_error)?;
        }
        for mut file in files {
            let wants_preview = file.pdf_blob_id.is_none() && kind_of(&file).previewable();
            let then = Then { preview: wants_preview, has_priority: false };
            let is_held = scan::hold(app, txn, &mut file, then).await?;
            txn.later(attachment::Entity::insert(file.clone().into_active_model())).await?;
            text::due(txn, &file, app.clock.now()).await?;
            if !is_held && message.processed_at.is_none() {
                extract::on_arrival(app, txn, &file).await.map_err(platform_error)?;
            }
            if wants_preview && !is_held {
                preview::enqueue(app, txn, &file).await.map_err(platform_error)?;
            }
        }
        events::queries::add(txn, &message, EventType::Received, app.clock.now(), None).await?;
        let act = Act::new(event::RECEIVED, "message", message.id);
        audit::record(app, txn, &Actor::system(message.organization_id), act)
            .await
            .map_err(platform_error)?;
        rules::record(app, txn, &message, applied).await.map_err(platform_error)
    }
}
