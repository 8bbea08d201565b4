//! Deliveries of events to webhooks.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A delivery of an event to a webhook. Its id identifies the event to the endpoint in every attempt.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_delivery")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub webhook_id: Uuid,
    pub event: String,
    /// None for a test.
    pub message_id: Option<Uuid>,
    pub status: DeliveryStatus,
    pub attempts: i32,
    pub created_at: DateTimeUtc,
    /// When it was last attempted.
    pub tried_at: Option<DateTimeUtc>,
    /// The HTTP status of the last answer.
    pub response_status: Option<i32>,
    /// Duration of the last attempt.
    pub milliseconds: Option<i32>,
    /// Why the last attempt failed; empty if it did not.
    pub reason: String,
    pub sealed_body: Vec<u8>,
    /// The beginning of the last answer.
    pub sealed_response: Option<Vec<u8>>,
}

/// State of a delivery.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
#[schema(as = WebhookDeliveryStatus)]
pub enum DeliveryStatus {
    /// Not sent yet, or waiting for another attempt.
    Waiting,
    Delivered,
    /// Tried again only on request.
    Failed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(
        belongs_to = "super::webhook::Entity",
        from = "Column::WebhookId",
        to = "super::webhook::Column::Id"
    )]
    Webhook,
}

impl Related<super::webhook::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Webhook.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
