//! Database access of referrals.

use super::rules;
use crate::{
    conversations::types::{ConversationStep, ConversationView, TrackedConversation, TrackedRequest},
    model::{DeliveryState, Patient},
};
use chrono::{DateTime, NaiveTime, Utc};
use platform::{
    App, Error, Member, Result,
    http::{Page, Paged},
    sql,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect,
    Select,
    sea_query::{Expr, ExprTrait, Func},
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use store::{
    entities::{
        conversation::{Column, ConversationRole, ConversationState, Entity, Model},
        conversation_step, delivery,
    },
    keys::DataKey,
};
use uuid::Uuid;

/// Sealed data of a referral.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sealed {
    pub patient: Patient,
    pub reason: String,
    /// The referring provider, and the OIDs of the initiator's and the recipient's organization.
    pub provider: String,
    pub initiator: String,
    pub recipient: String,
}

fn context(id: Uuid) -> String {
    format!("conversation.content:{id}")
}

impl Sealed {
    pub fn open(key: &DataKey, row: &Model) -> Result<Self> {
        Ok(key.open_json(&context(row.id), &row.sealed_content)?)
    }

    pub fn seal(&self, key: &DataKey, id: Uuid) -> Result<Vec<u8>> {
        Ok(key.seal_json(&context(id), self)?)
    }
}

pub fn seal_note(key: &DataKey, message_id: Uuid, note: &str) -> Vec<u8> {
    key.seal(&format!("conversation_step.note:{message_id}"), note.as_bytes())
}

fn open_note(key: &DataKey, step: &conversation_step::Model) -> Result<String> {
    let bytes = key.open(&format!("conversation_step.note:{}", step.message_id), &step.sealed_note)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn of(organization_id: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization_id))
}

pub fn conversation(organization_id: Uuid, id: Uuid) -> Select<Entity> {
    of(organization_id).filter(Column::Id.eq(id))
}

/// The referral with this name, given by its initiator.
pub fn named(organization_id: Uuid, referral_id: &str, assigner: &str) -> Select<Entity> {
    of(organization_id).filter(Column::ReferralId.eq(referral_id)).filter(Column::Assigner.eq(assigner))
}

/// A referral that a member may see. Those sent to an address that the member may not read are not found.
pub async fn find_row(db: &impl ConnectionTrait, member: &Member, id: Uuid) -> Result<Model> {
    let row = of(member.organization_id).filter(readable(member)).filter(Column::Id.eq(id)).one(db).await?;
    row.ok_or(Error::NotFound)
}

/// The referrals whose requests a member may read.
fn readable(member: &Member) -> Condition {
    let unreadable = member.caller.unreadable.addresses();
    if unreadable.is_empty() {
        return Condition::all();
    }
    let own = Expr::expr(Func::lower(Column::OwnAddress.into_expr()));
    let is_readable = own.is_not_in(unreadable.iter().cloned());
    Condition::any().add(Column::Role.eq(ConversationRole::Initiator)).add(is_readable)
}

const OPEN: [ConversationState; 4] = [
    ConversationState::Requested,
    ConversationState::Accepted,
    ConversationState::Scheduled,
    ConversationState::NoShow,
];

/// A page of referrals, latest first.
pub async fn page(
    app: &App,
    member: &Member,
    request: &TrackedRequest,
) -> Result<Paged<TrackedConversation>> {
    let page = Page::new(request.page_start, request.page_size, 25, 100)?;
    let (db, key) = (app.store.db(), app.keys.data_key(member.organization_id).await?);
    let today = app.clock.now().date_naive();
    let mut rows = of(member.organization_id).filter(readable(member));
    if request.is_open || request.is_overdue {
        rows = rows.filter(Column::State.is_in(OPEN));
    }
    if request.is_overdue {
        let unanswered = Condition::all()
            .add(Column::State.eq(ConversationState::Requested))
            .add(Column::CreatedAt.lt((today - rules::ANSWER_TIME).and_time(NaiveTime::MIN).and_utc()));
        rows = rows.filter(Condition::any().add(Column::DueOn.lt(today)).add(unanswered));
    }
    let latest = [(Column::UpdatedAt, Order::Desc), (Column::Id, Order::Desc)];
    let Paged { items, total_count, total_is_capped } = sql::page(db, rows, &latest, page).await?;
    let failed = failed(db, items.iter().map(|row| row.message_id)).await?;
    let own = own(db, items.iter().map(|row| row.message_id)).await?;
    let latest = |id| Latest { is_own: own.contains(&id), is_undelivered: failed.contains(&id) };
    let items = items.iter().map(|row| view(app, &key, row, latest(row.message_id)));
    Ok(Paged { items: items.collect::<Result<_>>()?, total_count, total_is_capped })
}

/// The messages with a failed delivery.
async fn failed(db: &impl ConnectionTrait, messages: impl Iterator<Item = Uuid>) -> Result<HashSet<Uuid>> {
    let ids: Vec<Uuid> = delivery::Entity::find()
        .select_only()
        .column(delivery::Column::MessageId)
        .filter(delivery::Column::MessageId.is_in(messages))
        .filter(delivery::Column::State.eq(DeliveryState::Failed))
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids.into_iter().collect())
}

/// The messages sent by the organization itself.
async fn own(db: &impl ConnectionTrait, messages: impl Iterator<Item = Uuid>) -> Result<HashSet<Uuid>> {
    let ids: Vec<Uuid> = conversation_step::Entity::find()
        .select_only()
        .column(conversation_step::Column::MessageId)
        .filter(conversation_step::Column::MessageId.is_in(messages))
        .filter(conversation_step::Column::IsOwn.eq(true))
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids.into_iter().collect())
}

/// The latest message of a referral.
struct Latest {
    is_own: bool,
    is_undelivered: bool,
}

fn view(app: &App, key: &DataKey, row: &Model, latest: Latest) -> Result<TrackedConversation> {
    let sealed = Sealed::open(key, row)?;
    let today = app.clock.now().date_naive();
    Ok(TrackedConversation {
        id: row.id,
        kind: super::KIND.into(),
        role: row.role,
        conversation_status: row.state,
        patient_name: sealed.patient.display_name(),
        reason: sealed.reason,
        own_address: row.own_address.clone(),
        other_address: row.other_address.clone(),
        due_date: row.due_on,
        appointment_date: row.appointment_at,
        turn: rules::turn(row.state),
        is_own_turn: rules::turn(row.state) == Some(row.role),
        is_overdue: rules::is_overdue(row.state, row.created_at.date_naive(), row.due_on, today),
        is_undelivered: latest.is_undelivered,
        is_latest_own: latest.is_own,
        message_id: row.message_id,
        created_date: row.created_at,
        modified_date: row.updated_at,
    })
}

pub async fn find(app: &App, member: &Member, id: Uuid) -> Result<ConversationView> {
    let (db, key) = (app.store.db(), app.keys.data_key(member.organization_id).await?);
    let row = find_row(db, member, id).await?;
    let steps = conversation_step::Entity::find()
        .filter(conversation_step::Column::ConversationId.eq(id))
        .order_by_asc(conversation_step::Column::At)
        .order_by_asc(conversation_step::Column::MessageId)
        .limit(200)
        .all(db)
        .await?;
    let failed = failed(db, steps.iter().map(|step| step.message_id)).await?;
    let is_own = steps.iter().any(|step| step.message_id == row.message_id && step.is_own);
    let latest = Latest { is_own, is_undelivered: failed.contains(&row.message_id) };
    let conversation = view(app, &key, &row, latest)?;
    let steps = steps.into_iter().map(|step| {
        Ok(ConversationStep {
            note: open_note(&key, &step)?,
            message_id: step.message_id,
            action: step.action,
            is_own: step.is_own,
            is_undelivered: failed.contains(&step.message_id),
            at: step.at,
        })
    });
    Ok(ConversationView {
        actions: rules::choices(row.state, row.role),
        steps: steps.collect::<Result<_>>()?,
        conversation,
    })
}

/// The row for a message of a referral.
pub fn step(
    key: &DataKey,
    of: &Model,
    message_id: Uuid,
    action: conversation_step::StepAction,
    note: &str,
    is_own: bool,
    at: DateTime<Utc>,
) -> conversation_step::ActiveModel {
    conversation_step::ActiveModel {
        message_id: Set(message_id),
        conversation_id: Set(of.id),
        organization_id: Set(of.organization_id),
        action: Set(action),
        sealed_note: Set(seal_note(key, message_id, note)),
        is_own: Set(is_own),
        at: Set(at),
    }
}
