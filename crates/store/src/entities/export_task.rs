//! An export or print of messages, made in the background and kept for a day.

use super::id_list::IdList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An export or print of messages, made in the background and kept for a day.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "export_task")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// The requester, the only one with access.
    pub user_id: Uuid,
    pub user_name: String,
    /// Source address of the request, for the audit trail.
    pub source_ip: String,
    pub form: ExportForm,
    pub layout: ExportLayout,
    /// Name of the brand, prefix of the file names.
    pub brand: String,
    /// Whether messages are filed once their files are made.
    pub processes: bool,
    /// Whether to continue with a missing patient or document type.
    pub accepts_gaps: bool,
    /// Whether to continue if a colleague has the message open.
    pub takes_over: bool,
    pub state: ExportState,
    #[sea_orm(column_type = "JsonBinary")]
    pub message_ids: IdList,
    pub message_count: i32,
    /// Number of finished messages, successful or not.
    pub messages_done: i32,
    pub file_count: i32,
    /// Number of messages that are skipped, or lack a file.
    pub problem_count: i32,
    /// Number of exported messages that could not be filed.
    pub unfiled_count: i32,
    /// Pages of a print.
    pub page_count: i32,
    pub size_bytes: i64,
    /// Position of the next file row.
    pub next_position: i32,
    pub created_at: DateTimeUtc,
    pub ended_at: Option<DateTimeUtc>,
    pub expires_at: DateTimeUtc,
}

/// Form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum ExportForm {
    /// On paper.
    #[sea_orm(string_value = "Printed")]
    Printed,
    /// As clinical documents: other files are wrapped in C-CDA with the metadata of XDS-SD.
    #[sea_orm(string_value = "StructuredExport")]
    StructuredExport,
    #[sea_orm(string_value = "PDFExport")]
    PDFExport,
    /// Unchanged.
    #[sea_orm(string_value = "NativeExport")]
    NativeExport,
}

/// Folder layout of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ExportLayout {
    Single,
    /// One for each patient.
    PatientFolder,
    /// One for each visit within that of the patient.
    VisitFolder,
}

/// State of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ExportState {
    Processing,
    Ready,
    Failed,
    Cancelled,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
