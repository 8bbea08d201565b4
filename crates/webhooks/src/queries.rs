//! Webhooks and their deliveries in the database, and their sealed parts.

use chrono::{DateTime, Utc};
use platform::{Error, Result};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, Select, entity::prelude::Uuid,
};
use store::{
    entities::{
        webhook,
        webhook_delivery::{self, DeliveryStatus},
    },
    keys::DataKey,
};

pub const PAUSED: &str = "The webhook was paused.";

/// The webhooks of an organization.
pub fn of(organization_id: Uuid) -> Select<webhook::Entity> {
    webhook::Entity::find().filter(webhook::Column::OrganizationId.eq(organization_id))
}

pub fn webhook(organization_id: Uuid, id: Uuid) -> Select<webhook::Entity> {
    of(organization_id).filter(webhook::Column::Id.eq(id))
}

/// The deliveries of a webhook of an organization.
pub fn deliveries(organization_id: Uuid, webhook_id: Uuid) -> Select<webhook_delivery::Entity> {
    webhook_delivery::Entity::find()
        .filter(webhook_delivery::Column::OrganizationId.eq(organization_id))
        .filter(webhook_delivery::Column::WebhookId.eq(webhook_id))
}

pub async fn find(db: &impl ConnectionTrait, organization_id: Uuid, id: Uuid) -> Result<webhook::Model> {
    webhook(organization_id, id).one(db).await?.ok_or(Error::NotFound)
}

/// A new delivery.
pub struct NewDelivery<'a> {
    pub id: Uuid,
    pub hook: &'a webhook::Model,
    pub event: &'a str,
    pub message_id: Option<Uuid>,
    pub body: &'a str,
    pub now: DateTime<Utc>,
}

impl NewDelivery<'_> {
    /// The row of the delivery. For a paused webhook it waits in the log to be sent again.
    pub fn row(self, key: &DataKey) -> webhook_delivery::ActiveModel {
        let Self { id, hook, event, message_id, body, now } = self;
        let is_paused = hook.paused_at.is_some();
        webhook_delivery::ActiveModel {
            id: Set(id),
            organization_id: Set(hook.organization_id),
            webhook_id: Set(hook.id),
            event: Set(event.to_owned()),
            message_id: Set(message_id),
            status: Set(if is_paused { DeliveryStatus::Failed } else { DeliveryStatus::Waiting }),
            attempts: Set(0),
            created_at: Set(now),
            tried_at: Set(None),
            response_status: Set(None),
            milliseconds: Set(None),
            reason: Set(if is_paused { PAUSED.into() } else { String::new() }),
            sealed_body: Set(key.seal(&body_context(id), body.as_bytes())),
            sealed_response: Set(None),
        }
    }
}

pub fn body_context(id: Uuid) -> String {
    format!("webhook_delivery.body:{id}")
}

pub fn response_context(id: Uuid) -> String {
    format!("webhook_delivery.response:{id}")
}

pub fn credential_context(id: Uuid) -> String {
    format!("webhook.credential:{id}")
}

pub fn signing_context(id: Uuid) -> String {
    format!("webhook.signing_key:{id}")
}
