//! The people of an organization, as its administrators manage them.

mod activity;
pub mod admin;
pub mod assignments;
pub mod http;
mod intake_rules;
pub mod mail;
pub mod queries;
pub mod rules;
mod signing;
mod sources;
