//! The Release: drafts, sending, and the list of sent messages.

mod corrections;
pub mod deliver;
pub mod drafts;
pub mod failures;
pub mod fax_pages;
pub mod http;
pub mod list;
mod names;
mod printable;
pub mod release_types;
pub mod routing;
pub mod rules;
pub mod sending;
pub mod summary_workflow;
pub mod types;
mod undo;
