//! Triage: uploaded files are taken apart into documents, page by page, and filed as messages of the Intake.

mod filing;
pub mod http;
mod original;
mod plan;
mod queries;
mod reading;
mod types;

pub use filing::{FILE_PART, FilePart};
pub use reading::{READ_FILE, ReadFile, read_released, remove_refused};
