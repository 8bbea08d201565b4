//! An acknowledged message of an interface, as received.

use super::inbound_connection::ConnectionKind;
use sea_orm::entity::prelude::*;

/// An acknowledged message of an interface, as received.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "interface_reception")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub connection_id: Uuid,
    pub organization_id: Uuid,
    pub kind: ConnectionKind,
    /// Hash for recognizing a repeated message; unique in the organization.
    pub partner_key: String,
    /// Hash of the content, to distinguish a repetition from a different message with the same id.
    pub content_hash: String,
    /// The sender's id: MSH-10, or the unique id of the submission set.
    pub partner_id: String,
    /// Content type of a request; empty for HL7.
    pub content_type: String,
    /// Recipient Direct addresses of this organization, separated by semicolons.
    #[sea_orm(column_type = "Text")]
    pub recipients: String,
    /// Blob of the content; nil if the content is in the row.
    pub blob_id: Uuid,
    pub sealed_content: Option<Vec<u8>>,
    pub size_bytes: i64,
    pub source_ip: String,
    pub received_at: DateTimeUtc,
    pub workflow_id: Uuid,
    pub message_id: Option<Uuid>,
    pub finished_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
