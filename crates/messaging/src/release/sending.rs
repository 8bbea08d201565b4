//! Sending of a draft: it is checked, frozen, and enqueued with a delivery for each recipient.

use super::{
    corrections, deliver, drafts,
    names::organizations_of,
    printable,
    rules::{self, Outgoing, Recipient},
    types::{DraftRequest, SendAnswer},
    undo,
};
use crate::{
    attachments::{convert::pending, opening},
    events,
    fax::{sending::queries as sending, settings::FaxSettings},
    files::{self, kind_of},
    known_patients::differs,
    messages::{
        plans,
        queries::{self, edit_row},
    },
    model::{
        Conversion, DeliveryKind, DeliveryState, Direction, Mode, RecipientRole, SourceStatus, Status,
        WITHOUT_MESSAGE_ID,
    },
    sealed::{Content, Summary, open_meta, open_name},
    workflows::SEND,
};
use chrono::{DateTime, Duration, Utc};
use direct::{DirectAddress, mime::new_message_id};
use fax::{FaxNumber, Home};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::FieldErrors,
    secret::token_hash,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use std::collections::HashMap;
use store::{
    Transaction,
    entities::{
        attachment::ScanState,
        brand, delivery, document_source, idempotency_key, message,
        message_event::EventType,
        organization,
        plan::{self, Function},
        transmission, user_document_source,
    },
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{NewStep, NewWorkflow};

/// Sends a draft: checks it, freezes it and enqueues the send workflow, in one durable transaction.
pub async fn send(
    app: &App,
    member: &Member,
    id: Uuid,
    mode: Mode,
    request: DraftRequest,
    idempotency: Option<&str>,
) -> Result<SendAnswer> {
    drafts::check(app, &request)?;
    printable::check(app, member, id, &request).await?;
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, id).await?;
    if !row.is_draft {
        let answer = already_sent(&txn, member, &row, idempotency).await?;
        // Durable, because the commit of the first call is visible before it is on disk.
        app.store.commit_durable(txn).await?;
        return Ok(answer);
    }
    let key = app.keys.data_key(member.organization_id).await?;
    drafts::check_mode(&txn, &key, &row, mode, &request).await?;
    let is_held = request.is_held == Some(true);
    let row = send_in(app, &txn, member, row, mode, request).await?;
    if let Some(text) = idempotency {
        remember(app, &txn, member, text, id).await?;
    }
    app.store.commit_durable(txn).await?;
    announce_sent(app, &row).await;
    let held_until = is_held.then(|| row.message_date + undo::TIME);
    Ok(SendAnswer { held_until, ..answer(&row) })
}

/// Sends a locked draft whose request was checked, together with the caller's other changes. The caller commits durably
/// and then calls [`announce_sent`].
pub async fn send_in(
    app: &App,
    txn: &Transaction,
    member: &Member,
    row: message::Model,
    mode: Mode,
    request: DraftRequest,
) -> Result<message::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let confirmed = request.confirmed_fax_numbers.clone().unwrap_or_default();
    let start = app.clock.now() + if request.is_held == Some(true) { undo::TIME } else { Duration::zero() };
    let accepts_patient = request.accepts_patient == Some(true);
    let row = drafts::fill(app, txn, member, &key, row, request).await?;
    differs::refuse(txn, &key, &row, accepts_patient).await?;
    let dispatch = validate(app, txn, member, &key, &row, mode, &confirmed).await?;
    let answered = answered(txn, member, &row, mode).await?;
    let brand = brand_of(txn, member).await?;
    let rfc_message_id = dispatch.direct.as_ref().map(|sender| new_message_id(Uuid::new_v4(), sender));
    let steps = add_deliveries(app, txn, &row, &dispatch, rfc_message_id.as_deref(), start).await?;
    let workflow_id = enqueue(app, txn, &row, steps).await?;
    if let Some(source) = &dispatch.fax {
        sending::add_jobs(txn, &row, workflow_id, source).await?;
    }
    let origin_status = note_origin(app, txn, member, &key, &row, mode).await?;
    let ids = Ids { workflow_id, rfc_message_id, answered, origin_status, mode };
    let row = freeze(app, txn, &key, row, &dispatch, ids, &brand).await?;
    corrections::settle(app, txn, &key, &row).await?;
    audit::record(app, txn, &Actor::from(&member.caller), Act::new(event::SENT, "message", row.id)).await?;
    Ok(row)
}

/// Notifies browsers and workers of a message that is being sent.
pub async fn announce_sent(app: &App, row: &message::Model) {
    queries::announce(app, row).await;
    app.bus.publish(Event::Work).await;
}

fn answer(row: &message::Model) -> SendAnswer {
    SendAnswer { id: row.id, status: row.status.to_string(), workflow_id: row.workflow_id, held_until: None }
}

/// A repetition with the same key gets the first answer; any other call is a second sending, which is refused.
async fn already_sent(
    txn: &Transaction,
    member: &Member,
    row: &message::Model,
    idempotency: Option<&str>,
) -> Result<SendAnswer> {
    if let Some(text) = idempotency {
        let found =
            idempotency_key::Entity::find_by_id((member.organization_id, token_hash(text))).one(txn).await?;
        if found.is_some_and(|k| k.message_id == row.id) {
            return Ok(answer(row));
        }
    }
    Err(Error::Conflict("The message was already sent.".into()))
}

async fn remember(app: &App, txn: &Transaction, member: &Member, text: &str, id: Uuid) -> Result<()> {
    let key_hash = token_hash(text);
    let known =
        idempotency_key::Entity::find_by_id((member.organization_id, key_hash.clone())).one(txn).await?;
    if known.is_some() {
        return Err(Error::Conflict("This request was used for another message.".into()));
    }
    idempotency_key::Entity::insert(idempotency_key::ActiveModel {
        organization_id: Set(member.organization_id),
        key_hash: Set(key_hash),
        message_id: Set(id),
        created_at: Set(app.clock.now()),
    })
    .exec_without_returning(txn)
    .await?;
    Ok(())
}

/// The senders and recipients of a checked message.
struct Dispatch {
    recipients: Vec<(Recipient, RecipientRole)>,
    /// The sender, if there are Direct recipients.
    direct: Option<DirectAddress>,
    /// The fax number to send from, if there are fax recipients.
    fax: Option<document_source::Model>,
}

/// Validates a message before it is sent.
async fn validate(
    app: &App,
    txn: &Transaction,
    member: &Member,
    key: &DataKey,
    row: &message::Model,
    mode: Mode,
    confirmed: &[String],
) -> Result<Dispatch> {
    let content = Content::open(key, row)?;
    let files = files::of_message(txn, row).await?;
    files.iter().try_for_each(|file| opening::permit(member, key, file))?;
    let converting: Vec<_> = files.iter().filter(|f| pending(f).is_some()).collect();
    let converting = converting.into_iter().map(|f| open_name(key, f)).collect::<Result<Vec<_>>>()?;
    let infected = files.iter().filter(|f| f.scan_state == ScanState::Infected);
    let infected = infected.map(|f| open_name(key, f)).collect::<Result<Vec<_>>>()?;
    let kinds: Vec<_> = files.iter().map(kind_of).collect();
    let files = files
        .iter()
        .map(|f| Ok((open_name(key, f)?, kind_of(f).structured(), open_meta(key, f)?)))
        .collect::<Result<Vec<_>>>()?;
    let settings = FaxSettings::of(txn, member.organization_id).await?;
    let home = settings.home();
    let mut errors = rules::check(&Outgoing {
        mode,
        is_non_patient: content.is_non_patient,
        subject: &Summary::open(key, row)?.subject,
        from: &row.from_address,
        to: &row.to_address,
        cc: &row.cc_address,
        bcc: &row.bcc_address,
        has_release_type: row.release_type_id.is_some() || content.release_type.is_some(),
        patient: content.patient.as_ref(),
        files: &files,
        to_cda: row.conversion == Some(Conversion::Cda),
        today: app.clock.now().date_naive(),
        home: &home,
    });
    for name in converting {
        errors.add(
            "attachments",
            format!("{name}: The file is being converted. Please wait until it is done."),
        );
    }
    for name in infected {
        errors.add("attachments", format!("{name}: The file is in quarantine and cannot be sent."));
    }
    let recipients = rules::recipients(&row.to_address, &row.cc_address, &row.bcc_address, &home);
    let is_number = rules::is_number(&row.from_address);
    let has_direct = recipients.iter().any(|(r, _)| matches!(r, Recipient::Direct(_)));
    let direct = sender(txn, member, &row.from_address).await?;
    if has_direct && is_number {
        errors.add(
            "fromAddress",
            "Choose a Direct address as the sender, because not all recipients are fax numbers.",
        );
    } else if !is_number && direct.is_none() && !row.from_address.is_empty() {
        errors.add("fromAddress", "You cannot send from this address.");
    }
    let numbers: Vec<_> = recipients
        .iter()
        .filter_map(|(r, _)| if let Recipient::Fax(number) = r { Some(number.clone()) } else { None })
        .collect();
    let fax = if numbers.is_empty() {
        if is_number && errors.is_empty() {
            errors.add("toAddress", "Enter a fax number to send to.");
        }
        None
    } else {
        for (name, _, _) in files.iter().zip(&kinds).filter(|(_, k)| !k.printable()).map(|(f, _)| f) {
            errors.add("attachments", format!("{name}: Files of this type cannot be faxed."));
        }
        check_numbers(txn, member, &settings, &numbers, confirmed, &mut errors).await?;
        fax_sender(txn, member, &home, row, content.fax_from.as_deref(), &mut errors).await?
    };
    errors.check()?;
    let marker = &app.config.direct.test_marker;
    let needs_plan = recipients.iter().any(|(recipient, _)| rules::needs_plan(recipient, marker));
    organization_may_send(txn, member, mode, needs_plan).await?;
    Ok(Dispatch { recipients, direct, fax })
}

/// Refuses blocked numbers; new ones have to be confirmed, since a fax to a wrong number cannot be taken back.
async fn check_numbers(
    txn: &Transaction,
    member: &Member,
    settings: &FaxSettings,
    numbers: &[FaxNumber],
    confirmed: &[String],
    errors: &mut FieldErrors,
) -> Result<()> {
    for number in numbers.iter().filter(|n| settings.is_blocked(n)) {
        errors.add(
            "toAddress",
            format!("{}: Your organization has blocked this fax number.", number.display()),
        );
    }
    let home = settings.home();
    let confirmed: Vec<_> = confirmed.iter().filter_map(|c| FaxNumber::parse(c, &home).ok()).collect();
    let unknown = sending::unknown(txn, member.organization_id, numbers).await?;
    for number in numbers.iter().filter(|n| unknown.contains(&n.to_string()) && !confirmed.contains(n)) {
        let text = format!(
            "{}: This is the first fax to this number. Please check and confirm it.",
            number.display()
        );
        errors.add("confirmedFaxNumbers", text);
    }
    Ok(())
}

/// The fax number to send from: the message's, or the member's only one.
async fn fax_sender(
    txn: &Transaction,
    member: &Member,
    home: &Home,
    row: &message::Model,
    wanted: Option<&str>,
    errors: &mut FieldErrors,
) -> Result<Option<document_source::Model>> {
    let own = sending::numbers(txn, member).await?;
    let from = Some(row.from_address.as_str()).filter(|from| rules::is_number(from));
    let field = if wanted.is_none() && from.is_some() { "fromAddress" } else { "fromFaxNumber" };
    match wanted.filter(|w| !w.trim().is_empty()).or(from) {
        Some(text) => {
            let number = FaxNumber::parse(text, home).map(|n| n.to_string()).unwrap_or_default();
            let found = own.into_iter().find(|s| s.address_key == number);
            errors.require(found.is_some(), field, "You cannot send from this fax number.");
            Ok(found)
        }
        None if own.is_empty() => {
            errors.add("fromFaxNumber", "You have no fax number to send from. An administrator of your organization can give you one.");
            Ok(None)
        }
        None => {
            errors.require(own.len() == 1, "fromFaxNumber", "Choose the fax number to send from.");
            Ok(own.into_iter().next())
        }
    }
}

/// The address, if it is active and the member may send from it.
pub(super) async fn sender(
    txn: &Transaction,
    member: &Member,
    address: &str,
) -> Result<Option<DirectAddress>> {
    let Ok(address) = DirectAddress::parse(address) else { return Ok(None) };
    let source = member
        .tenant()
        .document_sources()
        .filter(document_source::Column::AddressKey.eq(address.mailbox().as_str()))
        .filter(document_source::Column::Status.eq(SourceStatus::Activated))
        .one(txn)
        .await?;
    let Some(source) = source else { return Ok(None) };
    let link = user_document_source::Entity::find_by_id((member.caller.user_id, source.id)).one(txn).await?;
    Ok(link.map(|_| address))
}

pub(super) async fn organization_may_send(
    txn: &Transaction,
    member: &Member,
    mode: Mode,
    needs_plan: bool,
) -> Result<()> {
    let organization = organization::Entity::find_by_id(member.organization_id).one(txn).await?;
    let organization = organization.ok_or(Error::NotFound)?;
    if !organization.is_activated {
        return Err(Error::Conflict("Your organization is not activated yet.".into()));
    }
    if organization.id_proofed_at.is_none() {
        return Err(Error::Conflict("The identity of your organization is not verified yet.".into()));
    }
    let plan = match organization.plan_id {
        Some(id) => plan::Entity::find_by_id(id).one(txn).await?,
        None => None,
    };
    match plan.and_then(|plan| refused_by(&plan, mode, needs_plan)) {
        Some(function) => Err(Error::Conflict(plans::words(function).into())),
        None => Ok(()),
    }
}

/// The function of a message that the plan excludes, if any. A plan without sending still allows fax numbers, unless it
/// excludes the message's mode.
fn refused_by(plan: &plan::Model, mode: Mode, needs_plan: bool) -> Option<Function> {
    match mode {
        Mode::Send if plan.lacks(Function::ReleaseRoute) => Some(Function::ReleaseRoute),
        Mode::Forward if plan.lacks(Function::Forward) => Some(Function::Forward),
        Mode::Reply if plan.lacks(Function::Reply) => Some(Function::Reply),
        _ if needs_plan && plan.lacks(Function::Send) => Some(Function::Send),
        _ => None,
    }
}

/// The Message-ID to which a reply refers; `None` if the answered message arrived without one.
async fn answered(
    txn: &Transaction,
    member: &Member,
    row: &message::Model,
    mode: Mode,
) -> Result<Option<String>> {
    let Some(original) = row.original_message_id.filter(|_| mode == Mode::Reply) else { return Ok(None) };
    let original = queries::if_there(queries::lock(txn, member, original).await)?;
    Ok(original.and_then(|row| row.rfc_message_id).filter(|id| !id.starts_with(WITHOUT_MESSAGE_ID)))
}

/// Adds one delivery per recipient and the transmissions that reach them. Returns the steps that do so, from `start`
/// on.
async fn add_deliveries(
    app: &App,
    txn: &Transaction,
    row: &message::Model,
    dispatch: &Dispatch,
    rfc_message_id: Option<&str>,
    start: DateTime<Utc>,
) -> Result<Vec<NewStep>> {
    let now = app.clock.now();
    let names = names_of(txn, &dispatch.recipients).await?;
    let new = |(position, (recipient, role)): (usize, &(Recipient, RecipientRole))| {
        new_delivery(row, position as i32, recipient, &names, *role, now)
    };
    let mut deliveries: Vec<_> = dispatch.recipients.iter().enumerate().map(new).collect();
    let mut transmissions = Vec::new();
    if let (Some(sender), Some(rfc_message_id)) = (&dispatch.direct, rfc_message_id) {
        let by_mail = dispatch.recipients.iter().zip(&mut deliveries).filter_map(|((recipient, _), d)| {
            if let Recipient::Direct(address) = recipient { Some((address, d)) } else { None }
        });
        transmissions = deliver::split(row, rfc_message_id, sender, by_mail, now);
    }
    let is_fax = |d: &&delivery::Model| d.kind == DeliveryKind::Fax;
    let faxes: Vec<Uuid> = deliveries.iter().filter(is_fax).map(|d| d.id).collect();
    let steps = deliver::steps(app, &transmissions, &faxes, start);
    if !transmissions.is_empty() {
        let rows = transmissions.into_iter().map(IntoActiveModel::into_active_model);
        transmission::Entity::insert_many(rows).exec_without_returning(txn).await?;
    }
    let rows = deliveries.into_iter().map(IntoActiveModel::into_active_model);
    delivery::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(steps)
}

/// The ids of a sent message, and details of the message to which it replies.
struct Ids {
    workflow_id: Uuid,
    rfc_message_id: Option<String>,
    answered: Option<String>,
    /// Status of the answered or forwarded message before.
    origin_status: Option<Status>,
    mode: Mode,
}

/// Turns the draft into a message that is being sent.
async fn freeze(
    app: &App,
    txn: &Transaction,
    key: &DataKey,
    row: message::Model,
    dispatch: &Dispatch,
    ids: Ids,
    brand: &str,
) -> Result<message::Model> {
    let now = app.clock.now();
    let list = |role: RecipientRole| {
        let of_role = dispatch.recipients.iter().filter(|(_, r)| *r == role);
        of_role.map(|(recipient, _)| recipient.written()).collect::<Vec<_>>().join(";")
    };
    let has_fax = dispatch.fax.is_some();
    let from_number =
        dispatch.fax.as_ref().filter(|_| dispatch.direct.is_none()).map(|source| source.address.clone());
    edit_row(txn, key, row, |m| {
        if has_fax {
            // Numbers are stored as dialled, not as typed.
            m.row.to_address = list(RecipientRole::To);
            m.row.cc_address = list(RecipientRole::Cc);
            m.row.bcc_address = list(RecipientRole::Bcc);
        }
        if let Some(number) = from_number {
            m.row.from_address = number;
        }
        m.content.origin = Some(origin(brand, m.content.is_non_patient));
        m.content.origin_status = ids.origin_status;
        m.content.mode = Some(ids.mode);
        m.row.is_draft = false;
        m.row.status = Status::Pending;
        m.row.message_date = now;
        m.row.received_at = now;
        m.row.rfc_message_id = ids.rfc_message_id;
        m.row.in_reply_to = ids.answered;
        m.row.workflow_id = Some(ids.workflow_id);
        Ok(())
    })
    .await
}

/// The brand under which the message was sent, and whether it contains patient data.
fn origin(brand: &str, is_non_patient: bool) -> String {
    if is_non_patient { format!("{brand} non-patient") } else { brand.to_owned() }
}

async fn brand_of(txn: &Transaction, member: &Member) -> Result<String> {
    let organization = organization::Entity::find_by_id(member.organization_id).one(txn).await?;
    let brand = brand::Entity::find_by_id(organization.ok_or(Error::NotFound)?.brand_id).one(txn).await?;
    Ok(brand.ok_or(Error::NotFound)?.display_name)
}

/// The normalized key of an address or number.
fn key_of(recipient: &Recipient) -> (DeliveryKind, String) {
    match recipient {
        Recipient::Direct(address) => (DeliveryKind::DirectMessage, address.mailbox().to_string()),
        Recipient::Fax(number) => (DeliveryKind::Fax, number.to_string()),
    }
}

/// The organizations of this installation among the recipients, by address key.
async fn names_of(
    txn: &Transaction,
    recipients: &[(Recipient, RecipientRole)],
) -> Result<HashMap<String, String>> {
    Ok(organizations_of(txn, recipients.iter().map(|(recipient, _)| key_of(recipient).1)).await?)
}

fn new_delivery(
    row: &message::Model,
    position: i32,
    recipient: &Recipient,
    names: &HashMap<String, String>,
    role: RecipientRole,
    now: DateTime<Utc>,
) -> delivery::Model {
    let (kind, address_key) = key_of(recipient);
    delivery::Model {
        id: Uuid::now_v7(),
        message_id: row.id,
        organization_id: row.organization_id,
        transmission_id: None,
        position,
        address: recipient.written(),
        name: names.get(&address_key).cloned().unwrap_or_default(),
        address_key,
        kind,
        role,
        state: DeliveryState::Queued,
        reason: None,
        attempt: 0,
        wants_dispatched: kind == DeliveryKind::DirectMessage,
        accepted_at: now,
        sent_at: None,
        processed_at: None,
        delivered_at: None,
        failed_at: None,
        expected_by: None,
        tls: None,
        acknowledged_at: None,
        corrected_by: None,
    }
}

pub(super) async fn enqueue(
    app: &App,
    txn: &Transaction,
    row: &message::Model,
    steps: Vec<NewStep>,
) -> Result<Uuid> {
    let job =
        NewWorkflow { organization_id: row.organization_id, kind: SEND.into(), object_id: row.id, steps };
    Ok(workflow::enqueue(txn, app.clock.now(), job).await?)
}

/// Marks the message that is answered or forwarded. Returns its previous status, if that changed.
async fn note_origin(
    app: &App,
    txn: &Transaction,
    member: &Member,
    key: &DataKey,
    row: &message::Model,
    mode: Mode,
) -> Result<Option<Status>> {
    let Some((status, kind)) = mark_of(mode) else { return Ok(None) };
    let Some(original) = row.original_message_id else { return Ok(None) };
    let Ok(original) = queries::lock(txn, member, original).await else { return Ok(None) };
    let is_marked = original.direction == Direction::Intake;
    if is_marked {
        edit_row(txn, key, original.clone(), |m| {
            m.row.status = status;
            Ok(())
        })
        .await?;
    }
    let user = (member.caller.user_id, member.caller.full_name.as_str());
    events::queries::add(txn, &original, kind, app.clock.now(), Some(user)).await?;
    Ok(is_marked.then_some(original.status))
}

/// The status and event of an answered or forwarded message.
pub(super) fn mark_of(mode: Mode) -> Option<(Status, EventType)> {
    match mode {
        Mode::Send => None,
        Mode::Forward => Some((Status::Forwarded, EventType::Forwarded)),
        Mode::Reply => Some((Status::Replied, EventType::Replied)),
    }
}
