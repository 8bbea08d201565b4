//! An entry of an organization in the directory of the Carequality network.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An entry of an organization in the directory of the Carequality network.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "carequality_entry")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// The tenant; its id in the network is `oid`.
    pub organization_id: Uuid,
    pub responder_type: ResponderType,
    pub oid: String,
    pub home_community_id: String,
    pub display_name: String,
    pub legal_name: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub other_names: StringList,
    /// The entry above it, empty for none.
    pub parent_oid: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub purpose_of_use_codes: StringList,
    pub street: String,
    pub city: String,
    pub state: String,
    pub zip: String,
    pub country: String,
    pub is_active: bool,
    pub created_at: DateTimeUtc,
    pub modified_at: DateTimeUtc,
    pub version: i32,
}

/// Role of an entry in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum ResponderType {
    DirectResponder,
    ChildLocation,
    GatewayResponder,
    GatewayMember,
    InitiatorOnly,
    #[serde(rename = "passthrough")]
    Passthrough,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
