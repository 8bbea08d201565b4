//! Processes of the installation.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;

/// A process of the installation, from its start until it stops or has not been seen for long.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "node")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// Host name of its machine, or the configured name.
    pub name: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub roles: StringList,
    pub version: String,
    pub started_at: DateTimeUtc,
    pub seen_at: DateTimeUtc,
    /// Response time of the database to the last heartbeat.
    pub database_ms: i32,
    /// Difference of its clock to the database's. Zero for the embedded database, which has no clock.
    pub clock_ahead_ms: i64,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
