//! A subscription plan and its excluded functions.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A subscription plan and its excluded functions.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "plan")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    /// Unique search key.
    pub name_key: String,
    pub tier_code: String,
    pub allowed_users: i32,
    #[sea_orm(column_type = "JsonBinary")]
    /// Names of the excluded functions.
    pub restricted: StringList,
    pub reseller_id: Option<Uuid>,
    pub is_free: bool,
    /// No longer offered; organizations with it keep it.
    pub is_retired: bool,
    pub version: i32,
}

/// A function that a plan can exclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema, EnumIter)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlanFunction)]
pub enum Function {
    /// The release screens: the list of sent messages, and new messages.
    ReleaseRoute,
    /// Sending to Direct addresses.
    Send,
    Reply,
    Forward,
    /// Triage of documents.
    Triage,
    /// Exporting documents as C-CDA with the metadata of XDS-SD.
    StructuredExport,
}

impl Function {
    pub fn name(self) -> &'static str {
        match self {
            Self::ReleaseRoute => "releaseRoute",
            Self::Send => "send",
            Self::Reply => "reply",
            Self::Forward => "forward",
            Self::Triage => "triage",
            Self::StructuredExport => "structuredExport",
        }
    }
}

impl Model {
    /// Whether the plan excludes a function.
    pub fn lacks(&self, function: Function) -> bool {
        self.restricted.0.iter().any(|name| name == function.name())
    }
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
