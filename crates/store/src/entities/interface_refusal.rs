//! Refused messages of interfaces: sender, reason and count, without patient data.

use super::inbound_connection::ConnectionKind;
use sea_orm::entity::prelude::*;

/// Refused messages of interfaces: sender, reason and count, without patient data.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "interface_refusal")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// Hash of everything except times and count, for counting repetitions.
    #[sea_orm(unique)]
    pub refusal_key: String,
    pub kind: ConnectionKind,
    /// The connection, if known.
    pub connection_id: Option<Uuid>,
    pub source_ip: String,
    /// Fingerprint of the client's certificate.
    pub certificate: String,
    /// Names from the message.
    pub sending_application: String,
    pub sending_facility: String,
    pub receiving_facility: String,
    pub message_type: String,
    pub reason: String,
    pub times: i64,
    pub first_at: DateTimeUtc,
    pub last_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
