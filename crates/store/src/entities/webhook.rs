//! A webhook of an organization.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A webhook of an organization.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub name: String,
    pub url: String,
    /// Names such as `message.received`.
    #[sea_orm(column_type = "JsonBinary")]
    pub events: StringList,
    pub authentication_type: AuthenticationType,
    /// For basic authentication.
    pub user_name: String,
    /// The password or token for the endpoint.
    pub sealed_credential: Option<Vec<u8>>,
    pub sealed_signing_key: Vec<u8>,
    pub is_enabled: bool,
    /// Start of continuous failure.
    pub failing_since: Option<DateTimeUtc>,
    /// Number of failed attempts since then.
    pub failures: i32,
    /// When it was paused; nothing is sent until it is resumed.
    pub paused_at: Option<DateTimeUtc>,
    pub version: i32,
    pub created_at: DateTimeUtc,
}

/// Authentication in addition to the signature.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, DeriveDisplay, Serialize, Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum AuthenticationType {
    None,
    /// A user name and a password (RFC 7617).
    Basic,
    /// A token (RFC 6750).
    Bearer,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
