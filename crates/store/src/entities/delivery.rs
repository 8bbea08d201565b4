//! Delivery of a message to one recipient.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Delivery of a message to one recipient.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub message_id: Uuid,
    pub organization_id: Uuid,
    pub transmission_id: Option<Uuid>,
    pub position: i32,
    pub address: String,
    pub address_key: String,
    pub name: String,
    pub kind: DeliveryKind,
    pub role: RecipientRole,
    pub state: DeliveryState,
    #[sea_orm(column_type = "Text", nullable)]
    pub reason: Option<String>,
    pub attempt: i32,
    pub wants_dispatched: bool,
    pub accepted_at: DateTimeUtc,
    pub sent_at: Option<DateTimeUtc>,
    pub processed_at: Option<DateTimeUtc>,
    pub delivered_at: Option<DateTimeUtc>,
    pub failed_at: Option<DateTimeUtc>,
    pub expected_by: Option<DateTimeUtc>,
    /// Protection of the connection used; none for faxes and before the transfer.
    pub tls: Option<TransportTls>,
    /// When somebody acknowledged the failure; it is then no longer listed as open.
    pub acknowledged_at: Option<DateTimeUtc>,
    /// The message that went to another recipient instead, after it failed.
    pub corrected_by: Option<Uuid>,
}

/// Delivery of a message to one recipient.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum DeliveryState {
    Queued = 0,
    /// The recipient's mail system accepted it.
    Sent = 1,
    /// The recipient's Direct system decrypted and trusted it.
    Processed = 2,
    /// It reached its final destination.
    Delivered = 3,
    Failed = 4,
    /// The outcome is unknown; it is never resent automatically.
    Uncertain = 5,
}

#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum DeliveryKind {
    DirectMessage = 0,
    Fax = 1,
}

#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum RecipientRole {
    To = 0,
    Cc = 1,
    Bcc = 2,
}

/// Protection of a connection between mail servers. The message itself is encrypted in any case.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum TransportTls {
    Plain = 0,
    /// The certificate was not verified.
    Encrypted = 1,
    /// The certificate leads to an authority that this machine trusts.
    Verified = 2,
    /// The domain names the certificate in signed DNS (DANE).
    Dane = 3,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
