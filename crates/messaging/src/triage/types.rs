//! Types of the API.

use super::plan::{PlannedPage, PlannedPart};
use crate::people::PersonView;
use chrono::{DateTime, Utc};
use documents::paging::PageLook;
use platform::text::Rule;
use serde::{Deserialize, Serialize};
use store::entities::{triage_batch::BatchState, triage_file::FileState};
use utoipa::ToSchema;
use uuid::Uuid;

/// Properties of a page.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageView {
    /// In points, as displayed.
    pub width: f32,
    pub height: f32,
    pub is_blank: bool,
    /// Part of it is missing in the file.
    pub is_damaged: bool,
    /// Text of a separator sheet, possibly empty; null for other pages.
    pub separator: Option<String>,
}

impl From<PageLook> for PageView {
    fn from(look: PageLook) -> Self {
        let PageLook { width, height, is_blank, is_damaged, separator } = look;
        Self { width, height, is_blank, is_damaged, separator: separator.map(|s| s.label) }
    }
}

/// A file of a batch.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchFile {
    pub id: Uuid,
    /// Its number in the plan.
    pub position: i32,
    pub name: String,
    pub mime_type: String,
    pub size_in_bytes: i64,
    pub state: FileState,
    /// Why it is unusable.
    pub problem: Option<String>,
    /// 0 until the pages are counted.
    pub page_count: i32,
    /// It has no pages that could be separated; it becomes a document unchanged.
    pub is_whole: bool,
    /// The pages that were read.
    pub pages: Vec<PageView>,
}

/// A document created from a batch.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FiledDocument {
    /// The Intake message, once `isFiled`.
    pub message_id: Uuid,
    pub name: String,
    pub is_filed: bool,
    /// Why it could not be created.
    pub problem: Option<String>,
}

/// A batch of uploaded files.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchView {
    pub id: Uuid,
    pub state: BatchState,
    pub files: Vec<BatchFile>,
    /// The planned documents; in a batch with failed documents, those.
    pub parts: Vec<PlannedPart>,
    /// Excluded pages.
    pub left_out: Vec<PlannedPage>,
    /// The documents of the last filing.
    pub documents: Vec<FiledDocument>,
    pub created_by: PersonView,
    pub created_date: DateTime<Utc>,
    pub modified_by: String,
    pub modified_date: DateTime<Utc>,
    pub filed_date: Option<DateTime<Utc>>,
    /// To be sent back with a change.
    pub version: i32,
}

/// A batch in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchRow {
    pub id: Uuid,
    pub state: BatchState,
    pub file_names: Vec<String>,
    pub file_count: u32,
    /// Number of unusable files.
    pub refused_count: u32,
    /// Some pages are still being read.
    pub is_reading: bool,
    pub page_count: u32,
    pub pages_read: u32,
    /// Number of documents.
    pub document_count: u32,
    /// Number of documents in the Intake.
    pub filed_count: u32,
    /// Number of failed documents.
    pub failed_count: u32,
    pub created_by: PersonView,
    pub created_date: DateTime<Utc>,
    pub modified_by: String,
    pub modified_date: DateTime<Utc>,
}

/// The plan of a batch, to be saved.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchForm {
    #[serde(default)]
    #[schema(max_items = 500)]
    pub parts: Vec<PlannedPart>,
    #[serde(default)]
    #[schema(max_items = 500)]
    pub left_out: Vec<PlannedPage>,
    /// The version that was read.
    pub version: Option<i32>,
}

#[derive(Deserialize, ToSchema)]
pub struct FilingForm {
    /// The version that was read.
    pub version: Option<i32>,
}

platform::text! {
    /// Text on a separator sheet.
    pub SheetLabel = Rule::line(0, 80).says("A label can have at most 80 characters.");
}

#[derive(Deserialize, ToSchema)]
pub struct SheetForm {
    /// The name of the document after the sheet, or empty.
    #[serde(default)]
    pub label: SheetLabel,
}

/// Origin of a message's document.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OriginalView {
    pub batch_id: Uuid,
    pub created_by: PersonView,
    pub created_date: DateTime<Utc>,
    pub files: Vec<OriginalFile>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OriginalFile {
    pub id: Uuid,
    pub name: String,
    /// Such as `1-3, 7`; empty for an unchanged file.
    pub pages: String,
}
