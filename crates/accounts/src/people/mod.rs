//! The members of an organization, as its administrators manage them, and the organizations of a user.

mod activity;
pub mod assignments;
pub mod deletion;
pub mod http;
mod intake_rules;
pub mod mail;
pub mod memberships;
pub mod queries;
pub mod rules;
mod signing;
mod sources;
pub mod types;
