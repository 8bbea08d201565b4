//! Requests and answers of the API.

use platform::text::{
    CountryCode, Line, ObjectIdentifier, RequiredLine, RequiredObjectIdentifier, RequiredPostalCode,
};
use serde::{Deserialize, Serialize};
use store::entities::carequality_entry::ResponderType;
use utoipa::ToSchema;
use uuid::Uuid;

/// Values of an entry. Missing texts are empty.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectoryEntryForm {
    /// None for a new entry.
    pub id: Option<Uuid>,
    pub responder_type: ResponderType,
    /// OID of the entry in the network.
    pub organization_id: RequiredObjectIdentifier,
    #[serde(default)]
    pub home_community_id: ObjectIdentifier,
    pub display_name: RequiredLine,
    #[serde(default)]
    pub legal_name: Line,
    /// At most 20.
    #[serde(default)]
    pub other_names: Vec<Line>,
    /// The `organizationId` of the parent entry.
    #[serde(default)]
    pub parent_org_id: ObjectIdentifier,
    /// Street.
    pub address: RequiredLine,
    pub city: RequiredLine,
    pub state: RequiredLine,
    pub zip_code: RequiredPostalCode,
    pub country: CountryCode,
    /// By default, a new entry is active and others stay as they are.
    pub is_active: Option<bool>,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectoryEntry {
    pub id: Uuid,
    pub responder_type: ResponderType,
    /// Object identifier of the entry in the network.
    pub organization_id: String,
    pub home_community_id: String,
    pub display_name: String,
    pub legal_name: String,
    pub other_names: Vec<String>,
    pub parent_org_id: String,
    /// The organization's purposes of use at the creation of the entry.
    pub purpose_of_use_codes: Vec<String>,
    pub address: String,
    pub city: String,
    pub state: String,
    pub zip_code: String,
    pub country: String,
    pub is_active: bool,
    pub initiator_only: bool,
    /// Whether it is the parent of other entries of the organization.
    pub is_parent: bool,
    /// Send it back when saving.
    pub version: i32,
}
