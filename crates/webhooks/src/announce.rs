//! From an event to one delivery for each subscribed webhook.

use crate::{
    WORKFLOW, call,
    queries::{self, NewDelivery},
    rules,
};
use async_trait::async_trait;
use chrono::{DateTime, SecondsFormat, Utc};
use platform::{App, bus::Event};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{
    Transaction,
    entities::{message, message_event::EventType, webhook, webhook_delivery},
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Step, StepContext, StepError, StepType};

/// Finds the webhooks subscribed to an event.
pub const ANNOUNCE: StepType = StepType::new("AnnounceEvent", Lane::Webhooks);

/// An event of a message.
#[derive(Clone, Copy, Debug)]
pub struct About {
    pub organization_id: Uuid,
    pub message_id: Uuid,
    pub kind: EventType,
    pub at: DateTime<Utc>,
}

#[derive(Serialize, Deserialize)]
struct Meta {
    event: String,
    at: DateTime<Utc>,
}

/// Announces an event to the organization's webhooks once the transaction commits; writes nothing for an organization
/// without webhooks.
pub async fn announce(txn: &Transaction, about: About) -> Result<(), DbErr> {
    let About { organization_id, message_id, kind, at } = about;
    let meta = json!({ "event": rules::name_of(kind), "at": at });
    let workflow = NewWorkflow {
        organization_id,
        kind: WORKFLOW.into(),
        object_id: message_id,
        steps: vec![NewStep::new(0, ANNOUNCE, at).with_meta(meta)],
    };
    let wanted = webhook::Entity::find()
        .select_only()
        .column(webhook::Column::Id)
        .filter(webhook::Column::OrganizationId.eq(organization_id))
        .filter(webhook::Column::IsEnabled.eq(true));
    workflow::enqueue_if(txn, at, workflow, &wanted.into_query()).await
}

pub struct Announce(pub App);

#[async_trait]
impl Step for Announce {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let Self(app) = self;
        let Meta { event, at } = cx.meta()?;
        let (organization_id, message_id, db) = (cx.organization_id(), cx.object_id(), app.store.db());
        let hooks: Vec<webhook::Model> = queries::of(organization_id)
            .filter(webhook::Column::IsEnabled.eq(true))
            .all(db)
            .await?
            .into_iter()
            .filter(|hook| hook.events.0.contains(&event))
            .collect();
        let message = message::Entity::find_by_id(message_id)
            .filter(message::Column::OrganizationId.eq(organization_id))
            .one(db)
            .await?;
        let (false, Some(message)) = (hooks.is_empty(), message) else { return Ok(Done::skipped()) };
        let key = app.keys.data_key(organization_id).await.map_err(call::platform_error)?;
        let now = app.clock.now();
        let (mut rows, mut calls) = (Vec::new(), Vec::new());
        for hook in &hooks {
            let id = Uuid::now_v7();
            let body = body(id, &event, at, data_of(&message));
            let new = NewDelivery { id, hook, event: &event, message_id: Some(message_id), body: &body, now };
            rows.push(new.row(&key));
            if hook.paused_at.is_none() {
                calls.push(call::workflow(hook, id, now));
            }
        }
        let app = app.clone();
        Ok(Done::with(move |txn| {
            Box::pin(async move {
                webhook_delivery::Entity::insert_many(rows).exec_without_returning(txn).await?;
                workflow::enqueue_all(txn, now, calls).await?;
                Ok(())
            })
        })
        .then(async move { app.bus.publish(Event::Work).await }))
    }
}

/// Data of a message in an event: its addresses, never patient or content.
fn data_of(message: &message::Model) -> Value {
    json!({
        "organizationId": message.organization_id,
        "messageId": message.id,
        "direction": message.direction.to_string(),
        "sourceType": message.source_type.to_string(),
        "fromAddress": message.from_address,
        "toAddress": message.to_address,
    })
}

/// The JSON body.
pub fn body(id: Uuid, event: &str, at: DateTime<Utc>, data: Value) -> String {
    let timestamp = at.to_rfc3339_opts(SecondsFormat::Millis, true);
    json!({ "id": id, "type": event, "timestamp": timestamp, "data": data }).to_string()
}
