//! Exports and prints on the wire.

use super::names;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use store::entities::export_task::{ExportForm, ExportLayout, ExportState, Model};
use utoipa::ToSchema;
use uuid::Uuid;

/// What is to be exported or printed.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportRequest {
    /// Messages of the Intake: 1,000 at most, 50 on paper.
    #[schema(min_items = 1, max_items = 1000)]
    pub ids: Vec<Uuid>,
    /// As the interoperability settings say when absent.
    pub form: Option<ExportForm>,
    /// Each message is processed once its files are made.
    #[serde(default)]
    pub is_processed: bool,
    /// Of `isProcessed`: a person confirmed that a patient or document type may be missing.
    #[serde(default)]
    pub accepts_gaps: bool,
    /// Of `isProcessed`: though a colleague has the message open.
    #[serde(default)]
    pub takes_over: bool,
}

/// How what failed, was cancelled or was refused is tried again.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RetryRequest {
    /// As of the request, if it did not say so yet.
    pub accepts_gaps: bool,
    pub takes_over: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskType {
    File,
    Print,
}

/// What became of a task.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportResult {
    Success,
    /// It is being made.
    Accepted,
    Error,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkerState {
    pub in_progress: bool,
    pub in_error: bool,
}

/// An export or print that is made in the background.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: Uuid,
    #[serde(rename = "type")]
    pub kind: TaskType,
    /// What it is about.
    pub content: String,
    pub date: DateTime<Utc>,
    /// Where its files are, once they are made.
    pub href: Option<String>,
    pub worker: WorkerState,
    pub result: ExportResult,
    /// How far it is, or what went wrong.
    pub message: String,
    pub form: ExportForm,
    pub state: ExportState,
    /// Its files lie in folders of patients.
    pub has_folders: bool,
    pub message_count: i32,
    /// Those that are made, and those with which it was not possible.
    pub messages_done: i32,
    pub file_count: i32,
    /// Messages that are left out, or lack a file.
    pub problem_count: i32,
    /// Messages whose files are made, but which could not be filed.
    pub unfiled_count: i32,
    pub size_in_bytes: i64,
    /// What the download is called; the ending of a single file is its own.
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
            format!("Nothing could be {done} of {}.", messages(row.message_count))
        }
        ExportState::Failed => failed.into(),
    }
}

/// What somebody should know who takes the files for the whole.
fn ready(row: &Model) -> String {
    let mut said = vec!["Ready.".to_owned()];
    if row.problem_count > 0 {
        let verb = if row.problem_count == 1 { "is" } else { "are" };
        let all = messages(row.message_count);
        said.push(format!("{} of {all} {verb} left out or not whole.", row.problem_count));
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
    /// With slashes between folders.
    pub path: String,
    pub mime_type: String,
    pub size_in_bytes: i64,
}

/// A message that is left out, lacks a file, or could not be filed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskProblem {
    pub message_id: Uuid,
    /// Empty once the message is deleted.
    pub subject: String,
    /// Sentences for the user.
    pub reasons: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub struct TaskFiles {
    pub items: Vec<TaskFile>,
    pub problems: Vec<TaskProblem>,
}
