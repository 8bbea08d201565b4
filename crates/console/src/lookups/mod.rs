//! Small lists for the forms of the console.

pub mod http;

pub use platform::capture::SETTING as API_CAPTURE_SETTING;
