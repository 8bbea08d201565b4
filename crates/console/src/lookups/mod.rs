//! The small lists that the console's forms choose from.

pub mod http;

pub use platform::capture::SETTING as API_CAPTURE_SETTING;
