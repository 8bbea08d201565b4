//! Deliveries: one row for each recipient of a sent message, their states, and the resulting status of the message.

pub mod awaiting;
pub mod explanation;
pub mod view;

use crate::{
    events,
    model::{DeliveryKind, DeliveryState, Status},
};
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QueryResult,
    QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait},
};
use store::{
    Transaction,
    batching::{BatchedReads, BatchedWrites, models},
    entities::{delivery, message, message_event::EventType, transmission},
};
use uuid::Uuid;
use workflow::names;

/// The common stage of all steps that reach recipients, so that none waits for another.
pub const STAGE: i32 = 0;

/// The deliveries of a message.
pub async fn of_message(
    db: &impl ConnectionTrait,
    row: &message::Model,
) -> Result<Vec<delivery::Model>, DbErr> {
    select(delivery::Column::MessageId.eq(row.id)).all(db).await
}

/// Query of deliveries like [`of_message`], for the messages of an expression.
pub fn select(message: Expr) -> Select<delivery::Entity> {
    delivery::Entity::find().filter(message).order_by_asc(delivery::Column::Position)
}

/// A message and its deliveries, locked, because attempts, notices and timeouts may coincide.
pub struct LockedDeliveries {
    message: message::Model,
    /// Kept in line with the database.
    pub deliveries: Vec<delivery::Model>,
}

impl LockedDeliveries {
    /// Locks a message and reads its deliveries. `None` if it does not exist.
    pub async fn lock(txn: &Transaction, message_id: Uuid) -> Result<Option<Self>, DbErr> {
        let backend = txn.get_database_backend();
        let message = message::Entity::find_by_id(message_id).lock_exclusive().build(backend);
        let deliveries = select(delivery::Column::MessageId.eq(message_id)).build(backend);
        let [messages, deliveries] = txn.query_each([message, deliveries]).await?;
        Self::read(&messages, &deliveries)
    }

    /// As [`LockedDeliveries::lock`], for the message of these transmissions, which are returned too.
    pub async fn lock_by_transmissions(
        txn: &Transaction,
        transmissions: Select<transmission::Entity>,
    ) -> Result<(Vec<transmission::Model>, Option<Self>), DbErr> {
        let backend = txn.get_database_backend();
        let of = |column: Expr| {
            let ids = transmissions.clone().select_only().column(transmission::Column::MessageId);
            column.in_subquery(ids.into_query())
        };
        let message = message::Entity::find().filter(of(message::Column::Id.into_expr())).lock_exclusive();
        let [transmissions, messages, deliveries] = txn
            .query_each([
                transmissions.clone().build(backend),
                message.build(backend),
                select(of(delivery::Column::MessageId.into_expr())).build(backend),
            ])
            .await?;
        Ok((models::<transmission::Entity>(&transmissions)?, Self::read(&messages, &deliveries)?))
    }

    fn read(messages: &[QueryResult], deliveries: &[QueryResult]) -> Result<Option<Self>, DbErr> {
        let Some(message) = models::<message::Entity>(messages)?.pop() else { return Ok(None) };
        Ok(Some(Self { message, deliveries: models::<delivery::Entity>(deliveries)? }))
    }

    /// Updates the status of the message from its deliveries. Completes [`awaiting::AwaitNotices`] when no notice is
    /// outstanding; until then, that step wakes at the earliest timeout, and no change makes it earlier.
    pub async fn settle(self, txn: &Transaction, now: DateTime<Utc>) -> Result<message::Model, DbErr> {
        if let Some(workflow_id) = self.message.workflow_id
            && !self.deliveries.iter().any(|d| is_direct(d) && (is_queued(d) || is_waiting(d)))
        {
            workflow::complete_waiting(txn, now, workflow_id, names::AWAIT_NOTICES).await?;
        }
        let status = self.status();
        if self.message.status == status {
            return Ok(self.message);
        }
        let mut change = self.message.into_active_model();
        change.status = Set(status);
        txn.update_later(change).await
    }

    /// Failed if every recipient failed, Sent as soon as one was reached, otherwise Pending. A recipient who was
    /// replaced by another counts as reached.
    fn status(&self) -> Status {
        let is_failed = |d: &delivery::Model| d.state == DeliveryState::Failed && d.corrected_by.is_none();
        let mut all = self.deliveries.iter();
        if all.clone().all(is_failed) {
            Status::Failed
        } else if all.clone().any(is_queued) && all.all(|d| is_queued(d) || is_failed(d)) {
            Status::Pending
        } else {
            Status::Sent
        }
    }
}

/// Whether it is not settled yet.
pub fn is_queued(row: &delivery::Model) -> bool {
    row.state == DeliveryState::Queued
}

/// Marks a delivery as failed, with a reason for the sender, and records the event.
pub async fn fail(
    txn: &Transaction,
    row: &mut delivery::Model,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let kind = if row.sent_at.is_some() { EventType::Failed } else { EventType::Bounced };
    let mut change = row.clone().into_active_model();
    change.state = Set(DeliveryState::Failed);
    change.reason = Set(Some(reason.to_owned()));
    change.failed_at = Set(Some(now));
    change.expected_by = Set(None);
    *row = txn.update_later(change).await?;
    events::queries::add(txn, &*row, kind, now, None).await
}

/// Queues a failed delivery again when its step is retried by hand, unless it was accepted. Returns whether it did.
pub async fn reopen(
    txn: &Transaction,
    row: &mut delivery::Model,
    retried_at: DateTime<Utc>,
) -> Result<bool, DbErr> {
    let gave_up = row.state == DeliveryState::Failed && row.failed_at.is_some_and(|at| at < retried_at);
    if !gave_up || row.sent_at.is_some() {
        return Ok(false);
    }
    let mut change = row.clone().into_active_model();
    change.state = Set(DeliveryState::Queued);
    change.reason = Set(None);
    change.failed_at = Set(None);
    change.acknowledged_at = Set(None);
    change.corrected_by = Set(None);
    *row = txn.update_later(change).await?;
    Ok(true)
}

/// Whether it is sent by Direct, not by fax.
pub fn is_direct(row: &delivery::Model) -> bool {
    row.kind == DeliveryKind::DirectMessage
}

/// Whether it was sent and a notice is outstanding.
pub fn is_waiting(row: &delivery::Model) -> bool {
    match row.state {
        DeliveryState::Sent => true,
        DeliveryState::Processed => row.wants_dispatched,
        _ => false,
    }
}
