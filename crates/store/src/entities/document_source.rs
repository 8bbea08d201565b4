//! A Direct address or fax number of an organization, for sending and receiving.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A Direct address or fax number of an organization, for sending and receiving.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "document_source")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub kind: SourceKind,
    pub address: String,
    #[sea_orm(unique)]
    pub address_key: String,
    pub display_name: String,
    pub status: SourceStatus,
    pub created_at: DateTimeUtc,
    /// Number of changes by people.
    pub version: i32,
    /// Whether only the users in `document_source_reader` may read messages to it; otherwise everybody in the
    /// organization.
    pub limits_readers: bool,
}

/// Direct address or fax number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum SourceKind {
    Direct,
    Fax,
}

/// State of a document source.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum SourceStatus {
    Provisioning = 0,
    Activated = 1,
    PendingUpdate = 2,
    PendingDeletion = 3,
    Deleted = 4,
    Failed = 5,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
