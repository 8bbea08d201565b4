//! The people of an organization, as its administrators manage them.

mod activity;
pub mod admin;
pub mod assignments;
pub mod http;
pub mod queries;
pub mod rules;
mod sources;
