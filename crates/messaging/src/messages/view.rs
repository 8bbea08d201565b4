//! How a message and its files look on the wire.

use crate::{
    attachments::scan,
    fax::numbers::queries::display,
    hubs::presence,
    known_patients::follow,
    messages::{
        list,
        notes::{self, NoteView},
    },
    model::{
        AttachmentMeta, Conversation, Conversion, DeliveryKind, DeliveryState, Direction, MessageProperties,
        Patient, PatientDoubt, PreviewState, RecipientRole, SourceType,
    },
    release::{failures::words::explain, rules::Mode, summary},
    sealed::{Content, Summary, open_meta, open_name},
};
use chrono::{DateTime, Utc};
use documents::Kind;
use platform::{App, Member, Result, session::full_name};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use std::collections::HashMap;
use store::{
    entities::{
        app_user,
        attachment::{self, ScanState},
        delivery, fax_reception, message,
    },
    keys::DataKey,
};
use utoipa::ToSchema;
use uuid::Uuid;

/// A file of a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentView {
    pub id: Uuid,
    pub message_id: Uuid,
    pub file_name: String,
    pub mime_type: String,
    /// What is said of a file whose content is not what its name says.
    pub name_note: Option<String>,
    pub size_in_bytes: i64,
    pub preview_available: PreviewState,
    pub is_preview_available: bool,
    /// Why there is no preview, or what is missing in the one there is.
    pub preview_error: Option<String>,
    /// What the malware scanner says. A file that is Waiting or Infected cannot be opened.
    pub scan_status: ScanState,
    /// What the scanner calls what it found.
    pub scan_finding: Option<String>,
    /// `Pending` while a conversion runs, `Failed` when the last one failed.
    pub transform_status: Option<&'static str>,
    /// Why the last conversion failed.
    pub transform_error: Option<String>,
    /// It was converted, and the original can be put back.
    pub is_restorable: bool,
    pub page_count: Option<i32>,
    /// hl7, ccd, cda and xml files: their metadata is read from the file and cannot be changed.
    pub is_structured: bool,
    /// A C-CDA or another CDA document, with its page and its outline.
    pub is_clinical_document: bool,
    /// It may carry documents that can be opened: a mail, a zip, an HL7 v2 message, FHIR.
    pub has_parts: bool,
    /// It can be made a PDF.
    pub is_convertible: bool,
    pub created_date: DateTime<Utc>,
    pub attachment_meta: AttachmentMeta,
}

/// A person, by id and name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PersonView {
    pub id: Uuid,
    pub name: String,
}

/// What became of a message for one recipient.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
    pub id: Uuid,
    pub address: String,
    pub name: String,
    pub kind: DeliveryKind,
    pub role: RecipientRole,
    pub state: DeliveryState,
    /// What went wrong, in plain words; empty while nothing did.
    pub explanation: String,
    /// Why it failed, in the other side's words where there are any.
    pub reason: Option<String>,
    pub attempt: i32,
    pub wants_dispatched: bool,
    pub accepted_at: DateTime<Utc>,
    pub sent_at: Option<DateTime<Utc>>,
    pub processed_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub failed_at: Option<DateTime<Utc>>,
    /// By when the next notice must come.
    pub expected_by: Option<DateTime<Utc>>,
    /// How the connection to the other mail server was protected.
    pub tls: Option<store::entities::delivery::TransportTls>,
    /// The message that went to another recipient after this one failed.
    pub corrected_by: Option<Uuid>,
}

/// How a message came by fax.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxReceived {
    /// The number that was dialled, as people read it; empty when it is not known.
    pub called: String,
    /// The number of the caller, as people read it; empty when it is not known.
    pub caller: String,
    pub caller_name: String,
    /// What the other machine called itself.
    pub sender_id: String,
    pub pages: Option<i32>,
    /// `Standard` or `Fine`.
    pub resolution: Option<String>,
    /// Why the end is missing.
    pub partial: Option<String>,
    /// The sent message that it answers, where answers are tracked.
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

/// A whole message.
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
    /// How a draft is to be sent. Absent: it was never said.
    pub mode: Option<Mode>,
    /// To be sent back with a change of a draft's fields.
    pub draft_version: u32,
    pub is_read: bool,
    pub is_urgent: bool,
    /// A time that is over: it has come back.
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
    /// Why nobody was taken for its patient when it came.
    pub patient_doubt: Option<PatientDoubt>,
    /// With a doubt: the patients whom the documents and their sender name, the sender's first.
    pub named_patients: Vec<Patient>,
    /// null (original), Pdf or Cda.
    pub conversion: Option<String>,
    #[serde(rename = "attachments2PDF")]
    pub attachments_to_pdf: bool,
    #[serde(rename = "attachments2CDA")]
    pub attachments_to_cda: bool,
    pub properties: MessageProperties,
    /// The number from which fax recipients get it; none: the sender's only one.
    pub from_fax_number: Option<String>,
    /// How it came, if by fax.
    pub fax: Option<FaxReceived>,
    pub conversation: Option<Conversation>,
    pub is_ready_for_delivery_summary: bool,
    /// The name of the status; a draft is `Saved`.
    pub status: String,
    pub processed_type: Option<String>,
    pub source_type: SourceType,
    pub message_id_header: Option<String>,
    pub assigned_to: Option<PersonView>,
    /// Another person who is working on it: opened it first, or took over.
    pub held_by: Option<PersonView>,
    /// What colleagues wrote about it, the oldest first.
    pub notes: Vec<NoteView>,
    pub sent_by: Option<PersonView>,
    pub workflow_id: Option<Uuid>,
    pub version: i32,
    /// Number of changes of the patient; the next change must name it.
    pub patient_version: u32,
    pub deliveries: Vec<DeliveryView>,
    /// The neighbours in the Intake, newer and older.
    pub previous_id: Option<Uuid>,
    pub next_id: Option<Uuid>,
}

/// The status as people read it: status 0 of a draft is `Saved`.
pub fn status_word(message: &message::Model) -> String {
    if message.is_draft { "Saved".into() } else { message.status.to_string() }
}

/// A semicolon-separated list as its members.
pub fn split_addresses(list: &str) -> Vec<String> {
    list.split(';').map(str::trim).filter(|a| !a.is_empty()).map(Into::into).collect()
}

pub fn attachment_view(key: &DataKey, row: attachment::Model) -> Result<AttachmentView> {
    // A file that nobody can open has no preview either.
    let preview = match row.scan_state {
        ScanState::Waiting => PreviewState::Processing,
        ScanState::Infected => PreviewState::Failed,
        ScanState::NotScanned | ScanState::Clean | ScanState::Released => row.preview_state,
    };
    let quarantined = scan::words(row.scan_state, row.scan_finding.as_deref())
        .filter(|_| row.scan_state == ScanState::Infected);
    let kind = kind_of(&row);
    let transform_status =
        row.transform.as_ref().map(|t| if t.failure.is_some() { "Failed" } else { "Pending" });
    let file_name = open_name(key, &row)?;
    Ok(AttachmentView {
        name_note: documents::name_note(&file_name, kind),
        file_name,
        attachment_meta: open_meta(key, &row)?,
        id: row.id,
        message_id: row.message_id,
        mime_type: row.mime_type,
        size_in_bytes: row.size_bytes,
        preview_available: preview,
        is_preview_available: preview == PreviewState::Available,
        preview_error: quarantined.or(row.preview_error),
        scan_status: row.scan_state,
        scan_finding: row.scan_finding,
        transform_status,
        transform_error: row.transform.and_then(|transform| transform.failure),
        is_restorable: row.is_converted,
        page_count: row.page_count,
        is_structured: kind.structured(),
        is_clinical_document: kind == Kind::Cda,
        has_parts: kind.has_parts(),
        is_convertible: kind.printable(),
        created_date: row.created_at,
    })
}

/// The detected type of a stored file.
pub fn kind_of(row: &attachment::Model) -> Kind {
    serde_json::from_value(serde_json::Value::String(row.kind.clone())).unwrap_or(Kind::Unknown)
}

pub fn delivery_view(row: delivery::Model) -> DeliveryView {
    let has_ended_badly = matches!(row.state, DeliveryState::Failed | DeliveryState::Uncertain);
    DeliveryView {
        explanation: if has_ended_badly { explain(&row, false).into() } else { String::new() },
        id: row.id,
        kind: row.kind,
        role: row.role,
        state: row.state,
        address: row.address,
        name: row.name,
        reason: row.reason,
        attempt: row.attempt,
        wants_dispatched: row.wants_dispatched,
        accepted_at: row.accepted_at,
        sent_at: row.sent_at,
        processed_at: row.processed_at,
        delivered_at: row.delivered_at,
        failed_at: row.failed_at,
        expected_by: row.expected_by,
        tls: row.tls,
        corrected_by: row.corrected_by,
    }
}

/// Reads everything that belongs to a message.
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
    let people = people(app, row.assigned_to.into_iter().chain(row.created_by)).await?;
    let person =
        |id: Option<Uuid>| id.and_then(|id| people.get(&id).map(|n| PersonView { id, name: n.clone() }));
    let is_ready_for_delivery_summary = summary::is_ready(&row, &deliveries);
    let held_by = presence::holder(db, member, row.id, app.clock.now()).await?;
    let notes = notes::of_message(app, member, &key, row.id).await?;
    let (previous_id, next_id) = neighbours(app, member, &row).await?;
    let conversion = row.conversion;
    let linked = follow::patient_of(db, &row).await?;
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

/// Names of users by id.
pub async fn people(app: &App, ids: impl IntoIterator<Item = Uuid>) -> Result<HashMap<Uuid, String>> {
    let ids: Vec<Uuid> = ids.into_iter().collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let users = app_user::Entity::find().filter(app_user::Column::Id.is_in(ids)).all(app.store.db()).await?;
    Ok(users.into_iter().map(|u| (u.id, full_name(&u))).collect())
}

/// The ids before and after a message in the Intake's default order. One index probe each.
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
