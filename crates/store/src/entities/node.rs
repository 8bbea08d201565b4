//! Processes of the installation.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;

/// A process of the installation, from its start until it stops or has long not been seen.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "node")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// The host name of its machine, or as it is configured.
    pub name: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub roles: StringList,
    pub version: String,
    pub started_at: DateTimeUtc,
    pub seen_at: DateTimeUtc,
    /// How long the database took to answer the last heartbeat.
    pub database_ms: i32,
    /// How far its clock was ahead of the database's. Zero for the embedded database, which has no clock of its own.
    pub clock_ahead_ms: i64,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
