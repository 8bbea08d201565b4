//! A message of the Intake or the Release. What names a patient is sealed by the organization's data key.

use sea_orm::entity::prelude::*;

/// A message of the Intake or the Release. What names a patient is sealed by the organization's data key.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "message")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub direction: i16,
    pub status: i16,
    pub is_draft: bool,
    pub source_type: i16,
    pub from_address: String,
    pub from_name: String,
    #[sea_orm(column_type = "Text")]
    pub to_address: String,
    #[sea_orm(column_type = "Text")]
    pub cc_address: String,
    #[sea_orm(column_type = "Text")]
    pub bcc_address: String,
    pub sealed_summary: Vec<u8>,
    pub sealed_content: Vec<u8>,
    pub received_at: DateTimeUtc,
    pub message_date: DateTimeUtc,
    pub read_at: Option<DateTimeUtc>,
    pub is_urgent: bool,
    pub assigned_to: Option<Uuid>,
    pub processed_at: Option<DateTimeUtc>,
    pub processed_type: Option<String>,
    pub release_type_id: Option<Uuid>,
    pub classification: Option<String>,
    pub conversion: Option<String>,
    pub original_message_id: Option<Uuid>,
    pub rfc_message_id: Option<String>,
    pub in_reply_to: Option<String>,
    pub attachment_count: i32,
    pub fax_page_count: Option<i32>,
    pub created_by: Option<Uuid>,
    pub workflow_id: Option<Uuid>,
    pub deleted_at: Option<DateTimeUtc>,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
