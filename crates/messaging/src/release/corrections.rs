//! Corrections of failures: the message goes to another recipient, and no longer counts as failed.

use super::drafts::{self, Copy};
use crate::{deliveries::LockedDeliveries, model::DeliveryState, sealed::Content};
use platform::{App, Error, Member, Result};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use store::{
    Transaction,
    entities::{delivery, message},
    keys::DataKey,
};
use uuid::Uuid;

const GAVE_UP: [DeliveryState; 2] = [DeliveryState::Failed, DeliveryState::Uncertain];
const NOT_FAILED: &str = "This message has not failed.";

/// Creates a draft from the message of a failed delivery, with everything except its recipients. Returns its id.
pub async fn draft(app: &App, member: &Member, failed: &delivery::Model, to: Option<String>) -> Result<Uuid> {
    if !GAVE_UP.contains(&failed.state) {
        return Err(Error::Conflict(NOT_FAILED.into()));
    }
    let copy = Copy::Corrected { delivery: failed.id, to: to.unwrap_or_default() };
    drafts::copy(app, member, failed.message_id, copy).await
}

/// Marks the failure as corrected once its replacement is sent.
pub async fn settle(app: &App, txn: &Transaction, key: &DataKey, sent: &message::Model) -> Result<()> {
    let Some(failed) = Content::open(key, sent)?.corrects else { return Ok(()) };
    let ours = delivery::Entity::find_by_id(failed)
        .filter(delivery::Column::OrganizationId.eq(sent.organization_id))
        .filter(delivery::Column::State.is_in(GAVE_UP));
    let Some(failed) = ours.one(txn).await? else { return Ok(()) };
    change(app, txn, failed, Some(sent.id)).await
}

/// Marks the failure as failed again, because its replacement was taken back.
pub async fn unsettle(app: &App, txn: &Transaction, taken_back: Uuid) -> Result<()> {
    let corrected = delivery::Entity::find().filter(delivery::Column::CorrectedBy.eq(taken_back));
    for row in corrected.all(txn).await? {
        change(app, txn, row, None).await?;
    }
    Ok(())
}

async fn change(app: &App, txn: &Transaction, row: delivery::Model, by: Option<Uuid>) -> Result<()> {
    let now = app.clock.now();
    let message_id = row.message_id;
    let mut change = row.into_active_model();
    change.corrected_by = Set(by);
    change.acknowledged_at = Set(by.map(|_| now));
    change.update(txn).await?;
    if let Some(locked) = LockedDeliveries::lock(txn, message_id).await? {
        locked.settle(txn, now).await?;
    }
    Ok(())
}
