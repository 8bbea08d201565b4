//! An export or print of messages that is made in the background and kept for a day.

use super::id_list::IdList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An export or print of messages that is made in the background and kept for a day.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "export_task")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// Who asked for it, and alone may have it.
    pub user_id: Uuid,
    pub user_name: String,
    /// From where it was asked for, for the audit trail.
    pub source_ip: String,
    pub form: ExportForm,
    pub layout: ExportLayout,
    /// The name of the brand, with which the names of the files begin.
    pub brand: String,
    /// Messages are processed once their files are made.
    pub processes: bool,
    /// Though a patient or document type is missing.
    pub accepts_gaps: bool,
    /// Though a colleague has the message open.
    pub takes_over: bool,
    pub state: ExportState,
    #[sea_orm(column_type = "JsonBinary")]
    pub message_ids: IdList,
    pub message_count: i32,
    /// Those that are made, and those with which it was not possible.
    pub messages_done: i32,
    pub file_count: i32,
    /// Messages that are left out, or lack a file.
    pub problem_count: i32,
    /// Messages whose files are made, but which could not be filed.
    pub unfiled_count: i32,
    /// Of what is printed.
    pub page_count: i32,
    pub size_bytes: i64,
    /// Of the next row of its files.
    pub next_position: i32,
    pub created_at: DateTimeUtc,
    pub ended_at: Option<DateTimeUtc>,
    pub expires_at: DateTimeUtc,
}

/// In which form documents leave the Intake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum ExportForm {
    /// On paper.
    #[sea_orm(string_value = "Printed")]
    Printed,
    /// As clinical documents: C-CDA with the metadata of XDS-SD around what is none.
    #[sea_orm(string_value = "StructuredExport")]
    StructuredExport,
    #[sea_orm(string_value = "PDFExport")]
    PDFExport,
    /// As they came.
    #[sea_orm(string_value = "NativeExport")]
    NativeExport,
}

/// In which folders the files lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ExportLayout {
    Single,
    /// One for each patient.
    PatientFolder,
    /// One for each visit within that of the patient.
    VisitFolder,
}

/// How far it is.
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
