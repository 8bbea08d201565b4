//! Taking back a message that was just sent and has not left yet.

use super::{corrections, sending};
use crate::{
    fax::sending::queries as faxes,
    messages::queries::{self, edit_row},
    model::{Direction, Mode, Status},
    sealed::Content,
};
use chrono::Duration;
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use store::{
    Transaction,
    entities::{delivery, fax_job, message, message_event, transmission},
    keys::DataKey,
};
use uuid::Uuid;

/// How long a message is held for its sender to take back: ten seconds, and two for the request to arrive.
pub const TIME: Duration = Duration::seconds(12);

const NOT_SENT: &str = "Only a sent message can be taken back.";
const ON_ITS_WAY: &str = "The message is already being sent and cannot be taken back.";
const NOT_OURS: &str = "You cannot send from this address.";

/// Turns a message that has not left into a draft again. A draft is unchanged, so the call can be repeated.
pub async fn take_back(app: &App, member: &Member, id: Uuid) -> Result<message::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, id).await?;
    if row.is_draft {
        return Ok(row);
    }
    let workflow_id = row.workflow_id.filter(|_| row.direction == Direction::Release);
    let workflow_id = workflow_id.ok_or_else(|| Error::Conflict(NOT_SENT.into()))?;
    if !may_send(&txn, member, &row).await? {
        return Err(Error::Conflict(NOT_OURS.into()));
    }
    // A message of a referral cannot be taken back, because it has advanced the referral.
    let content = Content::open(&key, &row)?;
    let is_called_off = content.conversation.is_none_or(|c| c.kind != crate::conversations::KIND)
        && workflow::call_off(&txn, app.clock.now(), workflow_id).await?;
    if !is_called_off {
        return Err(Error::Conflict(ON_ITS_WAY.into()));
    }
    forget_deliveries(&txn, id).await?;
    corrections::unsettle(app, &txn, id).await?;
    unmark_origin(&txn, member, &key, &row, content.mode, content.origin_status).await?;
    let row = edit_row(&txn, &key, row, |m| {
        m.row.is_draft = true;
        m.row.status = Status::Sent;
        m.row.rfc_message_id = None;
        m.row.in_reply_to = None;
        m.row.workflow_id = None;
        m.content.origin = None;
        m.content.origin_status = None;
        m.content.draft_version += 1;
        Ok(())
    })
    .await?;
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "takenBack": true }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    app.store.commit_durable(txn).await?;
    queries::announce(app, &row).await;
    Ok(row)
}

/// Whether the member may send from the address or one of the numbers of a message.
async fn may_send(txn: &Transaction, member: &Member, row: &message::Model) -> Result<bool> {
    if sending::sender(txn, member, &row.from_address).await?.is_some() {
        return Ok(true);
    }
    let own: Vec<Uuid> = faxes::numbers(txn, member).await?.into_iter().map(|s| s.id).collect();
    let jobs = fax_job::Entity::find()
        .filter(fax_job::Column::MessageId.eq(row.id))
        .filter(fax_job::Column::DocumentSourceId.is_in(own));
    Ok(jobs.one(txn).await?.is_some())
}

/// Removes the deliveries, transmissions and fax jobs of a message.
async fn forget_deliveries(txn: &Transaction, id: Uuid) -> Result<()> {
    let jobs = fax_job::Column::MessageId.eq(id);
    fax_job::Entity::delete_many().filter(jobs).exec(txn).await?;
    delivery::Entity::delete_many().filter(delivery::Column::MessageId.eq(id)).exec(txn).await?;
    transmission::Entity::delete_many().filter(transmission::Column::MessageId.eq(id)).exec(txn).await?;
    Ok(())
}

/// Restores the status of the message that is no longer answered or forwarded.
async fn unmark_origin(
    txn: &Transaction,
    member: &Member,
    key: &DataKey,
    row: &message::Model,
    mode: Option<Mode>,
    before: Option<Status>,
) -> Result<()> {
    let Some((mark, kind)) = sending::mark_of(mode.unwrap_or(Mode::Send)) else { return Ok(()) };
    let Some(original) = row.original_message_id else { return Ok(()) };
    message_event::Entity::delete_many()
        .filter(message_event::Column::MessageId.eq(original))
        .filter(message_event::Column::EventType.eq(kind))
        .filter(message_event::Column::UserId.eq(member.caller.user_id))
        .filter(message_event::Column::At.gte(row.message_date - TIME))
        .exec(txn)
        .await?;
    let Some(original) = queries::if_there(queries::lock(txn, member, original).await)? else {
        return Ok(());
    };
    let Some(before) = before.filter(|_| original.status == mark) else { return Ok(()) };
    edit_row(txn, key, original, |m| {
        m.row.status = before;
        Ok(())
    })
    .await?;
    Ok(())
}
