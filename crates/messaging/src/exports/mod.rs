//! Exports and prints of messages of the Intake. Their files are made in the background, a few messages at a time, kept
//! sealed for a day, and fetched by whoever asked for them: one by one, or all as one archive.

mod archive;
mod content;
pub mod http;
mod names;
mod queries;
mod steps;
mod types;

pub use queries::{expire, expire_forever};
pub use steps::{MAKE, MakeExport};
