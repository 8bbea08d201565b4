//! Sign-in, renewal, sign-out and switching between organizations.

pub mod chores;
pub mod connection;
pub mod http;
mod mail;
pub mod queries;
mod rules;
mod second_step;
