//! What interfaces sent and was not taken: who, why and how often, without anything of patients.

use super::inbound_connection::ConnectionKind;
use sea_orm::entity::prelude::*;

/// What interfaces sent and was not taken: who, why and how often, without anything of patients.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "interface_refusal")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// Hash of everything but times and number: what is refused again is counted.
    #[sea_orm(unique)]
    pub refusal_key: String,
    pub kind: ConnectionKind,
    /// The connection that it came by, if it was known.
    pub connection_id: Option<Uuid>,
    pub source_ip: String,
    /// Fingerprint of the certificate that was shown.
    pub certificate: String,
    /// As the message names them.
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
