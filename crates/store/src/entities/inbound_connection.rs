//! A system that may send documents here by HL7 v2 or XDR, and their recipient.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A system that may send documents here by HL7 v2 or XDR, and their recipient.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "inbound_connection")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    /// Key for sorting and searching.
    #[sea_orm(unique)]
    pub name_key: String,
    pub kind: ConnectionKind,
    /// Organization that receives the documents. For XDR the recipient's address decides; this limits the
    /// organizations.
    pub organization_id: Option<Uuid>,
    pub is_enabled: bool,
    /// Sender and recipient named in messages; empty for any.
    pub sending_application: String,
    pub sending_facility: String,
    /// Normalized for comparison.
    pub sending_facility_key: String,
    pub receiving_facility: String,
    /// SHA-256 fingerprint of the client's certificate in lower case; empty if none is required.
    pub certificate: String,
    /// SHA-256 fingerprint of the certificate of the assertion's signer; empty if no assertion is required.
    pub assertion_certificate: String,
    /// Whether assertions for any audience, with a long lifetime, for repeated use or not bound to a client are
    /// accepted.
    pub loose_assertions: bool,
    /// Source networks; empty for any.
    #[sea_orm(column_type = "JsonBinary")]
    pub networks: StringList,
    /// Assignee of messages that no intake rule assigns.
    pub assigned_to: Option<Uuid>,
    /// Default document type.
    pub document_type: String,
    /// Whether it belongs to a prescription network.
    pub is_prescription_network: bool,
    pub received_count: i64,
    pub last_received_at: Option<DateTimeUtc>,
    pub refused_count: i64,
    pub created_at: DateTimeUtc,
    pub version: i32,
}

/// Protocol of a connection.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
#[schema(as = InboundConnectionKind)]
pub enum ConnectionKind {
    /// HL7 v2 over MLLP.
    Mllp = 0,
    /// ITI-41, with or without the Direct address block.
    Xdr = 1,
    /// HL7 v2 as files in the organization's folder.
    Folder = 2,
}

impl ConnectionKind {
    /// Whether its messages are HL7 v2, which name their sender.
    pub fn is_hl7(self) -> bool {
        matches!(self, Self::Mllp | Self::Folder)
    }
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
