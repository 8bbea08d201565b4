//! Outgoing messages of referrals: the package is added to a draft, and the draft is sent.

use super::types::{ConversationResponse, ReferralForm};
use crate::{
    attachments::{self, extract, opening},
    conversations::{
        KIND,
        queries::{self, Sealed},
        rules,
    },
    files::{self, NewFile, kind_of},
    messages::queries as messages,
    model::{
        AttachmentMeta, Confidentiality, Conversation, DocumentDateType, Mode, Patient, split_addresses,
    },
    release::{drafts, sending, types::DraftRequest},
    sealed::{Content, Summary, open_meta, open_name},
};
use ::direct::DirectAddress;
use chrono::NaiveDate;
use clinical::referral::{self, Document, Message, Package, ReferredPatient};
use documents::Kind;
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    network_features::{self, Switch},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel, QuerySelect};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        attachment,
        conversation::{self, ConversationRole, ConversationState, Model},
        conversation_step::{self, StepAction},
        message, organization,
    },
};
use uuid::Uuid;

const NOT_NOW: &str = "The referral has changed in the meantime, so this is no longer possible.";
const SWITCHED_OFF: &str = "Your network does not offer referrals.";
const SENT: &str = "The message was already sent.";
const OTHER_PATIENT: &str = "The draft is about a different patient than the referral.";
const OTHER_RECIPIENTS: &str =
    "An answer can only go to the other side of the referral. Please remove the other recipients.";
const NO_PATIENT: &str = "A referral needs a patient.";
const NO_DOCUMENT: &str = "Attach the referral note or another C-CDA document.";
const ONE_RECIPIENT: &str = "Enter exactly one Direct address for a referral.";
/// File name of the package in its message.
const PACKAGE_NAME: &str = "Referral.zip";

/// The OID of an organization, derived from its id (ITU-T X.667).
fn oid(organization_id: Uuid) -> String {
    format!("2.25.{}", organization_id.as_u128())
}

/// Sends a draft as the request of a new referral, and returns its id.
pub async fn request(app: &App, member: &Member, form: ReferralForm) -> Result<Uuid> {
    let offered = network_features::of(app.store.db(), member.organization_id, Switch::Referrals).await?;
    if offered == Some(false) {
        return Err(Error::Conflict(SWITCHED_OFF.into()));
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let draft = messages::find(app, member, form.message_id).await?;
    if !draft.is_draft {
        return Err(Error::Conflict(SENT.into()));
    }
    let content = Content::open(&key, &draft)?;
    let documents = documents(app, member, &draft).await?;
    let to = split_addresses(&draft.to_address);
    let others = !draft.cc_address.is_empty() || !draft.bcc_address.is_empty();
    let mut errors = FieldErrors::default();
    let is_direct = to.len() == 1 && !others && DirectAddress::parse(&to[0]).is_ok();
    errors.require(is_direct, "toAddress", ONE_RECIPIENT);
    errors.require(content.patient.is_some(), "patient", NO_PATIENT);
    errors.require(documents.iter().any(|d| d.mime_type == "text/xml"), "attachments", NO_DOCUMENT);
    let today = app.clock.now().date_naive();
    errors.require(form.due_date.is_none_or(|due| due >= today), "dueDate", DEFAULT_FIELD_ERROR);
    errors.check()?;
    let (id, now) = (Uuid::now_v7(), app.clock.now());
    let sealed = Sealed {
        patient: content.patient.clone().unwrap_or_default(),
        reason: form.reason.to_string(),
        provider: member.caller.full_name.clone(),
        initiator: oid(member.organization_id),
        recipient: String::new(),
    };
    let row = Model {
        id,
        organization_id: member.organization_id,
        referral_id: id.simple().to_string(),
        assigner: oid(member.organization_id),
        role: ConversationRole::Initiator,
        state: ConversationState::Requested,
        own_address: draft.from_address.clone(),
        other_address: to[0].clone(),
        due_on: Some(form.due_date.unwrap_or(today + rules::USUAL_TIME)),
        appointment_at: None,
        sealed_content: sealed.seal(&key, id)?,
        message_id: draft.id,
        created_at: now,
        updated_at: now,
    };
    let said = Said { step: StepAction::Request, note: "", appointment: None };
    let telling = Telling::prepare(app, member, &row, &sealed, &said, documents, Some(&draft)).await?;
    let telling = telling.accepting(form.accepts_patient);
    let txn = app.store.begin().await?;
    let draft = locked(&txn, member, &draft).await?;
    let sent = telling.send(app, &txn, member, draft, Mode::Send).await?;
    conversation::Entity::insert(row.clone().into_active_model()).exec_without_returning(&txn).await?;
    let step = queries::step(&key, &row, sent.id, said.step, "", true, now);
    conversation_step::Entity::insert(step).exec_without_returning(&txn).await?;
    let act = Act::new(event::CREATED, "conversation", id);
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    app.store.commit_durable(txn).await?;
    sending::announce_sent(app, &sent).await;
    Ok(id)
}

/// A draft at the version that was read; refused if it was changed or sent since.
async fn locked(txn: &Transaction, member: &Member, read: &message::Model) -> Result<message::Model> {
    let row = messages::lock(txn, member, read.id).await?;
    if !row.is_draft {
        return Err(Error::Conflict(SENT.into()));
    }
    if row.version != read.version { Err(Error::Outdated("this draft")) } else { Ok(row) }
}

/// Sends the next message of a referral to the other side.
pub async fn respond(app: &App, member: &Member, id: Uuid, response: ConversationResponse) -> Result<()> {
    let db = app.store.db();
    let key = app.keys.data_key(member.organization_id).await?;
    let row = queries::find_row(db, member, id).await?;
    let sealed = Sealed::open(&key, &row)?;
    let draft = check(app, member, &row, &sealed, &response).await?;
    next(&row, response.response_action)?;
    let is_appointment = response.response_action == StepAction::Appointment;
    let appointment = response.appointment_date.filter(|_| is_appointment);
    let said = Said {
        step: response.response_action,
        note: &response.note,
        appointment: appointment.or(row.appointment_at),
    };
    let documents = match &draft {
        Some(draft) => documents(app, member, draft).await?,
        None => Vec::new(),
    };
    let telling = Telling::prepare(app, member, &row, &sealed, &said, documents, draft.as_ref()).await?;
    let telling = telling.accepting(response.accepts_patient);
    let txn = app.store.begin().await?;
    // First, so that the second of two concurrent answers sees the first.
    let row = queries::conversation(member.organization_id, id).lock_exclusive().one(&txn).await?;
    let row = row.ok_or(Error::NotFound)?;
    let (before, state) = (row.state, next(&row, said.step)?);
    let draft = match &draft {
        Some(draft) => locked(&txn, member, draft).await?,
        None => drafts::create_in(app, &txn, member).await?,
    };
    let sent = telling.send(app, &txn, member, draft, Mode::Reply).await?;
    let now = app.clock.now();
    let mut change = row.into_active_model();
    change.state = Set(state);
    change.message_id = Set(sent.id);
    change.updated_at = Set(now);
    change.appointment_at = Set(said.appointment);
    let row = change.update(&txn).await?;
    let step = queries::step(&key, &row, sent.id, said.step, said.note, true, now);
    conversation_step::Entity::insert(step).exec_without_returning(&txn).await?;
    let detail = json!({ "before": before.to_string(), "after": state.to_string() });
    let act = Act::new(event::CHANGED, "conversation", id).detail(detail);
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    app.store.commit_durable(txn).await?;
    sending::announce_sent(app, &sent).await;
    Ok(())
}

/// Checks an answer. Returns its draft, if any.
async fn check(
    app: &App,
    member: &Member,
    row: &Model,
    sealed: &Sealed,
    response: &ConversationResponse,
) -> Result<Option<message::Model>> {
    let mut errors = FieldErrors::default();
    let is_known = response.response_type.as_deref().is_none_or(|kind| kind.eq_ignore_ascii_case(KIND));
    errors.require(is_known, "responseType", DEFAULT_FIELD_ERROR);
    let now = app.clock.now();
    let is_appointment = response.response_action == StepAction::Appointment;
    let is_timed = response.appointment_date.is_some_and(|at| at > now);
    errors.require(!is_appointment || is_timed, "appointmentDate", "Please enter a time in the future.");
    let needs_note = matches!(response.response_action, StepAction::Decline | StepAction::Interim);
    errors.require(!needs_note || !response.note.is_empty(), "note", "Please enter a note.");
    if let Some(message_id) = response.response_to_message_id {
        let step = conversation_step::Entity::find_by_id(message_id).one(app.store.db()).await?;
        let is_of_it = step.is_some_and(|step| step.conversation_id == row.id);
        errors.require(is_of_it, "responseToMessageId", DEFAULT_FIELD_ERROR);
    }
    let draft = match response.draft_id {
        Some(draft) => messages::if_there(messages::find(app, member, draft).await)?,
        None => None,
    };
    match &draft {
        Some(draft) if !draft.is_draft => return Err(Error::Conflict(SENT.into())),
        Some(draft) => {
            let key = app.keys.data_key(member.organization_id).await?;
            let patient = Content::open(&key, draft)?.patient.unwrap_or_default();
            let is_theirs =
                rules::can_be_same(&patient, &rules::fitting(sealed.patient.clone(), now.date_naive()));
            errors.require(is_theirs, "draftId", OTHER_PATIENT);
            let only = draft.cc_address.is_empty() && draft.bcc_address.is_empty();
            errors.require(only, "draftId", OTHER_RECIPIENTS);
        }
        None => errors.require(response.draft_id.is_none(), "draftId", DEFAULT_FIELD_ERROR),
    }
    errors.check()?;
    Ok(draft)
}

fn next(row: &Model, step: StepAction) -> Result<ConversationState> {
    rules::after(row.state, row.role, step).ok_or_else(|| Error::Conflict(NOT_NOW.into()))
}

/// Content of a message of a referral.
struct Said<'a> {
    step: StepAction,
    note: &'a str,
    appointment: Option<chrono::DateTime<chrono::Utc>>,
}

/// The files of a draft for the package, except a package itself.
async fn documents(app: &App, member: &Member, draft: &message::Model) -> Result<Vec<Document>> {
    let key = app.keys.data_key(member.organization_id).await?;
    let mut documents = Vec::new();
    for file in files::of_message(app.store.db(), draft).await? {
        if kind_of(&file) == Kind::Zip {
            continue;
        }
        documents.push(document(app, member, &file, open_name(&key, &file)?, documents.len() + 2).await?);
    }
    Ok(documents)
}

async fn document(
    app: &App,
    member: &Member,
    file: &attachment::Model,
    title: String,
    number: usize,
) -> Result<Document> {
    let is_cda = kind_of(file) == Kind::Cda;
    let extension = title.rsplit_once('.').map_or("BIN", |(_, extension)| extension).to_ascii_uppercase();
    let extension: String = extension.chars().filter(char::is_ascii_alphanumeric).take(3).collect();
    let content = opening::read(app, member, file).await?;
    Ok(Document {
        name: format!("DOC{number:05}.{}", if is_cda { "XML" } else { extension.as_str() }),
        mime_type: if is_cda { "text/xml".into() } else { file.mime_type.clone() },
        title,
        content: content.to_vec(),
        is_intact: true,
    })
}

/// The confidentiality of a package is the strictest of its documents.
async fn confidentiality(
    app: &App,
    key: &store::keys::DataKey,
    draft: Option<&message::Model>,
) -> Result<Confidentiality> {
    let mut strictest = Confidentiality::Normal;
    if let Some(draft) = draft {
        for file in files::of_message(app.store.db(), draft).await? {
            strictest = strictest.max(open_meta(key, &file)?.confidentiality.unwrap_or_default());
        }
    }
    Ok(strictest)
}

/// An outgoing message: the stored package, and the fields of the draft.
struct Telling {
    package: NewFile,
    request: DraftRequest,
}

impl Telling {
    /// Does the slow part, before any row is locked.
    async fn prepare(
        app: &App,
        member: &Member,
        row: &Model,
        sealed: &Sealed,
        said: &Said<'_>,
        documents: Vec<Document>,
        draft: Option<&message::Model>,
    ) -> Result<Self> {
        let package = package(app, member, row, sealed, said, documents).await?;
        if let Some(draft) = draft {
            extract::read_now(app, member, draft).await?;
        }
        let key = app.keys.data_key(member.organization_id).await?;
        let today = app.clock.now().date_naive();
        let mut request = filled(&key, draft, row, sealed, said, today)?;
        // A deleted message is not referred to, and the referral can still be answered.
        let latest = messages::if_there(messages::find(app, member, row.message_id).await)?;
        request.original_object_id =
            latest.filter(|_| said.step != StepAction::Request).map(|message| Some(message.id));
        drafts::check(app, &request)?;
        let blob = app.blobs.put(&key, member.organization_id, Uuid::now_v7(), package.into()).await?;
        app.blobs.sync().await?;
        let meta = AttachmentMeta {
            document_type: Some("Referral".into()),
            document_date: Some(today),
            document_date_type: Some(DocumentDateType::Today),
            confidentiality: Some(confidentiality(app, &key, draft).await?),
            ..AttachmentMeta::default()
        };
        let kind = Kind::Zip;
        let mime_type = kind.mime_type().into();
        let name = PACKAGE_NAME.into();
        Ok(Self { package: NewFile { name, kind, mime_type, blob, meta, problem: None }, request })
    }

    /// Sets whether a person confirmed that a document names a different patient.
    fn accepting(self, accepts_patient: Option<bool>) -> Self {
        Self { request: DraftRequest { accepts_patient, ..self.request }, ..self }
    }

    /// Adds the package to a locked draft and sends it, in the transaction that advances the referral.
    async fn send(
        self,
        app: &App,
        txn: &Transaction,
        member: &Member,
        draft: message::Model,
        mode: Mode,
    ) -> Result<message::Model> {
        let key = app.keys.data_key(member.organization_id).await?;
        let wishes = attachments::queries::Wishes { convert: false, has_priority: false };
        let (_, draft) = attachments::queries::add_in(app, txn, member, draft, self.package, wishes).await?;
        // The draft is unchanged since it was read, so its version is current.
        let draft_version = Some(Content::open(&key, &draft)?.draft_version);
        let request = DraftRequest { draft_version, ..self.request };
        sending::send_in(app, txn, member, draft, mode, request).await
    }
}

/// Fields of the draft besides those entered by a person.
fn filled(
    key: &store::keys::DataKey,
    draft: Option<&message::Model>,
    row: &Model,
    sealed: &Sealed,
    said: &Said<'_>,
    today: NaiveDate,
) -> Result<DraftRequest> {
    let (summary, content) = match draft {
        Some(draft) => (Summary::open(key, draft)?, Content::open(key, draft)?),
        None => Default::default(),
    };
    let words = rules::words(said.step);
    let mut body = vec![content.body, words.to_owned() + "."];
    body.extend(said.appointment.map(|at| format!("Appointment: {}", at.format("%B %-d, %Y, %H:%M UTC"))));
    body.push(said.note.to_owned());
    body.retain(|text| !text.trim().is_empty());
    let subject = rules::unmarked(&summary.subject);
    let subject = if subject.trim().is_empty() { words.to_owned() } else { subject };
    let is_request = said.step == StepAction::Request;
    Ok(DraftRequest {
        subject: Some(subject.chars().take(255).collect()),
        body: Some(body.join("\n\n")),
        from_address: Some(row.own_address.clone()),
        to_address: (!is_request).then(|| row.other_address.clone()),
        patient: Some(Some(rules::fitting(sealed.patient.clone(), today))),
        conversation: Some(Some(Conversation {
            conversation_id: row.id.to_string(),
            kind: KIND.into(),
            conversation_status: said.step.to_string(),
        })),
        ..DraftRequest::default()
    })
}

async fn package(
    app: &App,
    member: &Member,
    row: &Model,
    sealed: &Sealed,
    said: &Said<'_>,
    documents: Vec<Document>,
) -> Result<Vec<u8>> {
    let own = oid(member.organization_id);
    let (now, number) = (app.clock.now(), Uuid::now_v7().as_u128().to_string());
    let patient = referred(&sealed.patient, &sealed.initiator);
    let message = Message {
        action: rules::action_of(said.step),
        referral_id: row.referral_id.clone(),
        assigner: row.assigner.clone(),
        receiver: if own == sealed.initiator { sealed.recipient.clone() } else { sealed.initiator.clone() },
        sender: own.clone(),
        control_id: number.clone(),
        at: now,
        due: row.due_on,
        reason: sealed.reason.clone(),
        provider: sealed.provider.clone(),
        appointment: said.appointment,
        note: said.note.to_owned(),
        patient: patient.clone(),
    };
    let first = Document {
        name: "DOC00001.HL7".into(),
        mime_type: "x-application/hl7-v2+er7".into(),
        title: rules::words(said.step).into(),
        content: message.write().into_bytes(),
        is_intact: true,
    };
    let institution = organization::Entity::find_by_id(member.organization_id).one(app.store.db()).await?;
    let institution = institution.ok_or(Error::NotFound)?.name;
    let all: Vec<Document> = [first].into_iter().chain(documents).collect();
    let written = move |row: &Model| {
        referral::write(&Package {
            from: &row.own_address,
            to: &row.other_address,
            institution: &institution,
            source: &own,
            number: &number,
            at: now,
            patient: &format!("{}^^^&{}&ISO", patient.id, patient.realm),
            referral: &format!("{}^^^&{}&ISO", row.referral_id, row.assigner),
            documents: &all,
        })
    };
    let row = row.clone();
    let written = tokio::task::spawn_blocking(move || written(&row)).await.map_err(Error::internal)?;
    written.map_err(Error::internal)
}

/// The patient with the initiator's number, which is empty if the patient has none.
fn referred(patient: &Patient, initiator: &str) -> ReferredPatient {
    let known = patient.patient_ids.iter().find(|known| Some(&known.id) == patient.patient_id.as_ref());
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    ReferredPatient {
        id: text(&patient.patient_id),
        realm: known.map_or_else(|| initiator.to_owned(), |known| known.root.clone()),
        last_name: text(&patient.last_name),
        first_name: text(&patient.first_name),
        middle_name: text(&patient.middle_name),
        birth_date: patient.birth_date,
        // Table 0001 has no UN.
        gender: if patient.gender.as_deref() == Some("UN") { "U".into() } else { text(&patient.gender) },
    }
}
