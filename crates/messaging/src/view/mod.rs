//! Messages and their files as shown by the API.

pub mod delivery_summary;

use crate::{
    attachments::view::{AttachmentView, attachment_view},
    deliveries::view::{DeliveryView, delivery_view},
    fax::numbers::queries::display,
    hubs::presence,
    indexes::patient_links,
    messages::{
        list,
        notes::{self, NoteView},
    },
    model::{
        Conversation, Conversion, Direction, MessageProperties, Mode, Patient, PatientDoubt, SourceType,
        split_addresses, status_word,
    },
    people::{PersonView, names_of},
    sealed::{Content, Summary},
};
use chrono::{DateTime, Utc};
use platform::{App, Member, Result};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use store::entities::{
    attachment::{self},
    delivery, fax_reception, message,
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Details of a received fax.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxReceived {
    /// The dialled number, formatted for people; empty if unknown.
    pub called: String,
    /// The caller's number, formatted for people; empty if unknown.
    pub caller: String,
    pub caller_name: String,
    /// The name of the other machine.
    pub sender_id: String,
    pub pages: Option<i32>,
    /// `Standard` or `Fine`.
    pub resolution: Option<String>,
    /// Why the last pages are missing.
    pub partial: Option<String>,
    /// The sent message that it answers, if answers are tracked.
    pub answers: Option<Uuid>,
    pub received_at: DateTime<Utc>,
}

impl From<fax_reception::Model> for FaxReceived {
    fn from(row: fax_reception::Model) -> Self {
        Self {
            called: row.called.as_deref().map(display).unwrap_or_default(),
            caller: row.caller.as_deref().map(display).unwrap_or_default(),
            caller_name: row.caller_name.unwrap_or_default(),
            sender_id: row.sender_id.unwrap_or_default(),
            pages: row.pages,
            resolution: row.resolution,
            partial: row.partial,
            answers: row.answers,
            received_at: row.received_at,
        }
    }
}

/// A complete message.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageView {
    pub id: Uuid,
    pub direction: Direction,
    pub subject: String,
    pub from_address: String,
    pub from_name: String,
    /// Separated by semicolons.
    pub to_address: String,
    pub to_addresses: Vec<String>,
    pub cc_addresses: Vec<String>,
    pub bcc_addresses: Vec<String>,
    pub body: String,
    pub body_html: Option<String>,
    pub comments: Option<String>,
    pub reason_for_disclosure: Option<String>,
    pub origin: Option<String>,
    pub is_draft: bool,
    /// How a draft is sent. Absent: not chosen yet.
    pub mode: Option<Mode>,
    /// To be sent back with a change of a draft's fields.
    pub draft_version: u32,
    pub is_read: bool,
    pub is_urgent: bool,
    /// A time in the past: it has come back.
    pub snoozed_until: Option<DateTime<Utc>>,
    pub is_processed: bool,
    pub created_date: DateTime<Utc>,
    pub message_date: DateTime<Utc>,
    pub system_received_date: DateTime<Utc>,
    pub release_type: Option<String>,
    pub release_type_id: Option<Uuid>,
    pub original_object_id: Option<Uuid>,
    pub classification: Option<String>,
    pub attachments: Vec<AttachmentView>,
    pub patient: Option<Patient>,
    /// Why no patient was set on arrival.
    pub patient_doubt: Option<PatientDoubt>,
    /// With a doubt: the patients named by the documents and their sender, the sender's first.
    pub named_patients: Vec<Patient>,
    /// Null (original), Pdf or Cda.
    pub conversion: Option<String>,
    #[serde(rename = "attachments2PDF")]
    pub attachments_to_pdf: bool,
    #[serde(rename = "attachments2CDA")]
    pub attachments_to_cda: bool,
    pub properties: MessageProperties,
    /// Our number from which fax recipients are called; null: the sender's only one.
    pub from_fax_number: Option<String>,
    /// Details of a received fax; null for other messages.
    pub fax: Option<FaxReceived>,
    pub conversation: Option<Conversation>,
    pub is_ready_for_delivery_summary: bool,
    /// Name of the status; a draft is `Saved`.
    pub status: String,
    pub processed_type: Option<String>,
    pub source_type: SourceType,
    pub message_id_header: Option<String>,
    pub assigned_to: Option<PersonView>,
    /// Another person who is working on it: the first who opened it, or who took over.
    pub held_by: Option<PersonView>,
    /// Notes of colleagues, oldest first.
    pub notes: Vec<NoteView>,
    pub sent_by: Option<PersonView>,
    pub workflow_id: Option<Uuid>,
    pub version: i32,
    /// Number of changes of the patient, to be sent back with the next change.
    pub patient_version: u32,
    pub deliveries: Vec<DeliveryView>,
    /// The neighbours in the Intake, newer and older.
    pub previous_id: Option<Uuid>,
    pub next_id: Option<Uuid>,
}

/// Reads a message with all its parts.
pub async fn message_view(app: &App, member: &Member, row: message::Model) -> Result<MessageView> {
    let db = app.store.db();
    let key = app.keys.data_key(member.organization_id).await?;
    let summary = Summary::open(&key, &row)?;
    let content = Content::open(&key, &row)?;
    let attachments = member
        .tenant()
        .attachments()
        .filter(attachment::Column::MessageId.eq(row.id))
        .order_by_asc(attachment::Column::Position)
        .all(db)
        .await?;
    let deliveries = member
        .tenant()
        .deliveries()
        .filter(delivery::Column::MessageId.eq(row.id))
        .order_by_asc(delivery::Column::Position)
        .all(db)
        .await?;
    let fax = if row.source_type == SourceType::Fax {
        let of_message = fax_reception::Column::MessageId.eq(row.id);
        fax_reception::Entity::find().filter(of_message).one(db).await?
    } else {
        None
    };
    let people = names_of(app, row.assigned_to.into_iter().chain(row.created_by)).await?;
    let person =
        |id: Option<Uuid>| id.and_then(|id| people.get(&id).map(|n| PersonView { id, name: n.clone() }));
    let is_ready_for_delivery_summary = delivery_summary::is_ready(&row, &deliveries);
    let held_by = presence::holder(db, member, row.id, app.clock.now()).await?;
    let notes = notes::of_message(app, member, &key, row.id).await?;
    let (previous_id, next_id) = neighbours(app, member, &row).await?;
    let conversion = row.conversion;
    let linked = patient_links::patient_of(db, &row).await?;
    Ok(MessageView {
        id: row.id,
        direction: row.direction,
        status: status_word(&row),
        subject: summary.subject,
        to_addresses: split_addresses(&row.to_address),
        cc_addresses: split_addresses(&row.cc_address),
        bcc_addresses: split_addresses(&row.bcc_address),
        body: content.body,
        body_html: content.body_html,
        comments: content.comments,
        reason_for_disclosure: content.reason_for_disclosure,
        origin: content.origin,
        is_draft: row.is_draft,
        mode: content.mode.filter(|_| row.is_draft),
        draft_version: content.draft_version,
        is_read: row.read_at.is_some(),
        is_urgent: row.is_urgent,
        snoozed_until: row.snoozed_until,
        is_processed: row.processed_at.is_some(),
        created_date: row.received_at,
        message_date: row.message_date,
        system_received_date: row.received_at,
        release_type: content.release_type,
        release_type_id: row.release_type_id,
        original_object_id: row.original_message_id,
        classification: row.classification,
        attachments: attachments.into_iter().map(|a| attachment_view(&key, a)).collect::<Result<_>>()?,
        patient: content
            .patient
            .map(|patient| Patient { known_patient_id: linked.or(patient.known_patient_id), ..patient }),
        patient_doubt: row.patient_doubt,
        named_patients: content.named_patients,
        attachments_to_pdf: conversion == Some(Conversion::Pdf),
        attachments_to_cda: conversion == Some(Conversion::Cda),
        conversion: conversion.map(|c| c.to_string()),
        properties: content.properties,
        from_fax_number: content.fax_from,
        fax: fax.map(Into::into),
        conversation: content.conversation,
        is_ready_for_delivery_summary,
        processed_type: row.processed_type,
        source_type: row.source_type,
        message_id_header: row.rfc_message_id,
        assigned_to: person(row.assigned_to),
        held_by,
        notes,
        sent_by: person(row.created_by),
        workflow_id: row.workflow_id,
        version: row.version,
        patient_version: content.patient_version,
        deliveries: deliveries.into_iter().map(delivery_view).collect(),
        from_address: row.from_address,
        from_name: row.from_name,
        to_address: row.to_address,
        previous_id,
        next_id,
    })
}

/// The ids before and after a message in the Intake's default order, with one index lookup each.
async fn neighbours(
    app: &App,
    member: &Member,
    row: &message::Model,
) -> Result<(Option<Uuid>, Option<Uuid>)> {
    if row.direction != Direction::Intake {
        return Ok((None, None));
    }
    let list = || {
        member
            .tenant()
            .messages()
            .select_only()
            .column(message::Column::Id)
            .filter(message::Column::Direction.eq(row.direction))
            .filter(message::Column::IsDraft.eq(false))
    };
    let newer = list()
        .filter(after(row))
        .order_by_asc(message::Column::ReceivedAt)
        .order_by_asc(message::Column::Id)
        .limit(1)
        .into_tuple()
        .one(app.store.db())
        .await?;
    let older = list()
        .filter(list::behind((row.received_at, row.id)))
        .order_by_desc(message::Column::ReceivedAt)
        .order_by_desc(message::Column::Id)
        .limit(1)
        .into_tuple()
        .one(app.store.db())
        .await?;
    Ok((newer, older))
}

fn after(row: &message::Model) -> sea_orm::Condition {
    use message::Column::{Id, ReceivedAt};
    sea_orm::Condition::all()
        .add(ReceivedAt.gte(row.received_at))
        .add(sea_orm::Condition::any().add(ReceivedAt.gt(row.received_at)).add(Id.gt(row.id)))
}
