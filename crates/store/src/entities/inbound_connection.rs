//! A system that may send documents here by HL7 v2 or XDR, and to whom.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A system that may send documents here by HL7 v2 or XDR, and to whom.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "inbound_connection")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    /// As it is sorted and found.
    #[sea_orm(unique)]
    pub name_key: String,
    pub kind: ConnectionKind,
    /// Whose documents they become. For XDR the address of the recipient decides; this limits whose it may be.
    pub organization_id: Option<Uuid>,
    pub is_enabled: bool,
    /// What messages say of their sender and recipient; empty for anything.
    pub sending_application: String,
    pub sending_facility: String,
    /// As it is compared.
    pub sending_facility_key: String,
    pub receiving_facility: String,
    /// SHA-256 fingerprint of the client's certificate in lower case; empty where none is needed.
    pub certificate: String,
    /// SHA-256 fingerprint of the certificate that has to sign its assertions; empty where none is asked for.
    pub assertion_certificate: String,
    /// Whether those are taken that are meant for anybody, hold for long, are shown again, or are bound to nobody.
    pub loose_assertions: bool,
    /// Networks that it comes from; empty for any.
    #[sea_orm(column_type = "JsonBinary")]
    pub networks: StringList,
    /// Who gets what no intake rule assigns.
    pub assigned_to: Option<Uuid>,
    /// The type of documents that name none.
    pub document_type: String,
    /// What comes by it comes from a network that carries prescriptions.
    pub is_prescription_network: bool,
    pub received_count: i64,
    pub last_received_at: Option<DateTimeUtc>,
    pub refused_count: i64,
    pub created_at: DateTimeUtc,
    pub version: i32,
}

/// What a connection speaks.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
#[schema(as = InboundConnectionKind)]
pub enum ConnectionKind {
    /// HL7 v2 over MLLP.
    Mllp = 0,
    /// ITI-41, with or without the address block of Direct.
    Xdr = 1,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
