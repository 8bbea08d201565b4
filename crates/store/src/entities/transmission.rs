//! One SMTP transfer of a release message: the recipients of one domain, or one Bcc recipient.

use super::{delivery::DeliveryState, string_list::StringList};
use sea_orm::entity::prelude::*;

/// One SMTP transfer of a release message: the recipients of one domain, or one Bcc recipient.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "transmission")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub message_id: Uuid,
    pub organization_id: Uuid,
    pub rfc_message_id: String,
    pub blind: bool,
    pub domain: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub recipients: StringList,
    pub state: DeliveryState,
    pub attempt: i32,
    pub created_at: DateTimeUtc,
    pub finished_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
