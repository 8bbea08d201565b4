//! An uploaded file of a batch.

use super::attachment::ScanState;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An uploaded file of a batch.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "triage_file")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub batch_id: Uuid,
    pub organization_id: Uuid,
    /// Counted from 0; the plan of the batch refers to it.
    pub position: i32,
    pub sealed_name: Vec<u8>,
    pub kind: String,
    pub mime_type: String,
    pub size_bytes: i64,
    pub blob_id: Uuid,
    /// Its pages; none for files without pages, such as a C-CDA document.
    pub pdf_blob_id: Option<Uuid>,
    pub state: FileState,
    /// Reason of the refusal.
    pub problem: Option<String>,
    /// 0 until the pages are counted; a file without pages counts as one.
    pub page_count: i32,
    pub pages_read: i32,
    pub scan_state: ScanState,
}

/// State of reading a file.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum FileState {
    /// Its pages are being read.
    Reading,
    Ready,
    /// It cannot be used.
    Refused,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
