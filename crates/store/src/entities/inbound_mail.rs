//! An accepted (`250`) mail as received by the SMTP listener.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;

/// An accepted (`250`) mail as received by the SMTP listener.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "inbound_mail")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub mail_from: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub recipients: StringList,
    /// Blob of the content; nil if the content is in the row.
    pub blob_id: Uuid,
    pub sealed_content: Option<Vec<u8>>,
    pub size_bytes: i64,
    pub source_ip: String,
    pub received_at: DateTimeUtc,
    pub workflow_id: Uuid,
    pub finished_at: Option<DateTimeUtc>,
    /// Whether it could not be opened, or is not trusted.
    pub is_refused: bool,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
