//! Types of the API of exports and prints.

use super::names;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use store::entities::export_task::{ExportForm, ExportLayout, ExportState, Model};
use utoipa::ToSchema;
use uuid::Uuid;

/// An export or print to start.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportRequest {
    /// Messages of the Intake: at most 1,000, or 50 for a print.
    #[schema(min_items = 1, max_items = 1000)]
    pub ids: Vec<Uuid>,
    /// Default: by the interoperability settings.
    pub form: Option<ExportForm>,
    /// Files each message after its files are created.
    #[serde(default)]
    pub is_processed: bool,
    /// For `isProcessed`: a person confirmed that a patient or document type may be missing.
    #[serde(default)]
    pub accepts_gaps: bool,
    /// For `isProcessed`: even if a colleague has the message open.
    #[serde(default)]
    pub takes_over: bool,
}

/// How to retry what failed, was cancelled or was refused.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RetryRequest {
    /// Adds this to the original request.
    pub accepts_gaps: bool,
    pub takes_over: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskType {
    File,
    Print,
}

/// State of a task.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportResult {
    Success,
    /// In progress.
    Accepted,
    Error,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkerState {
    pub in_progress: bool,
    pub in_error: bool,
}

/// An export or print in the background.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: Uuid,
    #[serde(rename = "type")]
    pub kind: TaskType,
    /// Its content, in words.
    pub content: String,
    pub date: DateTime<Utc>,
    /// URL of its files, once they are ready.
    pub href: Option<String>,
    pub worker: WorkerState,
    pub result: ExportResult,
    /// Progress, or the problem.
    pub message: String,
    pub form: ExportForm,
    pub state: ExportState,
    /// Its files are in folders by patient.
    pub has_folders: bool,
    pub message_count: i32,
    /// Messages that are done, successfully or not.
    pub messages_done: i32,
    pub file_count: i32,
    /// Messages that are omitted or lack a file.
    pub problem_count: i32,
    /// Messages that were exported, but could not be filed.
    pub unfiled_count: i32,
    pub size_in_bytes: i64,
    /// Name of the download; a single file has its own extension.
    pub file_name: String,
    pub expiration_date: DateTime<Utc>,
}

const PRINT_FAILED: &str = "An error occurred while attempting to print. Please try again.";
const EXPORT_FAILED: &str = "An error occured while exporting. Please contact support.";

pub fn messages(count: i32) -> String {
    if count == 1 { "1 message".into() } else { format!("{count} messages") }
}

impl From<Model> for Task {
    fn from(row: Model) -> Self {
        let prints = row.form == ExportForm::Printed;
        let what = match row.form {
            ExportForm::Printed => "Print",
            ExportForm::StructuredExport => "C-CDA export",
            ExportForm::PDFExport => "PDF export",
            ExportForm::NativeExport => "Export",
        };
        let href =
            if prints { format!("/print?job={}", row.id) } else { format!("/api/tasks/{}/content", row.id) };
        Self {
            content: format!("{what} of {}", messages(row.message_count)),
            message: sentence(&row),
            kind: if prints { TaskType::Print } else { TaskType::File },
            href: (row.state == ExportState::Ready).then_some(href),
            worker: WorkerState {
                in_progress: row.state == ExportState::Processing,
                in_error: row.state == ExportState::Failed,
            },
            result: match row.state {
                ExportState::Processing => ExportResult::Accepted,
                ExportState::Ready => ExportResult::Success,
                ExportState::Failed | ExportState::Cancelled => ExportResult::Error,
            },
            has_folders: row.layout != ExportLayout::Single,
            file_name: names::stamped(&row.brand, row.form, row.created_at),
            id: row.id,
            date: row.created_at,
            form: row.form,
            state: row.state,
            message_count: row.message_count,
            messages_done: row.messages_done,
            file_count: row.file_count,
            problem_count: row.problem_count,
            unfiled_count: row.unfiled_count,
            size_in_bytes: row.size_bytes,
            expiration_date: row.expires_at,
        }
    }
}

fn sentence(row: &Model) -> String {
    let failed = if row.form == ExportForm::Printed { PRINT_FAILED } else { EXPORT_FAILED };
    match row.state {
        ExportState::Processing => format!("{} of {} done.", row.messages_done, messages(row.message_count)),
        ExportState::Ready => ready(row),
        ExportState::Cancelled => {
            format!("Cancelled after {} of {}.", row.messages_done, messages(row.message_count))
        }
        ExportState::Failed if row.problem_count > 0 => {
            let done = if row.form == ExportForm::Printed { "printed" } else { "exported" };
            format!("Nothing {done}: {} cannot be used.", messages(row.message_count))
        }
        ExportState::Failed => failed.into(),
    }
}

/// The message of a ready task, including what is missing.
fn ready(row: &Model) -> String {
    let mut said = vec!["Ready.".to_owned()];
    if row.problem_count > 0 {
        let verb = if row.problem_count == 1 { "is" } else { "are" };
        let all = messages(row.message_count);
        said.push(format!("{} of {all} {verb} incomplete or left out.", row.problem_count));
    }
    if row.unfiled_count > 0 {
        said.push(format!("{} not filed.", messages(row.unfiled_count)));
    }
    said.join(" ")
}

/// A file of a task.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskFile {
    pub position: i32,
    /// Folders are separated by slashes.
    pub path: String,
    pub mime_type: String,
    pub size_in_bytes: i64,
}

/// A message that is omitted, lacks a file, or could not be filed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskProblem {
    pub message_id: Uuid,
    /// Empty if the message was deleted.
    pub subject: String,
    /// Sentences for people.
    pub reasons: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub struct TaskFiles {
    pub items: Vec<TaskFile>,
    pub problems: Vec<TaskProblem>,
}
