//! Triage: uploaded files are split into documents, page by page, and filed as Intake messages.

mod filing;
pub mod http;
mod original;
mod plan;
mod queries;
mod reading;
mod types;

pub use filing::{FILE_PART, FilePart};
pub use reading::{READ_FILE, ReadFile, read_released, remove_refused};
