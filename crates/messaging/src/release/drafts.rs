//! Drafts: creation, copies, and changes by requests.

use super::{rules, types::DraftRequest};
use crate::{
    attachments::{self, opening},
    files,
    messages::{
        queries::{self, Editing, edit_row},
        rules::check_meta,
    },
    model::{Conversion, Direction, MessageProperties, Mode, SourceType, Status, one_line},
    sealed::{self, Content, Summary},
    vocabulary::own_or_system,
};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    interoperability::Interoperability,
    settings,
};
use sea_orm::{ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use store::{
    Transaction,
    entities::{
        message,
        release_type::{self, SendType},
    },
    keys::DataKey,
};
use uuid::Uuid;

const SUBJECT_LINES: &str = "Please enter a subject of one line, without tabs.";

/// The row of a new draft with its content.
fn row(
    member: &Member,
    key: &DataKey,
    summary: &Summary,
    content: &Content,
    now: DateTime<Utc>,
) -> Result<message::Model> {
    let id = Uuid::now_v7();
    Ok(message::Model {
        id,
        organization_id: member.organization_id,
        direction: Direction::Release,
        status: Status::Sent,
        is_draft: true,
        source_type: SourceType::DirectMessage,
        from_address: String::new(),
        from_name: String::new(),
        to_address: String::new(),
        cc_address: String::new(),
        bcc_address: String::new(),
        sealed_summary: summary.seal(key, id)?,
        sealed_content: content.seal(key, id)?,
        received_at: now,
        message_date: now,
        read_at: Some(now),
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
        created_by: Some(member.caller.user_id),
        workflow_id: None,
        deleted_at: None,
        version: 0,
    })
}

/// Creates a draft.
pub async fn create(app: &App, member: &Member, request: DraftRequest) -> Result<message::Model> {
    check(app, &request)?;
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = create_in(app, &txn, member).await?;
    let row = fill(app, &txn, member, &key, row, request).await?;
    txn.commit().await?;
    queries::announce(app, &row).await;
    Ok(row)
}

/// Creates an empty draft together with the caller's other changes.
pub async fn create_in(app: &App, txn: &Transaction, member: &Member) -> Result<message::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let properties = fax_options(app, member).await?;
    let content = Content { properties, ..Content::default() };
    let row = row(member, &key, &Summary::default(), &content, app.clock.now())?;
    message::Entity::insert(row.clone().into_active_model()).exec_without_returning(txn).await?;
    let act = Act::new(event::CREATED, "message", row.id);
    audit::record(app, txn, &Actor::from(&member.caller), act).await?;
    Ok(row)
}

/// Default fax options, by the organization's interoperability settings.
async fn fax_options(app: &App, member: &Member) -> Result<MessageProperties> {
    let settings: Interoperability = settings::find(app, member.organization_id).await?;
    Ok(MessageProperties {
        include_cover_page: !settings.suppress_default_fax_cover_sheet,
        include_message_body: !settings.suppress_default_fax_cover_sheet,
        include_attachment_descriptions: !settings.suppress_fax_metadata_pages,
        fax_page_count: None,
    })
}

/// Changes the given fields of a draft.
pub async fn update(app: &App, member: &Member, id: Uuid, request: DraftRequest) -> Result<message::Model> {
    check(app, &request)?;
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, id).await?;
    if !row.is_draft {
        return Err(Error::Conflict("A sent message cannot be changed.".into()));
    }
    let row = fill(app, &txn, member, &key, row, request).await?;
    audit::record(app, &txn, &Actor::from(&member.caller), Act::new(event::CHANGED, "message", id)).await?;
    txn.commit().await?;
    queries::announce(app, &row).await;
    Ok(row)
}

/// Purpose of copying a message.
pub enum Copy {
    /// Forwarding; all options are chosen again.
    Forward,
    /// Sending to somebody else instead of the recipient of a failed delivery, otherwise unchanged.
    Corrected { delivery: Uuid, to: String },
}

impl Copy {
    /// The fields of the draft, by purpose.
    fn of(
        self,
        original: &message::Model,
        mut summary: Summary,
        content: Content,
        empty: message::Model,
    ) -> (message::Model, Summary, Content) {
        let row = message::Model {
            classification: original.classification.clone(),
            conversion: original.conversion,
            attachment_count: original.attachment_count,
            ..empty
        };
        summary.subject = one_line(&summary.subject);
        let mut content = Content { origin: None, origin_status: None, draft_version: 0, ..content };
        match self {
            Self::Forward => {
                if !summary.subject.to_uppercase().starts_with("FW:") {
                    summary.subject = format!("FW: {}", summary.subject);
                }
                content.comments = None;
                content.reason_for_disclosure = None;
                content.corrects = None;
                content.mode = Some(Mode::Forward);
                (message::Model { original_message_id: Some(original.id), ..row }, summary, content)
            }
            Self::Corrected { delivery, to } => {
                content.mode = Some(content.mode.unwrap_or(Mode::Send));
                content.corrects = Some(delivery);
                let row = message::Model {
                    from_address: original.from_address.clone(),
                    to_address: to,
                    release_type_id: original.release_type_id,
                    original_message_id: original.original_message_id,
                    ..row
                };
                (row, summary, content)
            }
        }
    }
}

/// Copies a message with its files into a new draft. The files share their stored bytes.
pub async fn copy(app: &App, member: &Member, id: Uuid, purpose: Copy) -> Result<Uuid> {
    let key = app.keys.data_key(member.organization_id).await?;
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let original = queries::lock(&txn, member, id).await?;
    for file in files::of_message(&txn, &original).await? {
        opening::permit(member, &key, &file)?;
    }
    let empty = row(member, &key, &Summary::default(), &Content::default(), now)?;
    let (summary, content) = (Summary::open(&key, &original)?, Content::open(&key, &original)?);
    let (copy, summary, content) = purpose.of(&original, summary, content, empty);
    let copy = message::Model {
        sealed_summary: summary.seal(&key, copy.id)?,
        sealed_content: content.seal(&key, copy.id)?,
        ..copy
    };
    message::Entity::insert(copy.clone().into_active_model()).exec_without_returning(&txn).await?;
    attachments::queries::copy(&txn, &key, id, copy.id, now).await?;
    sealed::index(&txn, &key, &copy, &summary).await?;
    let act = Act::new(event::COPIED, "message", copy.id).detail(serde_json::json!({ "original": id }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    queries::announce(app, &copy).await;
    Ok(copy.id)
}

/// Checks that need no database.
pub fn check(app: &App, request: &DraftRequest) -> Result<()> {
    let today = app.clock.now().date_naive();
    let mut errors = FieldErrors::default();
    let has_lines = request.subject.as_ref().is_some_and(|subject| subject.contains(char::is_control));
    errors.require(!has_lines, "subject", SUBJECT_LINES);
    if let Some(Some(patient)) = &request.patient {
        patients::rules::check(patient, today, &mut errors);
    }
    for file in request.attachments.iter().flatten() {
        check_meta(&file.attachment_meta, today, &mut errors);
    }
    errors.check()
}

/// Refuses a mode other than the draft's.
pub async fn check_mode(
    txn: &Transaction,
    key: &DataKey,
    row: &message::Model,
    mode: Mode,
    request: &DraftRequest,
) -> Result<()> {
    let original = match request.original_object_id.unwrap_or(row.original_message_id) {
        // A message deleted since was still answered.
        Some(id) if mode != Mode::Send => message::Entity::find_by_id(id).one(txn).await?,
        _ => None,
    };
    let original = original.filter(|original| original.organization_id == row.organization_id);
    let begun = request.mode.or(Content::open(key, row)?.mode);
    match rules::mode_error(mode, begun, original.map(|row| row.direction)) {
        Some(reason) => Err(Error::field("originalObjectId", reason)),
        None => Ok(()),
    }
}

/// Applies a request to a draft and the metadata of its files.
pub async fn fill(
    app: &App,
    txn: &Transaction,
    member: &Member,
    key: &DataKey,
    row: message::Model,
    mut request: DraftRequest,
) -> Result<message::Model> {
    refer(txn, member, &row, &mut request).await?;
    for file in request.attachments.take().into_iter().flatten() {
        attachments::queries::describe(app, txn, member, key, row.id, file.id, file.attachment_meta).await?;
    }
    let document_type = files::document_type(txn, key, &row).await?;
    edit_row(txn, key, row, |draft| {
        if request.draft_version.is_some_and(|version| version != draft.content.draft_version) {
            return Err(Error::Outdated("this draft"));
        }
        if request.draft_version.is_none() && changes_patient(draft, &request) {
            return Err(Error::field("draftVersion", "Please send the version that was read."));
        }
        draft.content.draft_version += 1;
        draft.summary.document_type = document_type;
        apply(draft, request);
        Ok(())
    })
    .await
}

/// Checks that the references of a draft exist for the member. A release type given by id sets its name.
async fn refer(
    txn: &Transaction,
    member: &Member,
    row: &message::Model,
    request: &mut DraftRequest,
) -> Result<()> {
    if let Some(Some(original)) = request.original_object_id
        && row.original_message_id != Some(original)
    {
        let found = member.tenant().messages().filter(message::Column::Id.eq(original)).one(txn).await?;
        found.ok_or(Error::NotFound)?;
    }
    match request.release_type_id {
        Some(Some(id)) if row.release_type_id != Some(id) => {
            let found = release_type::Entity::find_by_id(id)
                .filter(own_or_system(release_type::Column::OrganizationId, member))
                .filter(release_type::Column::IsRetired.eq(false))
                .one(txn)
                .await?;
            let found = found.ok_or_else(|| Error::field("releaseTypeId", DEFAULT_FIELD_ERROR))?;
            request.release_type.get_or_insert(Some(found.name));
        }
        Some(None) => {
            request.release_type.get_or_insert(None);
        }
        _ => {}
    }
    Ok(())
}

/// Copies the fields of the request into the draft.
pub fn apply(draft: &mut Editing, request: DraftRequest) {
    let list = |addresses: Vec<String>| addresses.iter().map(|a| a.trim()).collect::<Vec<_>>().join(";");
    let Editing { row, summary, content } = draft;
    let to = request.to_addresses.map(list).or(request.to_address);
    set(&mut row.from_address, request.from_address.map(|a| a.trim().to_owned()));
    set(&mut row.to_address, to);
    set(&mut row.cc_address, request.cc_addresses.map(list));
    set(&mut row.bcc_address, request.bcc_addresses.map(list));
    set(&mut summary.subject, request.subject);
    set(&mut content.body, request.body);
    set(&mut content.properties, request.properties);
    set(&mut content.fax_from, request.from_fax_number.map(|n| n.filter(|n| !n.trim().is_empty())));
    content.mode = request.mode.or(content.mode);
    set(&mut content.is_non_patient, request.is_non_patient);
    set(&mut content.comments, request.comments);
    set(&mut content.reason_for_disclosure, request.reason_for_disclosure);
    set(&mut content.release_type, request.release_type);
    set(&mut content.conversation, request.conversation);
    set(&mut row.release_type_id, request.release_type_id);
    set(&mut row.classification, request.classification.map(|c| c.filter(|c| !c.is_empty())));
    set(&mut row.original_message_id, request.original_object_id);
    let flags = (request.attachments_to_pdf, request.attachments_to_cda);
    set(&mut row.conversion, conversion(request.conversion, flags));
    if let Some(patient) = request.patient {
        let patient = patients::rules::tidy(patient.unwrap_or_default());
        summary.name_patient(Some(&patient));
        let patient = Some(patient).filter(|p| *p != Default::default());
        if content.patient != patient {
            content.patient_version += 1;
        }
        content.patient = patient;
    }
}

/// Whether a request replaces a patient that the draft already names.
fn changes_patient(draft: &Editing, request: &DraftRequest) -> bool {
    let (Some(kept), Some(given)) = (&draft.content.patient, &request.patient) else { return false };
    patients::rules::tidy(given.clone().unwrap_or_default()) != *kept
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

/// The conversion of a request, by name or by flags; `None` if unchanged.
fn conversion(
    named: Option<Option<SendType>>,
    (to_pdf, to_cda): (Option<bool>, Option<bool>),
) -> Option<Option<Conversion>> {
    match (named, to_pdf, to_cda) {
        (Some(form), _, _) => Some(form.unwrap_or_default().conversion()),
        (None, _, Some(true)) => Some(Some(Conversion::Cda)),
        (None, Some(true), _) => Some(Some(Conversion::Pdf)),
        (None, None, None) => None,
        (None, _, _) => Some(None),
    }
}
