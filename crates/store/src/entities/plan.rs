//! A subscription plan and what it leaves out.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A subscription plan and what it leaves out.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "plan")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    /// Under what it is found; no two are alike.
    pub name_key: String,
    pub tier_code: String,
    pub allowed_users: i32,
    #[sea_orm(column_type = "JsonBinary")]
    /// The names of the functions that it lacks.
    pub restricted: StringList,
    pub reseller_id: Option<Uuid>,
    pub is_free: bool,
    /// No longer offered; organizations that have it keep it.
    pub is_retired: bool,
    pub version: i32,
}

/// What a plan can leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema, EnumIter)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlanFunction)]
pub enum Function {
    /// The release screens: the list of what was sent, and new messages.
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
    /// Whether the plan leaves a function out.
    pub fn lacks(&self, function: Function) -> bool {
        self.restricted.0.iter().any(|name| name == function.name())
    }
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
