//! Exports and prints of Intake messages. Files are created in the background, a few messages at a time, kept encrypted
//! for a day, and downloaded by the person who requested them: individually or as an archive.

mod archive;
mod content;
pub mod http;
mod names;
mod queries;
mod steps;
mod types;

pub use queries::{expire, expire_forever};
pub use steps::{MAKE, MakeExport};
