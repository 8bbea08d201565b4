//! The MTA-STS policy of a partner's domain, stored for its lifetime (RFC 8461).

use super::string_list::StringList;
use sea_orm::entity::prelude::*;

/// The MTA-STS policy of a partner's domain, stored for its lifetime (RFC 8461).
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sts_policy")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub domain: String,
    /// Its id in DNS.
    pub policy_id: String,
    /// Whether mail must not be delivered otherwise; false while a domain is testing.
    pub enforce: bool,
    /// Names of mail servers; `*.` stands for one label.
    #[sea_orm(column_type = "JsonBinary")]
    pub servers: StringList,
    /// Seconds.
    pub max_age: i64,
    pub valid_until: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
