//! Brands: the names and looks under which organizations work, and the host names at which they are shown.

pub mod colors;
pub mod http;
