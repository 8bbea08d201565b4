//! A message of an interface that was acknowledged, as it came.

use super::inbound_connection::ConnectionKind;
use sea_orm::entity::prelude::*;

/// A message of an interface that was acknowledged, as it came.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "interface_reception")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub connection_id: Uuid,
    pub organization_id: Uuid,
    pub kind: ConnectionKind,
    /// Hash of what makes a message the same when it is sent again; unique in the organization.
    pub partner_key: String,
    /// Hash of the content, to tell a repeat from another message under the same id.
    pub content_hash: String,
    /// The sender's own name for it: MSH-10, or the unique id of the submission set.
    pub partner_id: String,
    /// How the body of a request is read; empty for HL7.
    pub content_type: String,
    /// Direct addresses of this organization that it came to, separated by semicolons.
    #[sea_orm(column_type = "Text")]
    pub recipients: String,
    /// Where the content is; nil where it is in the row.
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
