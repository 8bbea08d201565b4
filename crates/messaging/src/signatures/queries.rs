//! Requests for signatures and their results.

use super::{
    documents,
    hashes::fingerprint,
    mail::{Place, Requested},
    marks::CONSENT,
    types::{DocumentToSign, SignatureForm, SignatureRow, SignatureView, Signer, Signers},
};
use crate::{
    files,
    messages::{
        colleagues, list as lists,
        queries::{self as messages, announce},
    },
    model::Direction,
    people::{PersonView, names_of},
    sealed::{Summary, open_name},
};
use platform::{
    App, Error, Member, Result, Role,
    audit::{self, Act, Actor, event},
    bus::Event,
    http::{Page, Paged},
    sql,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, JoinType, Order,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, RelationDef,
};
use serde_json::json;
use std::collections::HashMap;
use store::{
    entities::{
        attachment, message,
        signature::{ActiveModel, Column, Entity, Model, SignatureState, SignedFiles},
    },
    keys::DataKey,
};
use uuid::Uuid;

/// Maximum number of people in one request.
const SIGNERS_MAX: usize = 20;
/// Maximum number of requests for a message over time.
const REQUESTS_MAX: u64 = 100;
pub const NO_DOCUMENT: &str = "This message has no document to sign.";

/// The link to a message.
pub fn place(message: &message::Model) -> Place {
    let path = match (message.direction, message.is_draft) {
        (Direction::Intake, _) => "intake",
        (Direction::Release, true) => "release/draft",
        (Direction::Release, false) => "release",
    };
    Place { message_id: message.id, path }
}

/// Asks colleagues to sign, except those who are already asked.
pub async fn request(app: &App, member: &Member, id: Uuid, form: SignatureForm) -> Result<message::Model> {
    let message = messages::find(app, member, id).await?;
    let signers = colleagues::named(app, &message, "signers", form.signers, SIGNERS_MAX).await?;
    if signers.is_empty() {
        return Err(Error::field("signers", "Please choose who should sign."));
    }
    let (requester, place) = (&member.caller.full_name, place(&message));
    let letters = colleagues::letters(app, member, &signers, |to| Requested {
        first_name: to.first_name,
        requester: requester.clone(),
        organization: to.organization,
        place: place.clone(),
    })
    .await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    // Locked, so that nobody is asked twice and no file is removed meanwhile.
    let message = messages::lock(&txn, member, id).await?;
    if files::of_message(&txn, &message).await?.is_empty() {
        return Err(Error::Conflict(NO_DOCUMENT.into()));
    }
    let of_message = Entity::find().filter(Column::MessageId.eq(id));
    if of_message.clone().count(&txn).await? + signers.len() as u64 > REQUESTS_MAX {
        return Err(Error::Conflict("A message can have at most 100 requests for signatures.".into()));
    }
    let waiting = of_message
        .filter(Column::State.eq(SignatureState::Waiting))
        .filter(Column::SignerId.is_in(signers.iter().copied()));
    if waiting.count(&txn).await? > 0 {
        return Err(Error::field("signers", "One of these people is already asked to sign."));
    }
    let note = form.note.as_deref().map(str::trim).filter(|note| !note.is_empty());
    let now = app.clock.now();
    for signer in &signers {
        let row_id = Uuid::now_v7();
        let row = Model {
            id: row_id,
            organization_id: member.organization_id,
            message_id: id,
            requested_by: member.caller.user_id,
            signer_id: *signer,
            state: SignatureState::Waiting,
            sealed_note: note.map(|note| key.seal(&note_context(row_id), note.as_bytes())),
            sealed_reason: None,
            sealed_mark: None,
            files: SignedFiles::default(),
            confirmed_by: None,
            created_at: now,
            settled_at: None,
        };
        Entity::insert(row.into_active_model()).exec_without_returning(&txn).await?;
    }
    for letter in letters {
        letter.enqueue(&txn).await?;
    }
    let act = Act::new(event::SIGNATURE_REQUESTED, "message", id).detail(json!({ "signers": signers }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    announce(app, &message).await;
    Ok(message)
}

/// The signers of a message.
pub async fn of_message(app: &App, member: &Member, message: &message::Model) -> Result<Signers> {
    let db = app.store.db();
    let rows = Entity::find()
        .filter(Column::MessageId.eq(message.id))
        .filter(Column::OrganizationId.eq(member.organization_id))
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id)
        .limit(REQUESTS_MAX)
        .all(db)
        .await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let now = files::of_message(db, message).await?;
    let names = Names::of(app, &rows).await?;
    let is_admin = member.caller.has(Role::Admin);
    let caller = member.caller.user_id;
    let items = rows.into_iter().map(|row| {
        let is_waiting = row.state == SignatureState::Waiting;
        Ok(Signer {
            id: row.id,
            signer: names.person(row.signer_id),
            requested_by: names.person(row.requested_by),
            state: row.state,
            note: open(&key, &note_context(row.id), row.sealed_note.as_deref())?,
            reason: open(&key, &reason_context(row.id), row.sealed_reason.as_deref())?,
            asked_on: row.created_at,
            settled_on: row.settled_at,
            confirmed_by: row.confirmed_by,
            is_outdated: row.state == SignatureState::Signed && is_outdated(&row, &now),
            is_own: is_waiting && row.signer_id == caller,
            can_be_cancelled: is_waiting && (row.requested_by == caller || is_admin),
            files: row.files.0.into_iter().map(Into::into).collect(),
        })
    });
    let items = items.collect::<Result<_>>()?;
    let file = |file: &attachment::Model| {
        let file_name = open_name(&key, file)?;
        Ok(DocumentToSign { attachment_id: file.id, file_name, pages: file.page_count })
    };
    Ok(Signers {
        items,
        documents: fingerprint(&now),
        files: now.iter().map(file).collect::<Result<_>>()?,
        consent: CONSENT.into(),
        signed_pdfs: documents::view(app, &key, message, &now).await?,
    })
}

/// Whether the files of a message differ from the signed ones.
fn is_outdated(row: &Model, now: &[attachment::Model]) -> bool {
    row.files.0.len() != now.len()
        || row
            .files
            .0
            .iter()
            .any(|signed| !now.iter().any(|f| f.id == signed.attachment_id && f.blob_id == signed.blob_id))
}

/// A page of the caller's requests.
pub async fn list(
    app: &App,
    member: &Member,
    view: SignatureView,
    page: Page,
) -> Result<Paged<SignatureRow>> {
    let db = app.store.db();
    let caller = member.caller.user_id;
    let of_message: RelationDef =
        Entity::belongs_to(message::Entity).from(Column::MessageId).to(message::Column::Id).into();
    let all = Entity::find()
        .join(JoinType::InnerJoin, of_message)
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(message::Column::DeletedAt.is_null())
        .filter(member.tenant().readable());
    let rows = match view {
        SignatureView::Waiting => {
            all.filter(Column::SignerId.eq(caller)).filter(Column::State.eq(SignatureState::Waiting))
        }
        SignatureView::Settled => all
            .filter(Column::SignerId.eq(caller))
            .filter(Column::State.is_in([SignatureState::Signed, SignatureState::Declined])),
        SignatureView::Requested => all.filter(Column::RequestedBy.eq(caller)),
    };
    let newest = [(Column::CreatedAt, Order::Desc), (Column::Id, Order::Desc)];
    let Paged { items, total_count, total_is_capped } = sql::page(db, rows, &newest, page).await?;
    let ids: Vec<Uuid> = items.iter().map(|row| row.message_id).collect();
    let messages: HashMap<Uuid, _> =
        lists::rows(db, &ids).await?.into_iter().map(|message| (message.id, message)).collect();
    let key = app.keys.data_key(member.organization_id).await?;
    let names = Names::of(app, &items).await?;
    let items = items.into_iter().filter_map(|row| {
        let message = messages.get(&row.message_id)?;
        Some(list_row(&key, &names, row, message))
    });
    Ok(Paged { items: items.collect::<Result<_>>()?, total_count, total_is_capped })
}

fn list_row(key: &DataKey, names: &Names, row: Model, message: &message::Model) -> Result<SignatureRow> {
    let summary = Summary::open(key, message)?;
    Ok(SignatureRow {
        id: row.id,
        message_id: message.id,
        direction: message.direction,
        is_draft: message.is_draft,
        subject: summary.subject,
        patient_name: summary.patient_name,
        document_type: summary.document_type,
        signer: names.person(row.signer_id),
        requested_by: names.person(row.requested_by),
        state: row.state,
        note: open(key, &note_context(row.id), row.sealed_note.as_deref())?,
        reason: open(key, &reason_context(row.id), row.sealed_reason.as_deref())?,
        asked_on: row.created_at,
        settled_on: row.settled_at,
    })
}

/// The names of signers and requesters.
struct Names(HashMap<Uuid, String>);

impl Names {
    async fn of(app: &App, rows: &[Model]) -> Result<Self> {
        Ok(Self(names_of(app, rows.iter().flat_map(|row| [row.signer_id, row.requested_by])).await?))
    }

    fn person(&self, id: Uuid) -> PersonView {
        PersonView { id, name: self.0.get(&id).cloned().unwrap_or_default() }
    }
}

/// Stores the result of a request.
pub async fn settled(
    txn: &store::Transaction,
    row: Model,
    change: impl FnOnce(&mut ActiveModel),
    now: chrono::DateTime<chrono::Utc>,
) -> Result<()> {
    let mut row = row.into_active_model();
    row.settled_at = Set(Some(now));
    change(&mut row);
    row.update(txn).await?;
    Ok(())
}

fn open(key: &DataKey, context: &str, sealed: Option<&[u8]>) -> Result<String> {
    let Some(sealed) = sealed else { return Ok(String::new()) };
    Ok(String::from_utf8_lossy(&key.open(context, sealed)?).into_owned())
}

fn note_context(id: Uuid) -> String {
    format!("signature.note:{id}")
}

pub fn reason_context(id: Uuid) -> String {
    format!("signature.reason:{id}")
}
